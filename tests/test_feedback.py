"""What a student writes, on nbgrader's pages, in a browser: it can be read and does nothing."""

import re
from collections.abc import Iterator

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.converters import GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from playwright.sync_api import Browser, Page
from traitlets.config import PyFileConfigLoader

from autograde import cohort, feedback, notebook
from autograde.wall import COURSE

PROSE = r"""
# My answer

The weight $a<b$ of *one* key is `w`:

| key | weight |
|-----|-------:|
| $k_1$ | 0.25 |

- [x] done
- ~~not~~ done

> quoted

```python
def double(x):
    return 2 * x
```

$$\sum_i w_i v_i \quad \begin{matrix} a & b \\ c & d \end{matrix}$$

[a link](https://example.org/page) ![attached](attachment:a.png)
![a dot](data:image/png;base64,iVBORw0KGgo=)
"""
HARM = """
<div class="modal-backdrop in" id="notebook" style="position: fixed; inset: 0" onclick="harm()">
overlay</div><h2 class="navbar-fixed-top">top</h2>
<table style="position: fixed; inset: 0"><tr><td id="toc">cell</td></tr></table>
<form action="https://example.org"><input name="a"><button class="full-credit">Give</button></form>
<script>harm()</script><style>* { display: none }</style><textarea>a</textarea><p class="in">
<img src="x" onerror="harm()"><iframe src="https://example.org"></iframe><svg onload="harm()"/>
<a href="javascript:harm()">run</a> <a href="../formgrader">near</a> [run](javascript:harm())
![far](https://example.org/seen.png) <base href="https://example.org"><meta http-equiv="refresh">
<math><mtext><table><mglyph><style><img src="x" onerror="harm()"></style></mglyph></table></mtext>
</div></div></div></div></div></main></body></html>
"""


@pytest.fixture(scope="module")
def asked() -> list[str]:
    """The addresses that the page asks for."""
    return []


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory, asked: list[str]) -> Iterator[Page]:
    """A page of feedback on these texts: as Markdown, as a raw cell, and as a comment."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(COURSE)).load_config()
    converter = GenerateFeedback(coursedir=CourseDirectory(config=config), config=config)
    marks = {"grade_id": "attend", "solution": True, "comment": PROSE + HARM}
    cells = [
        nbformat.v4.new_markdown_cell(PROSE),
        nbformat.v4.new_markdown_cell(HARM),
        nbformat.v4.new_raw_cell(HARM),
        nbformat.v4.new_code_cell("1", metadata={"nbgrader": marks}),
    ]
    place = {"notebook": "attention", "score": 0, "max_score": 1, "late_penalty": 0}
    html, _ = HTMLExporter(config=converter.config).from_notebook_node(
        nbformat.v4.new_notebook(cells=cells), resources={"nbgrader": place}
    )
    path = tmp_path_factory.mktemp("feedback") / "page.html"
    path.write_text(html, "utf-8")
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.route(re.compile("^https?:"), lambda route: route.abort())
    page.add_init_script("window.harmed = 0; window.harm = () => { window.harmed += 1 }")
    page.goto(path.as_uri())
    yield page
    page.close()


def test_no_tag_is_shown_and_all_is_there_that_markdown_makes(page: Page):
    shown = page.locator(".text_cell_render").first
    for part in ("h1", "p em", "p code", "th", "td", "li del", "blockquote", "pre .k"):
        assert shown.locator(part).count(), part
    text = page.locator("#notebook").first.inner_text()
    for tag in ("<p>", "</p>", "<h1", "<th", "<br", "<div", "<span", "id="):
        assert tag not in text
    assert shown.get_by_role("link").get_attribute("rel") == "noopener noreferrer nofollow"
    assert "[picture: attached]" in text
    assert shown.get_by_alt_text("a dot").get_attribute("src").startswith("data:image/png;")


def test_formulas_reach_mathjax_as_they_were_typed(page: Page):
    text = page.locator(".text_cell_render").first.evaluate("element => element.textContent")
    for formula in ("$a<b$", "$k_1$", r"\sum_i w_i v_i", r"a & b \\ c & d \end{matrix}$$"):
        assert formula in text


def test_a_comment_is_shown_as_the_markdown_it_is(page: Page):
    comment = page.locator(".panel-footer")
    assert comment.locator("h1").inner_text() == "My answer"


def test_nothing_of_a_student_acts(page: Page, asked: list[str]):
    assert page.evaluate("window.harmed") == 0
    assert not [url for url in asked if "example.org" in url or url.endswith("/x")]
    boxes = page.locator("div[style^='contain']")
    assert boxes.count() == 4
    harmful = "form, input, button, textarea, script, style, iframe, svg, math, base, meta, [id]"
    assert boxes.locator(harmful).count() == 0
    assert boxes.locator("[href*='javascript'], [href*='formgrader']").count() == 0
    classes = boxes.locator("[class]").evaluate_all("all => all.flatMap(e => [...e.classList])")
    ours = {"table", "table-condensed", *feedback.CLASSES["div"], *feedback.CLASSES["span"]}
    assert set(classes) <= ours
    positions = boxes.locator("*").evaluate_all("all => all.map(e => getComputedStyle(e).position)")
    assert set(positions) == {"static"}


def test_nothing_of_a_student_covers_the_page(page: Page):
    def hit() -> bool:
        return page.get_by_text("(Top)").evaluate(
            "e => { e.scrollIntoView(); const r = e.getBoundingClientRect();"
            " return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) === e }"
        )

    assert hit()
    # A formula may draw a rule of any size anywhere: \smash{\rule[-9999px]{9999px}{19999px}}.
    draw = "element => element.insertAdjacentHTML('beforeend', `{}`)"
    rule = "<i id='drawn' style='position: fixed; inset: -9999px; z-index: 9999'></i>"
    page.locator("div[style^='contain']").first.evaluate(draw.format(rule))
    assert hit()
    page.locator("body").evaluate(draw.format(rule))  # outside such a box it would
    assert not hit()


@pytest.mark.parametrize("odd", [">" * 5_000, "[" * 5_000, "<b>" * 5_000, "$" * 4_999, "\0<p"])
def test_odd_text_is_shown_all_the_same(odd: str):
    assert feedback.markdown2html(f"{odd} the end").count("the end") == 1


def test_code_is_coloured_by_the_lexer_for_python_alone():
    """Others take minutes for some texts, IPython's own too."""
    assert "<span" in feedback.markdown2html("```python\ndef f(): pass\n```")
    for language in ("autoit", "ipython3", "mermaid", "", "no such"):
        html = feedback.markdown2html(f"```{language}\ndef f(): 'the end'\n```")
        assert "def f()" in html
        assert "<span" not in html
    exercise = nbformat.read(cohort.exercise_path("attention"), as_version=4)
    graded = notebook.restore(exercise, exercise).nb
    assert graded.metadata.language_info["pygments_lexer"] == "python3"
