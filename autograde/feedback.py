"""Text of a notebook as HTML that can only be read, for nbgrader's feedback and formgrader.

Their templates show Markdown and raw cells nearly as they are. nbgrader_config.py puts these
filters in the place of nbconvert's own: what is not listed here does not reach a browser.
"""

from html import escape

import nh3
from mistune import HTMLRenderer, import_plugin
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.token import STANDARD_TYPES

# Boxes to tick stay as they are typed, `[x]`: they would be a form's.
PLUGINS = ("strikethrough", "table", "url", "def_list")

TAGS = set(
    """
    p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li dl dt dd pre code kbd samp var
    em strong b i u s del ins sub sup small mark q cite abbr a img
    table caption thead tbody tfoot tr th td div span
    """.split()
)
ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
    "th": {"colspan", "rowspan"},
    "td": {"colspan", "rowspan"},
}
# Of classes, those of the highlighter alone: others could cover the page, or act on it.
CLASSES = {"div": {"highlight"}, "span": {*STANDARD_TYPES.values()} - {""}}
ADDRESSES = {
    ("a", "href"): ("http:", "https:", "mailto:"),
    # A picture of another host would tell it who reads the page, and when.
    ("img", "src"): tuple(f"data:image/{kind};base64," for kind in ("png", "jpeg", "gif", "webp")),
}
OURS = {"table": {"class": "table table-condensed", "style": "width: auto"}}
# What a formula draws stays in its own box, however large it is.
BOX = '<div style="contain: paint; overflow-x: auto">{}</div>'


class _Renderer(IPythonRenderer):
    """Shows pictures that are in the text itself; of others, what they are said to show.

    Attached ones are others too: a graded notebook has no attachments, and where one is missing
    nbconvert makes no page at all.
    """

    def block_code(self, code: str, info: str | None = None) -> str:
        """Code in colours if it is Python; many another lexer takes time by the square."""
        python = (info or "").strip().lower() in ("python", "py", "python3")
        return super().block_code(code, "python3" if python else None)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if _address("img", "src", url):
            return HTMLRenderer.image(self, text, url, title)
        return f"[picture: {text}]"


def markdown2html(source: str) -> str:
    """Markdown as HTML that can only be read; as it is typed, if it cannot be rendered."""
    try:
        renderer = _Renderer(escape=False, exclude_anchor_links=True)
        plugins = [import_plugin(name) for name in PLUGINS]
        html = MarkdownWithMath(renderer, plugins=plugins).render(source)
    except Exception:  # it may be nested too deep, or anything else
        html = f"<pre>{escape(source)}</pre>"
    return clean_html(html)


def clean_html(html: str) -> str:
    """HTML with what is listed above, in a box of its own; of other tags only their text."""
    return BOX.format(
        nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            attribute_filter=_address,
            allowed_classes=CLASSES,
            set_tag_attribute_values=OURS,
            url_schemes={"http", "https", "mailto", "data"},
            link_rel="noopener noreferrer nofollow",
        )
    )


def _address(tag: str, attribute: str, value: str) -> str | None:
    """The value of an attribute, or None for an address that may not be there."""
    allowed = ADDRESSES.get((tag, attribute))
    return value if allowed is None or value.strip().lower().startswith(allowed) else None
