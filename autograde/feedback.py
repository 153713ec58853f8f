"""Text of a notebook as HTML that runs nothing, for nbgrader's feedback and formgrader.

Their templates show Markdown as it is, scripts and all, so nbgrader_config.py puts this in the
place of nbconvert's own filter.
"""

from html import escape

from nbconvert.filters import clean_html
from nbconvert.filters import markdown2html as plain_markdown2html


def markdown2html(source: str) -> str:
    """Markdown as HTML, without scripts; as it is written, if it cannot be rendered."""
    try:
        # Attachments are not kept, and nbconvert makes no page at all where one is missing.
        html = plain_markdown2html(source.replace("attachment:", "attachment: "))
    except Exception:  # it may be nested too deep, or anything else
        html = f"<pre>{escape(source)}</pre>"
    return clean_html(html)
