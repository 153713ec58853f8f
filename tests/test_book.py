"""The book: it builds strictly, its gates bite, and it publishes no answer."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGES = [
    page
    for entry in [yaml.safe_load((ROOT / "_toc.yml").read_text())]
    for page in [entry["root"], *(chapter["file"] for chapter in entry["chapters"])]
]


def build(source: Path, output: Path) -> subprocess.CompletedProcess:
    """Build as the README says, but outside the source tree."""
    programs = Path(sys.executable).parent
    command = [programs / "jupyter-book", "build", source, "--path-output", output]
    command += ["-W", "-n", "--keep-going"]
    # Cells run in the kernel named python3: let it be the one beside this interpreter.
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    env = os.environ | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=1800)


@pytest.fixture(scope="session")
def output(tmp_path_factory) -> Path:
    """The whole book, built once."""
    output = tmp_path_factory.mktemp("book")
    done = build(ROOT, output)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return output / "_build"


@pytest.fixture(scope="session")
def pages(output) -> dict[str, str]:
    return {page: (output / "html" / f"{page}.html").read_text() for page in PAGES}


class Elements(HTMLParser):
    """The start tags of a page: their names and attributes."""

    def __init__(self, text: str):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))


def article(text: str) -> str:
    """The part of a page that its author wrote."""
    return text[text.index("<article") : text.index("</article>")]


def test_every_cell_of_every_page_was_run(output):
    for page in PAGES:
        notebook = json.loads((output / "jupyter_execute" / f"{page}.ipynb").read_text())
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert all(cell["execution_count"] for cell in cells), page


def test_every_claim_of_a_written_chapter_is_shown_once(pages):
    ledger = yaml.safe_load((ROOT / "book/claims.yml").read_text())
    written = {page.split("/")[-1] for page in PAGES}
    expected = Counter(entry["number"] for entry in ledger if entry["chapter"] in written)
    shown = Counter(
        int(number) for text in pages.values() for number in re.findall(r'id="claim-(\d+)"', text)
    )
    assert shown == expected


def test_every_figure_says_what_is_seen(pages):
    for page, text in pages.items():
        for tag, attributes in Elements(article(text)).found:
            if tag == "img":
                assert attributes.get("alt"), f"{page}: {attributes}"
            if tag == "svg" and attributes.get("aria-hidden") != "true":
                assert attributes.get("role") == "img", f"{page}: {attributes}"
                assert len(attributes.get("aria-label", "")) > 20, f"{page}: {attributes}"


def test_no_two_elements_of_a_page_share_an_id(pages):
    for page, text in pages.items():
        ids = Counter(a["id"] for _, a in Elements(article(text)).found if "id" in a)
        assert not [name for name, count in ids.items() if count > 1], page


def test_the_ledger_is_filtered_by_keyboard_and_by_address(output, browser):
    chapters = [page.split("/")[-1] for page in PAGES]
    claims = yaml.safe_load((ROOT / "book/claims.yml").read_text())
    claims = [claim for claim in claims if claim["chapter"] in chapters]
    wrong = {claim["number"] for claim in claims if claim["verdict"] == "wrong"}
    heads = {claim["number"] for claim in claims if claim["chapter"] == "multi_head"}
    page = browser.new_page(viewport={"width": 390, "height": 800})
    said = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda of: said.append(of.text) if of.type in ("error", "warning") else None)
    page.goto((output / "html/book/ledger.html").as_uri())

    def shown() -> set[int]:
        links = page.locator("table.ledger tbody tr:visible td:first-child a:first-of-type")
        return {int(text.split()[1]) for text in links.all_inner_texts()}

    assert shown() == {claim["number"] for claim in claims}
    order = (
        page.get_by_label("Chapter").locator("option").evaluate_all("all => all.map(o => o.value)")
    )
    assert order == ["", *(name for name in chapters if any(c["chapter"] == name for c in claims))]
    page.get_by_label("Verdict").focus()
    page.keyboard.type("Wrong")
    assert shown() == wrong
    page.keyboard.press("Tab")
    page.keyboard.type("Several heads")
    assert shown() == wrong & heads
    page.keyboard.press("Tab")
    page.keyboard.type("no claim says this")
    page.keyboard.press("Enter")  # which sends no form
    assert shown() == set()
    assert page.get_by_role("status").inner_text() == f"0 of {len(claims)} claims"
    page.goto(page.url.split("?")[0] + "?verdict=wrong")
    assert shown() == wrong
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert said == []


def blankless(text: str) -> str:
    return re.sub(r"\s+", "", text)


def secret_lines() -> set[str]:
    """The lines of answers, hidden tests and grader that no learner may find in the book."""
    secret, public = set(), set()
    for path in ROOT.glob("solutions/*/*.ipynb"):
        cells = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
        marked = r"### BEGIN (SOLUTION|HIDDEN TESTS)(.*?)### END \1"
        for cell in cells:
            secret |= {
                line for _, body in re.findall(marked, cell, re.S) for line in body.split("\n")
            }
    for path in ROOT.glob("autograde/**/*.py"):
        secret |= set(path.read_text().split("\n"))
    for path in ROOT.glob("exercises/*/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            public |= set("".join(cell["source"]).split("\n"))
    long = {blankless(line) for line in secret} - {blankless(line) for line in public}
    # To draw random numbers gives nothing away, and everybody writes it alike.
    return {line for line in long if len(line) >= 25 and "default_rng(" not in line}


def test_the_site_holds_no_answer(output):
    secrets = secret_lines()
    assert secrets
    found = []
    for path in (output / "html").rglob("*"):
        assert not {"autograde", "solutions", "grading"} & set(path.parts[len(output.parts) :]), (
            path
        )
        if path.suffix in {".html", ".md", ".txt", ".ipynb", ".py", ".json", ".js"}:
            text = path.read_text(errors="ignore")
            if path.suffix == ".html":
                text = html.unescape(re.sub(r"<[^>]*>", "", text))
            if path.suffix == ".ipynb":
                text = text.encode().decode("unicode_escape", errors="ignore")
            text = blankless(text)
            found += [(path.name, line) for line in secrets if line in text]
    assert not found


PAGE = """\
---
jupytext: {{text_representation: {{extension: .md, format_name: myst}}}}
kernelspec: {{name: python3, display_name: Python 3}}
---
(small)=
# A small chapter

