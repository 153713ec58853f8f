"""The same verdict in a browser: one declaration of a check serves the page and the grader.

Headless Chromium loads Pyodide and the wheel from this machine, in a worker as the book's page
does. What it says of mistakes and submissions is compared with what is said here and behind the
wall. `PYODIDE_DIST` names the folder of a Pyodide distribution with NumPy.
"""

import inspect
import json
import os
import re
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from playwright.sync_api import Browser

from autograde import cohort, grader, notebook, sandbox, wheel
from autograde.check import PRACTICE
from tests.demo_class import CLASS, Student, grade_id, notebook_of

NAMED = os.environ.get("PYODIDE_DIST")
DIST = Path(NAMED or sandbox.COURSE.parent / "shared" / "pyodide-0.27.7")
CHAPTERS = sorted(path.name for path in (sandbox.COURSE / "exercises").iterdir())

# Those of the class who are not plain NumPy, and why.
ELSEWHERE = {
    "endless_loop": "never ends; a page has a Stop button, the wall a deadline",
    "eats_memory": "a page has the browser's memory, the wall a limit",
    "damaged": "is not a notebook, so it has no cells",
    "imports_reference": "the package is there to import in a page, and only the wall hides it",
    "forges": "speaks to IPython, which a page does not have",
    "leaves_a_process": "a page has no processes",
}
# Which cases these mistakes pass depends on how a processor rounds; their sentence does not.
OF_ROUNDING = {"Sums round differently in another order: compare with a tolerance."}
PLAIN = [
    *(student for student in CLASS if student.name not in ELSEWHERE),
    *(Student(f"solution of {chapter}", {}, chapter=chapter) for chapter in CHAPTERS),
]

PAGE = """<!doctype html><title>Checks</title>
<script type="module">
const worker = new Worker("worker.js", {type: "module"});
window.python = (code) => new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("no answer in two minutes")), 120_000);
    worker.onmessage = ({data: {result, error}}) => {
        clearTimeout(late);
        error ? reject(new Error(error)) : resolve(result);
    };
    worker.onerror = ({message}) => reject(new Error(message));
    worker.postMessage(code);
});
</script>"""
WORKER = """
import { loadPyodide } from "./pyodide/pyodide.mjs";
const loaded = loadPyodide().then(async (python) => {
    await python.loadPackage(["numpy", new URL("WHEEL", location).href]);
    return python;
});
onmessage = async ({data}) => {
    try {
        postMessage({result: (await loaded).runPython(data)});
    } catch (error) {
        postMessage({error: String(error)});
    }
};
"""
NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)")

Python = Callable[..., Any]  # runs one of this file's functions in the page


@pytest.fixture(scope="module")
def packed(tmp_path_factory) -> Path:
    return wheel.build(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def site(packed: Path, tmp_path_factory) -> Iterator[str]:
    """The address of a page with Pyodide and the wheel beside it."""
    if not NAMED and not DIST.exists():
        pytest.skip(f"no Pyodide at {DIST}; PYODIDE_DIST=… names the folder of one")
    root = tmp_path_factory.mktemp("site")
    (root / "pyodide").symlink_to(DIST.resolve(strict=True))
    (root / "index.html").write_text(PAGE)
    (root / "worker.js").write_text(WORKER.replace("WHEEL", packed.name))
    shutil.copy(packed, root)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=root)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def requests() -> list[str]:
    """The addresses that the page asks for, its worker's too."""
    return []


@pytest.fixture(scope="module")
def in_page(browser: Browser, site: str, requests: list[str]) -> Iterator[Python]:
    page = browser.new_page()
    page.on("request", lambda request: requests.append(request.url))
    page.goto(site)

    def call(function: Callable, *arguments: Any) -> Any:
        """What a function of this file returns when it runs in the page."""
        values = json.dumps(json.dumps(arguments))
        call = f"json.dumps({function.__name__}(*json.loads({values})))"
        code = f"import json\n{inspect.getsource(function)}\n{call}"
        return json.loads(page.evaluate("code => python(code)", code))

    yield call
    page.close()


@pytest.fixture(scope="module")
def wall() -> Iterator[sandbox.Wall]:
    wall = sandbox.Wall(("numpy",))
    yield wall
    wall.close()


# ---- what runs in the page: each function takes and gives what JSON can hold


def numpy_version() -> str:
    import numpy

    return numpy.__version__


def on_mistakes(chapter: str) -> list:
    """[function, mistake, verdict] of every mistake; the mistake "" is the reference."""
    from dataclasses import asdict
    from importlib import import_module

    from autograde.check import Check

    return [
        [name, sentence, asdict(check.verdict(function))]
        for name, check in list(vars(import_module(f"autograde.checks.{chapter}")).items())
        if isinstance(check, Check)
        for sentence, function in ({"": check.reference} | check.mistakes).items()
    ]


