"""Submissions that are broken or odd: each file of tests/damaged states what it earns.

They are graded in one class, beside two students who are right. A file's first line is its verdict,
`# attention: 4 + 0 + 6`: the points of the chapter's three functions in their order, or `none` for
who cannot be in the gradebook. A second one, `# says: text`, is what the student's row or graded
notebook must say. `damage(nb, folder)` gets a right submission's JSON, and the folder for it, and
returns what is handed in instead: JSON, text or bytes; or None if it has written the folder itself.
`STUDENT` is the student's name, if not the file's own.
"""

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograde.wall import COURSE
from tests import damaged
from tests.demo_class import ALL, notebook_of, scores

NBGRADER = Path(sys.executable).with_name("nbgrader")
HONEST = ("a_right", "z_right")  # graded among the first and among the last
LIMITS = ("--cell-seconds", "2", "--call-seconds", "1", "--memory", str(512 << 20))
MOST = 2_000_000  # bytes of a graded notebook

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the wall needs Linux")


@dataclass(frozen=True)
class Case:
    """A file of tests/damaged."""

    name: str
    student: str
    expected: dict[str, float] | None
    says: str
    damage: Callable[[dict, Path], dict | str | bytes | None]


def _case(path: Path) -> Case:
    head = re.match(r"# attention: (.+)\n(?:# says: (.+)\n)?", path.read_text("utf-8"))
    assert head, f"{path.name} does not state its verdict"
    points = None
    if head[1] != "none":
        points = dict(zip(ALL, map(float, head[1].split(" + ")), strict=True))
    module = importlib.import_module(f"tests.damaged.{path.stem}")
    student = getattr(module, "STUDENT", path.stem)
    return Case(path.stem, student, points, head[2] or "", module.damage)


FILES = sorted(Path(damaged.__file__).parent.glob("[!_]*.py"))
CASES = [_case(path) for path in FILES]
STUDENTS = [*HONEST, *(case.student for case in CASES)]
GRADED = [*HONEST, *(case.student for case in CASES if case.expected is not None)]


@dataclass(frozen=True)
class Graded:
    """The class after it was graded, and after its feedback was made."""

    code: int
    said: str
    grading: Path
    feedback: subprocess.CompletedProcess

    @cached_property
    def scores(self) -> dict[str, dict[str, float]]:
        """Student -> function -> points."""
        return scores(self.grading, "attention")

    def rows(self, student: str) -> list[str]:
        """The lines of the table that begin with a student's name."""
        shown = "".join(char if char.isprintable() else " " for char in student)
        return re.findall(rf"^{re.escape(shown)} {{2,}}.*$", self.said, re.MULTILINE)

    def path(self, student: str) -> Path:
        """Where the graded notebook of a student is."""
        return self.grading / "autograded" / student / "attention" / "attention.ipynb"

    def told(self, student: str) -> str:
        """All that a student's row and graded notebook say, but for the code in it."""
        if not self.path(student).exists():
            return "\n".join(self.rows(student))
        nb = json.loads(self.path(student).read_text("utf-8"))
        shown = [cell.get("outputs", cell["source"]) for cell in nb["cells"]]
        return "\n".join([*self.rows(student), *_texts([shown, nb["metadata"]["autograde"]])])