```{{code-cell}}
from myst_nb import glue

glue("claim_1", 0.5, display=False)
{cell}
```

```{{claim}} 1
```

{prose}
"""
CLAIM = """\
- number: 1
  note: "000"
  section: "1.1"
  chapter: small
  claim: A half is a half.
  verdict: holds
  correction: It is.
  figure: a half
  interval: [{low}, 0.7]
  sources: []
"""


def write(path: Path, text: str) -> None:
    """Leave a file alone that has this text already, so that a second build sees no change."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


@pytest.fixture
def small(tmp_path):
    """Write a book of one page, with the real settings and extensions, and build it."""
    source = tmp_path / "source"
    shutil.copytree(ROOT / "book/_ext", source / "book/_ext")
    shutil.copytree(
        ROOT / "book/_static", source / "book/_static", ignore=shutil.ignore_patterns("mathjax")
    )
    for name in ("_config.yml", "book/drawing.py", "book/references.bib"):
        shutil.copy(ROOT / name, source / name)
    (source / "_toc.yml").write_text("format: jb-book\nroot: book/small\n")

    def make(*, cell: str = "", prose: str = "", low: float = 0.4) -> tuple[int, str]:
        write(source / "book/small.md", PAGE.format(cell=cell, prose=prose))
        write(source / "book/claims.yml", CLAIM.format(low=low))
        done = build(source, tmp_path / "output")
        return done.returncode, done.stdout + done.stderr

    return make