def on_cells(chapter: str, cells: list) -> dict:
    """Function -> verdict, of a notebook's cells as [source, the function it tests or ""]."""
    import contextlib
    import io
    import traceback
    from dataclasses import asdict

    from autograde import checks

    namespace = {"__name__": "__main__"}
    printed = io.StringIO()
    verdicts = {}
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        for source, name in cells:
            try:
                exec(compile(source, "cell", "exec"), namespace)
            except BaseException:
                traceback.print_exc()
            if name:
                verdict = checks.find(chapter, name).verdict(namespace.get(name))
                verdicts[name] = asdict(verdict)
    return {"verdicts": verdicts, "printed": printed.getvalue()}


# ---- tests


def test_the_wheel_holds_nothing_that_a_learner_should_not_see(packed: Path):
    with zipfile.ZipFile(packed) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    modules = [name for name in texts if not name.startswith("autograde-0.dist-info/")]
    assert all(name.startswith("autograde/") and name.endswith(".py") for name in modules)
    # Neither worker nor sandbox; what a submission is compared with is no secret in a page.
    parts = {name.split("/")[1] for name in modules}
    assert parts == {"__init__.py", "plain.py", "check.py", "reference", "checks"}
    everything = _words("\n".join(texts.values()))
    for chapter in CHAPTERS:
        text = (sandbox.COURSE / "solutions" / chapter / f"{chapter}.ipynb").read_text("utf-8")
        sources = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
        answers = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", sources, re.DOTALL)
        assert answers
        assert [answer for answer in answers if _words(answer) in everything] == []


def test_the_same_files_give_the_same_wheel(packed: Path, tmp_path: Path):
    assert wheel.build(tmp_path).read_bytes() == packed.read_bytes()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_mistake_gets_the_same_verdict(chapter: str, in_page: Python):
    differing = []
    for there, here in zip(in_page(on_mistakes, chapter), on_mistakes(chapter), strict=True):
        if here[1] in OF_ROUNDING:
            alike = there[2]["hint"] == here[2]["hint"]
        else:
            alike = _same(there[2], here[2])
        if there[:2] != here[:2] or not alike:
            differing.append((there, here))
    assert differing == []


def test_every_submission_gets_the_same_verdict(in_page: Python, wall: sandbox.Wall, capsys):
    rows, differing, needs_torch = [], [], []
    for student in PLAIN:
        exercise = nbformat.read(cohort.exercise_path(student.chapter), as_version=4)
        nb = student.damage(notebook_of(student.chapter, student.answers, student.cell))
        submitted = notebook.parse(json.dumps(nb))
        graded = grader.grade(
            submitted, exercise, student.chapter, PRACTICE, wall, sandbox.Limits()
        )
        cells = [
            [cell.source, name]
            for _, cell, name in notebook.code(notebook.restore(submitted, exercise).nb)
        ]
        page = in_page(on_cells, student.chapter, cells)
        for name, points in notebook.points(exercise).items():
            answer = next(cell["source"] for cell in nb["cells"] if grade_id(cell) == name)
            if "torch" in answer:
                needs_torch.append(f"{student.name}, {name}")
                continue
            here, there = asdict(graded.verdicts[name]), page["verdicts"][name]
            earned = [f"{side['fraction'] * points:.2f} of {points:g}" for side in (there, here)]
            rows.append([student.name, name, *earned, here["hint"]])
            if not _same(there, here):
                differing.append([student.name, name, there, here, page["printed"]])
    with capsys.disabled():
        print("\n\n" + _table([["submission", "task", "page", "wall", "sentence"], *rows]))
        print(f"{len(rows)} verdicts, {len(rows) - len(differing)} the same in page and grader")
        for name, reason in ELSEWHERE.items():
            print(f"not in the page: {name}: {reason}")
        for name in needs_torch:
            print(f"not in the page: {name}: needs torch, which no browser has")
    assert differing == []


def test_the_page_asked_nobody_but_this_machine(site: str, in_page: Python, requests: list[str]):
    """Last, so that it sees what all tests made the page ask for."""
    assert in_page(numpy_version) == "2.0.2"
    assert any("numpy-2.0.2" in url for url in requests), "the worker's requests are not seen"
    assert [url for url in requests if not url.startswith(site)] == []


def _words(text: str) -> str:
    return " ".join(text.split())


def _same(there: dict, here: dict) -> bool:
    """Whether two verdicts give the same points and sentences.

    Where a sentence repeats a number of the learner's, its last digits may differ, since two
    processors round differently: it may do so as far as an answer may be from the right one.
    """
    one, other = (NUMBER.split(json.dumps(v, ensure_ascii=False)) for v in (there, here))
    return (
        there["fraction"] == here["fraction"]
        and one[::2] == other[::2]
        and np.allclose([*map(float, one[1::2])], [*map(float, other[1::2])], rtol=1e-4, atol=1e-6)
    )


def _table(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
