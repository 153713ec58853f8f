"""The ledger of claims: a box where a claim is tested, and a failed build if it is not borne out.

`claims.yml` holds one entry for each claim. The directive `{claim} 48` draws its box with the
number that the page's cells glued as `claim_48`; the role `` {claim}`48` `` links to it;
`{claim-map}` draws them all, and `{ledger}` lists them. `check` compares pages and ledger in every
build, whether the pages were read again or not. What was found is written to `claims.json`, and
`python book/_ext/claims.py _build/html/claims.json` counts it.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import ClassVar

import yaml
from docutils import nodes
from myst_nb.core.variables import RetrievalError
from myst_nb.ext.glue.utils import retrieve_glue_data
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains import Domain
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

logger = logging.getLogger(__name__)

VERDICTS = {
    "holds": "Holds",
    "condition": "Holds with a condition",
    "imprecise": "Imprecise",
    "wrong": "Wrong",
}
NOTES = ("000", "001")


@dataclass(frozen=True)
class Claim:
    """One entry of the ledger. Either figure and interval are given, or cited_only."""

    number: int
    note: str
    section: str
    chapter: str
    claim: str
    verdict: str
    correction: str
    sources: list[str]
    line: int
    figure: str | None = None
    interval: list[float] | None = None
    cited_only: str | None = None


@dataclass(frozen=True)
class Shown:
    """A claim's box on a page, and the text of the number the page computed for it."""

    number: int
    docname: str
    line: int
    figure: str | None


@dataclass(frozen=True)
class Problem:
    """What is wrong, and where: on a page, or in the ledger if docname is None."""

    message: str
    line: int
    docname: str | None = None


class LineLoader(yaml.SafeLoader):
    """Reads YAML, and notes in each mapping the line it starts on."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        return super().construct_mapping(node, deep) | {"line": node.start_mark.line + 1}


def read(text: str) -> tuple[dict[int, Claim], list[Problem]]:
    """Read the ledger, and say which of its entries are unfit and why."""
    ledger, problems = {}, []
    for entry in yaml.load(text, LineLoader) or []:
        faults = list(faults_of(entry))
        number = entry.get("number")
        if not faults and number in ledger:
            faults = [f"number already used on line {ledger[number].line}"]
        problems += [Problem(f"claim {number}: {fault}", entry["line"]) for fault in faults]
        if not faults:
            ledger[number] = Claim(**entry)
    return ledger, problems


def faults_of(entry: dict) -> Iterator[str]:
    """Say what keeps an entry of the ledger from being a claim."""
    required = {field.name for field in fields(Claim) if field.default is MISSING}
    yield from (f"field {name!r} is missing" for name in sorted(required - entry.keys()))
    known = {field.name for field in fields(Claim)}
    yield from (f"field {name!r} is unknown" for name in sorted(entry.keys() - known))
    if type(entry.get("number", 0)) is not int:
        yield f"number {entry['number']!r} is not a whole number"
    for name in ("section", "chapter", "claim", "correction", "figure", "cited_only"):
        if name in entry and not (isinstance(entry[name], str) and entry[name].strip()):
            yield f"{name} {entry[name]!r} is not text (in quotes, if it looks like a number)"
    if entry.get("note", "000") not in NOTES:
        yield f"note {entry['note']!r} is none of {', '.join(NOTES)}, in quotes"
    if entry.get("verdict", "holds") not in VERDICTS:
        yield f"verdict {entry['verdict']!r} is none of {', '.join(VERDICTS)}"
    if not isinstance(entry.get("sources", []), list):
        yield "sources is not a list"
    computed = {"figure", "interval"} & entry.keys()
    if len(computed) + 2 * ("cited_only" in entry) != 2:
        yield "give both figure and interval, or cited_only"
    if "interval" in entry and not is_interval(entry["interval"]):
        yield f"interval {entry['interval']!r} is not [low, high]"


def is_interval(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(end) in (int, float) and math.isfinite(end) for end in value)
        and value[0] <= value[1]
    )


def number_in(text: str | None) -> float | None:
    """Read the number a page glued; None if it glued something else."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def check(
    ledger: dict[int, Claim], shown: Iterable[Shown], chapters: set[str]
) -> Iterator[Problem]:
    """Compare the boxes on the pages with the ledger.

    Args:
        ledger: the claims by number.
        shown: every box on every page.
        chapters: the slugs of the chapters that are in the book.
    """
    first = {}
    for box in sorted(shown, key=lambda box: (box.docname, box.line)):
        claim = ledger.get(box.number)
        if claim is None:
            message = "is not in the ledger, or its entry there is unfit"
        elif box.number in first:
            message = f"is already shown in {first[box.number]}"
        elif chapter_of(box.docname) != claim.chapter:
            message = f"belongs to chapter {claim.chapter!r}"
        else:
            message = fault_of_figure(claim, box.figure)
        first.setdefault(box.number, box.docname)
        if message:
            yield Problem(f"claim {box.number} {message}", box.line, box.docname)
    for claim in ledger.values():
        if claim.chapter in chapters and claim.number not in first:
            yield Problem(f"claim {claim.number} is shown on no page", claim.line)


