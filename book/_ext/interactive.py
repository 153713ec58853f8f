"""Figures that a reader moves: small programs in the page, without a server.

    ```{interactive} temperature
    :alt: Three bars, the weights of three scores; a slider moves the temperature.
    :input: {"scores": [2, 1, -1]}

    What is read where no program runs: on paper, or without JavaScript.
    ```

The program is `_static/interactive/<name>.js`. It computes all it shows from the input. A page
loads the programs of its own figures only.
"""

import html
import json
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

PROGRAMS = Path(__file__).parents[1] / "_static" / "interactive"


class Interactive(nodes.General, nodes.Element):
    """The place of a figure; its children are read where no program runs."""


class InteractiveDirective(SphinxDirective):
    """Put a figure that a reader moves into the page.

    Raises:
        docutils.utils.DirectiveError: no program has this name, the sentence that says what is
            seen or the text in the figure's place is missing, or the input is not JSON.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required, "input": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if not (PROGRAMS / f"{name}.js").is_file():
            raise self.error(f"no interactive figure is named {name!r}")
        if not self.options.get("alt"):
            raise self.error("an interactive figure needs :alt:, a sentence that says what is seen")
        self.assert_has_content()
        try:
            given = json.loads(self.options.get("input", "{}"))
        except ValueError as error:
            raise self.error(f":input: is not JSON: {error}") from error
        figure = Interactive(name=name, alt=self.options["alt"], input=json.dumps(given))
        self.set_source_info(figure)
        self.state.nested_parse(self.content, self.content_offset, figure)
        return [figure]


def visit(self: HTML5Translator, node: Interactive) -> None:
    attributes = {
        "class": "interactive",
        "role": "group",
        "aria-label": node["alt"],
        "data-interactive": node["name"],
        "data-input": node["input"],
    }
    written = " ".join(f'{name}="{html.escape(value)}"' for name, value in attributes.items())
    self.body.append(f'<div {written}>\n<div class="interactive-still">\n')


def depart(self: HTML5Translator, node: Interactive) -> None:
    self.body.append("</div>\n</div>\n")


def load(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document) -> None:
    """Have a page load what its own figures need."""
    names = sorted({node["name"] for node in doctree.findall(Interactive)}) if doctree else []
    if names:
        app.add_css_file("interactive/figure.css")
    for name in ["figure", *names] if names else []:
        # Deferred scripts run in this order, once the page is read. They are no modules, which a
        # browser would not load from a folder.
        app.add_js_file(f"interactive/{name}.js", loading_method="defer")


def setup(app: Sphinx) -> dict:
    app.add_node(Interactive, html=(visit, depart))
    app.add_directive("interactive", InteractiveDirective)
    app.connect("html-page-context", load)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