def test_a_cell_that_raises_fails_the_build(small):
    code, log = small(cell="1 / 0")
    assert code != 0
    assert "ZeroDivisionError" in log


def test_a_broken_reference_fails_the_build(small):
    code, log = small(prose="See {ref}`nowhere`.")
    assert code != 0
    assert "small.md:18: WARNING: undefined label: 'nowhere'" in log


def test_a_claim_that_is_not_borne_out_fails_every_build_until_it_is_mended(small):
    message = "claim 1 has the figure 0.5; expected a number from 0.6 to 0.7: a half"
    for _ in range(2):  # the second build finds nothing to do
        code, log = small(low=0.6)
        assert code != 0
        assert f"small.md:15: WARNING: {message}" in log
    code, log = small()
    assert code == 0, log
    assert re.search(r"^ +\d+\.\d  book/small$", log, re.MULTILINE)


@pytest.mark.parametrize(("low", "failed"), [(0.4, 0), (0.6, 1)])
def test_the_last_line_of_make_claims_counts_them(small, tmp_path, low, failed):
    small(low=low)
    file = tmp_path / "output/_build/html/claims.json"
    command = [sys.executable, ROOT / "book/_ext/claims.py", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == f"claims 1 computed 1 cited 0 failed {failed}"
    assert done.returncode == failed


@pytest.fixture
def claims(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    import claims

    return claims


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("verdict: holds", "verdict: maybe"), "verdict 'maybe' is none of holds, condition"),
        (("  correction: It is.\n", ""), "field 'correction' is missing"),
        (("  figure: a half\n", ""), "give both figure and interval, or cited_only"),
        (("  sources: []", "  sources: []\n  source: x"), "field 'source' is unknown"),
        (("[0.4, 0.7]", "[0.7, 0.4]"), "interval [0.7, 0.4] is not [low, high]"),
        (('"000"', "000"), "note 0 is none of 000, 001"),
    ],
)
def test_an_unfit_entry_of_the_ledger_is_named(claims, change, message):
    ledger, problems = claims.read(CLAIM.format(low=0.4).replace(*change))
    assert not ledger
    assert problems[0].line == 1
    assert message in problems[0].message


def test_a_number_used_twice_is_named(claims):
    _, problems = claims.read(CLAIM.format(low=0.4) * 2)
    assert problems == [claims.Problem("claim 1: number already used on line 1", line=11)]


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        (["0.5"], None),
        ([], "is shown on no page"),
        (["0.5", "0.5"], "is already shown in book/small"),
        ([None], "has no figure"),
        (["np.float64(0.5)"], "is not a plain number"),
        (["nan"], "has the figure nan"),
    ],
)
def test_pages_and_ledger_are_compared(claims, figures, message):
    ledger, _ = claims.read(CLAIM.format(low=0.4))
    shown = [claims.Shown(1, "book/small", line, text) for line, text in enumerate(figures)]
    problems = list(claims.check(ledger, shown, {"small"}))
    assert len(problems) == (message is not None)
    assert all(message in problem.message for problem in problems)


def test_a_drawing_has_the_same_bytes_each_time_and_ids_of_its_own(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book")
    import drawing

    shown = []
    monkeypatch.setattr(drawing, "display", lambda drawn: shown.append(drawn.data))
    for alt in ("One diagonal.", "One diagonal.", "Another diagonal."):
        fig, _ = drawing.heatmap([[1, 0], [0, 1]], ["a", "b"], ["c", "d"])
        drawing.show(fig, alt)
    ids = [set(re.findall(r'id="([^"]+)"', svg)) for svg in shown]
    assert shown[0] == shown[1]
    assert ids[0]
    assert not ids[0] & ids[2]
    with pytest.raises(ValueError, match="needs a sentence"):
        drawing.show(fig, " ")