def fault_of_figure(claim: Claim, text: str | None) -> str | None:
    """Say why the number a page computed does not bear the claim's verdict out."""
    key = f"claim_{claim.number}"
    if claim.interval is None:
        return None if text is None else f"has nothing to compute, but the page glues {key}"
    low, high = claim.interval
    expected = f"expected a number from {low} to {high}: {claim.figure}"
    if text is None:
        return f"has no figure: no cell of the page glues {key}; {expected}"
    figure = number_in(text)
    if figure is None:
        return f"has {text} for a figure, which is not a plain number; {expected}"
    if not low <= figure <= high:
        return f"has the figure {text}; {expected}"
    return None


def chapter_of(docname: str) -> str:
    return docname.rsplit("/", 1)[-1]


def chapters_in(env: BuildEnvironment) -> dict[str, str]:
    """The pages of the book by chapter, in the order of the table of contents."""
    pages = [docname for docname in env.external_site_map if docname in env.found_docs]
    return {chapter_of(docname): docname for docname in pages}


class ClaimsDomain(Domain):
    """Remembers which page shows which claim, from one build to the next."""

    name = "claims"
    label = "Claims"
    initial_data: ClassVar = {"shown": [], "listed": []}
    ledger: dict[int, Claim]
    problems: list[Problem]

    @property
    def shown(self) -> list[Shown]:
        return self.data["shown"]

    @property
    def listed(self) -> list[str]:
        """The pages that list the ledger."""
        return self.data["listed"]

    def clear_doc(self, docname: str) -> None:
        self.data["shown"] = [box for box in self.shown if box.docname != docname]
        self.data["listed"] = [name for name in self.listed if name != docname]

    def figure(self, number: int) -> str:
        """The number that a page has computed for a claim, as it is shown; "" if there is none."""
        figures = [box.figure for box in self.shown if box.number == number]
        value = number_in(figures[0]) if figures else None
        return "" if value is None else f"{value:.4g}"

    def resolve_xref(self, env, fromdocname, builder, typ, target, node, contnode):
        for box in self.shown:
            if str(box.number) == target and box.number in self.ledger:
                title = self.ledger[box.number].claim
                anchor = f"claim-{target}"
                return make_refnode(builder, fromdocname, box.docname, anchor, contnode, title)
        return None


class ClaimRole(XRefRole):
    """`` {claim}`48` `` reads "claim 48" and leads to its box."""

    def __init__(self) -> None:
        super().__init__(innernodeclass=nodes.inline, warn_dangling=True)

    def process_link(self, env, refnode, has_explicit_title, title, target):
        refnode.attributes.update(refdomain="claims", reftype="claim")
        return title if has_explicit_title else f"claim {title}", target


class ClaimBox(nodes.container):
    """The box around a claim; a group with a name for those who listen."""


def visit_box(self, node: ClaimBox) -> None:
    self.body.append(self.starttag(node, "div", role="group", **{"aria-label": node["label"]}))


def depart_box(self, node: ClaimBox) -> None:
    self.body.append("</div>\n")


class LedgerDirective(SphinxDirective):
    """A directive whose page is read again when the ledger changes."""

    @property
    def domain(self) -> ClaimsDomain:
        return self.env.get_domain("claims")

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(ledger_path(self.env.app)))
        return self.draw()

    def written(self, text: str) -> list[nodes.Node]:
        """Read a line of Markdown from the ledger."""
        children, messages = self.parse_inline(" ".join(text.split()))
        return [*children, *messages]