def test_there_are_many():
    assert len(CASES) >= 70
    assert len(set(STUDENTS)) == len(STUDENTS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_damage_earns_what_it_states(graded: Graded, case: Case):
    told = graded.told(case.student)
    assert graded.scores.get(case.student) == case.expected, told
    assert case.says in told


def test_honest_students_lose_nothing_and_hear_nothing(graded: Graded):
    for student in HONEST:
        assert graded.scores[student] == ALL
        assert graded.rows(student)[0].split() == [student, "16", "4", "6", "6"]


def test_the_exit_code_says_that_some_could_not_be_read(graded: Graded):
    assert graded.code == 1
    assert "our fault" not in graded.said
    assert "Traceback" not in graded.said


def test_every_student_has_one_row_and_nobody_else(graded: Graded):
    assert {student: len(graded.rows(student)) for student in STUDENTS} == dict.fromkeys(
        STUDENTS, 1
    )
    none = len(STUDENTS) - len(GRADED)
    last = (
        rf"^submissions: {len(STUDENTS)}, graded: (\d+), "
        r"unreadable: (\d+) \(0 points, also in the mean\), "
        rf"not graded: {none} \(no points, in no mean\)$"
    )
    found = re.search(last, graded.said, re.MULTILINE)
    assert found
    assert int(found[1]) + int(found[2]) == len(GRADED)
    assert set(graded.scores) == set(GRADED)
    assert "\x1b" not in graded.said


def test_nothing_waits_for_a_grade_by_hand_and_the_maximum_is_the_exercise_s(graded: Graded):
    url = f"sqlite:///{graded.grading}/gradebook.db"
    with Gradebook(url, "attention") as gradebook:
        for submission in gradebook.assignment_submissions("attention"):
            assert not submission.needs_manual_grade, submission.student.id
            assert submission.max_score == sum(ALL.values())
            assert len(submission.notebooks[0].grades) == len(ALL)


@pytest.mark.parametrize("student", GRADED)
def test_graded_notebooks_are_valid_and_small(graded: Graded, student: str):
    assert graded.path(student).stat().st_size < MOST
    nbformat.validate(json.loads(graded.path(student).read_text("utf-8")))


def test_there_is_a_page_of_feedback_for_everyone(graded: Graded):
    assert graded.feedback.returncode == 0, graded.feedback.stderr[-3000:]
    pages = {path.parts[-3] for path in _pages(graded)}
    assert pages == set(GRADED)


def test_no_page_of_feedback_holds_a_student_s_script(graded: Graded):
    found = {}
    for path in _pages(graded):
        student = path.parts[-3]
        submitted = graded.grading / "submitted" / student / "attention" / "attention.ipynb"
        if submitted.is_file() and b"harm()" in submitted.read_bytes():
            page = _Page()
            page.feed(path.read_text("utf-8"))
            found[student] = page.harm
    assert len(found) >= 5
    assert {student: harm for student, harm in found.items() if harm} == {}


# ---- the class


@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> Graded:
    """All cases and two honest students in one class, graded, with feedback."""
    grading = tmp_path_factory.mktemp("damaged")
    for student in HONEST:
        _folder(grading, student, notebook_of("attention", {}, f"# by {student}"))
    for case in CASES:
        _folder(grading, case.student, case.damage)
    done = _run([sys.executable, "-m", "autograde", "grade", "attention", *LIMITS], grading)
    feedback = _run([str(NBGRADER), "generate_feedback", "attention"], grading)
    return Graded(done.returncode, done.stdout + done.stderr, grading, feedback)


def _folder(grading: Path, student: str, content: Any) -> None:
    folder = grading / "submitted" / student / "attention"
    folder.mkdir(parents=True)
    if callable(content):
        content = content(notebook_of("attention", {}), folder)
    if content is not None:
        damaged.hand_in(content, folder / "attention.ipynb")


def _run(command: list[str], grading: Path) -> subprocess.CompletedProcess:
    environment = os.environ | {"GRADING": str(grading)}
    return subprocess.run(
        command, cwd=COURSE, env=environment, capture_output=True, text=True, check=False,
        errors="replace", timeout=600,
    )  # fmt: skip


def _pages(graded: Graded) -> list[Path]:
    return list(graded.grading.glob("feedback/*/attention/attention.html"))


class _Page(HTMLParser):
    """Finds where a page would run harm()."""

    def __init__(self):
        super().__init__()
        self.harm: list[str] = []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if "harm()" in (value or "") and (name[:2] == "on" or value.startswith("javascript:")):
                self.harm.append(f"<{tag} {name}={value}>")

    def handle_data(self, data):
        if self.cdata_elem == "script" and "harm()" in data:
            self.harm.append(data)


def _texts(value: Any) -> Iterator[str]:
    """All texts of plain data, the keys of dicts too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