class ClaimDirective(LedgerDirective):
    """Draw the verdict box of one claim."""

    required_arguments = 1

    def draw(self) -> list[nodes.Node]:
        if not self.arguments[0].isdecimal():
            raise self.error(f"{self.arguments[0]!r} is not the number of a claim")
        number = int(self.arguments[0])
        try:
            figure = retrieve_glue_data(self.state.document, f"claim_{number}").data["text/plain"]
        except RetrievalError:
            figure = None
        self.domain.shown.append(Shown(number, self.env.docname, self.lineno, figure))
        claim = self.domain.ledger.get(number)
        return [self.box(claim, figure)] if claim else []

    def box(self, claim: Claim, figure: str | None) -> ClaimBox:
        verdict = VERDICTS[claim.verdict]
        box = ClaimBox(
            ids=[f"claim-{claim.number}"],
            classes=["claim", f"claim-{claim.verdict}"],
            label=f"Claim {claim.number}: {verdict.lower()}",
        )
        head = nodes.paragraph(classes=["claim-head"])
        head += nodes.strong(text=f"Claim {claim.number}")
        where = f" note {claim.note}, section {claim.section} "
        head += nodes.inline(text=where, classes=["claim-where"])
        head += nodes.inline(text=verdict, classes=["claim-verdict"])
        box += head
        box += self.part("The note says", self.written(claim.claim))
        if claim.interval is None:
            box += self.part("Nothing to compute", self.written(claim.cited_only))
        else:
            box += self.part("Computed", self.computed(claim, figure))
        box += self.part("What is right", self.written(claim.correction))
        if claim.sources:
            cites = "; ".join(f"{{cite:t}}`{key}`" for key in claim.sources)
            box += self.part("Sources", self.written(cites))
        return box

    def computed(self, claim: Claim, figure: str | None) -> list[nodes.Node]:
        value = number_in(figure)
        low, high = claim.interval
        allowed = f"{low:g}" if low == high else f"from {low:g} to {high:g}"
        return [
            *self.written(claim.figure),
            nodes.Text(": "),
            nodes.strong(text=str(figure) if value is None else f"{value:.4g}"),
            nodes.inline(text=f" (must be {allowed})", classes=["claim-interval"]),
        ]

    def part(self, title: str, children: list[nodes.Node]) -> nodes.paragraph:
        label = nodes.inline(text=f"{title}: ", classes=["claim-label"])
        return nodes.paragraph("", "", label, *children)


class ClaimMapDirective(LedgerDirective):
    """Draw the claims of the book's chapters by verdict, each a link to its box."""

    def draw(self) -> list[nodes.Node]:
        pages = chapters_in(self.env)
        claims = [c for _, c in sorted(self.domain.ledger.items()) if c.chapter in pages]
        table = nodes.table(classes=["claim-map"], ids=["claim-map"])
        table += nodes.title(text=f"The {len(claims)} claims of the chapters so far, by verdict.")
        group = nodes.tgroup(cols=1 + len(VERDICTS))
        group += nodes.colspec(colwidth=1, stub=1)
        group += [nodes.colspec(colwidth=1) for _ in VERDICTS]
        group += nodes.thead("", self.head(claims))
        body = nodes.tbody()
        for chapter, docname in pages.items():
            of_chapter = [claim for claim in claims if claim.chapter == chapter]
            if of_chapter:
                chips = [[self.chip(c) for c in of_chapter if c.verdict == v] for v in VERDICTS]
                body += row(self.written(f"{{doc}}`/{docname}`"), *chips)
        group += body
        table += group
        return [table]

    def head(self, claims: list[Claim]) -> nodes.row:
        cells = []
        for verdict, word in VERDICTS.items():
            count = sum(claim.verdict == verdict for claim in claims)
            classes = ["claim-verdict", f"claim-{verdict}"]
            cells.append([nodes.inline(text=f"{word} ({count})", classes=classes)])
        return row([nodes.Text("Chapter")], *cells)

    def chip(self, claim: Claim) -> nodes.inline:
        link = pending_xref(
            "",
            nodes.inline(text=str(claim.number)),
            refdomain="claims",
            reftype="claim",
            reftarget=str(claim.number),
            refdoc=self.env.docname,
            refexplicit=True,
            refwarn=True,
        )
        return nodes.inline("", "", link, nodes.Text(" "), classes=["claim-chip"])


class LedgerFigure(nodes.inline):
    """Stands where a claim's figure will be, once every page is read."""


class LedgerListDirective(LedgerDirective):
    """List every claim of the book's chapters: a row each, with what its page has computed."""

    HEADS = ("Claim", "The note says, and what is right", "Verdict", "Computed")

    def draw(self) -> list[nodes.Node]:
        self.domain.listed.append(self.env.docname)
        pages = chapters_in(self.env)
        claims = [c for _, c in sorted(self.domain.ledger.items()) if c.chapter in pages]
        # The chapters' order, for the filter.
        table = nodes.table(classes=["ledger", *(f"of-{chapter}" for chapter in pages)])
        group = nodes.tgroup(cols=len(self.HEADS))
        group += [nodes.colspec(colwidth=1) for _ in self.HEADS]
        group += nodes.thead("", row(*([nodes.Text(head)] for head in self.HEADS)))
        group += nodes.tbody("", *(self.row(claim, pages[claim.chapter]) for claim in claims))
        table += group
        return [table]

    def row(self, claim: Claim, docname: str) -> nodes.row:
        place = [
            *self.written(f"{{claim}}`{claim.number}`"),
            nodes.inline(
                text=f" note {claim.note}, section {claim.section}, ", classes=["claim-where"]
            ),
            *self.written(f"{{doc}}`/{docname}`"),
        ]
        verdict = nodes.inline(text=VERDICTS[claim.verdict], classes=["claim-verdict"])
        if claim.interval is None:
            computed = [nodes.inline(text="nothing to compute", classes=["claim-where"])]
        else:
            figure = LedgerFigure(number=claim.number)
            computed = [figure, nodes.Text(" "), *self.written(claim.figure)]
        of = row(place, self.written(claim.claim), [verdict], computed)
        of[1] += nodes.paragraph("", "", *self.written(claim.correction), classes=["claim-where"])
        of["classes"] = [f"claim-{claim.verdict}", f"of-{claim.chapter}"]
        return of


def fill_in(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the figures into the list of the claims."""
    domain = app.env.get_domain("claims")
    for node in list(doctree.findall(LedgerFigure)):
        node.replace_self(nodes.strong(text=domain.figure(node["number"]) or "not computed"))


def list_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages whose figures come from other pages, and may have changed with these."""
    return env.get_domain("claims").listed


def note_down(app: Sphinx, exception: Exception | None) -> None:
    """Write every claim with its verdict, figure, and whether it is borne out, for programs."""
    if exception or app.builder.format != "html":
        return
    domain = app.env.get_domain("claims")
    chapters = chapters_in(app.env)
    failed = {fault for fault in check(domain.ledger, domain.shown, set(chapters))}
    numbers = {int(fault.message.split()[1]) for fault in [*domain.problems, *failed]}
    claims = [
        {
            "number": claim.number,
            "chapter": claim.chapter,
            "verdict": claim.verdict,
            "computed": number_in(domain.figure(claim.number)),
            "interval": claim.interval,
            "failed": claim.number in numbers,
        }
        for _, claim in sorted(domain.ledger.items())
        if claim.chapter in chapters
    ]
    Path(app.outdir, "claims.json").write_text(json.dumps(claims, indent=1), "utf-8")


def count(path: Path) -> int:
    """Print the claims by verdict and what became of them; the exit code is 1 if one failed."""
    claims = json.loads(path.read_text("utf-8"))
    verdicts = Counter(claim["verdict"] for claim in claims)
    for verdict, word in VERDICTS.items():
        print(f"{word:24} {verdicts[verdict]:4}")
    for claim in claims:
        if claim["failed"]:
            print(f"claim {claim['number']} in {claim['chapter']}: {claim['computed']}, "
                  f"expected {claim['interval']}")  # fmt: skip
    computed = sum(claim["computed"] is not None for claim in claims)
    cited = sum(claim["interval"] is None for claim in claims)
    failed = sum(claim["failed"] for claim in claims)
    print(f"claims {len(claims)} computed {computed} cited {cited} failed {failed}")
    return 1 if failed else 0


def row(*cells: list[nodes.Node]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))


def ledger_path(app: Sphinx) -> Path:
    return Path(app.srcdir, app.config.claims_file)


def open_ledger(app: Sphinx) -> None:
    domain = app.env.get_domain("claims")
    domain.ledger, domain.problems = read(ledger_path(app).read_text(encoding="utf-8"))


def report(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of every problem. Runs in each build, since a page not read again keeps its faults."""
    domain = env.get_domain("claims")
    for problem in [*domain.problems, *check(domain.ledger, domain.shown, set(chapters_in(env)))]:
        page = (problem.docname, problem.line)
        location = page if problem.docname else f"{ledger_path(app)}:{problem.line}"
        logger.warning(problem.message, location=location, type="claims")


def setup(app: Sphinx) -> dict:
    app.add_config_value("claims_file", "claims.yml", "env", str)
    app.add_domain(ClaimsDomain)
    app.add_directive("claim", ClaimDirective)
    app.add_directive("claim-map", ClaimMapDirective)
    app.add_directive("ledger", LedgerListDirective)
    app.add_role("claim", ClaimRole())
    app.add_node(ClaimBox, html=(visit_box, depart_box))
    app.add_css_file("claims.css")
    app.add_js_file("ledger.js", loading_method="defer")
    app.connect("builder-inited", open_ledger)
    app.connect("env-updated", report)
    app.connect("env-updated", list_again)
    app.connect("doctree-resolved", fill_in)
    app.connect("build-finished", note_down)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}


if __name__ == "__main__":
    sys.exit(count(Path(sys.argv[1])))
