"""A mended check: what depends on it is graded again, and nothing else changes."""

import csv
import shutil
import sys

import pytest
from nbgrader.api import Gradebook

from autograde import cohort
from autograde.wall import COURSE
from tests.demo_class import CLASS, hand_in, scores
from tests.test_nbgrader import grade, run

NAMES = ("right", "mistake_over_queries", "mistake_tanh")
HARSH = """
import dataclasses
additive_scores = dataclasses.replace(
    additive_scores, properties={"The scores are never right.": lambda arguments, scores: False}
)
attention = dataclasses.replace(
    attention,
    rtol=1e9,
    properties={},
    mistakes={},
    cases={"one sequence": attention.cases["one sequence"]},
)
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course graded once, with one question marked by hand; then its checks change."""
    folder = tmp_path_factory.mktemp("regrade")
    ignored = shutil.ignore_patterns(".*", "_build", "grading", "book", "tests", "bench")
    shutil.copytree(COURSE, folder / "course", ignore=ignored)
    grading = folder / "grading"
    hand_in([student for student in CLASS if student.name in NAMES], grading)
    grade(grading, course=folder / "course")
    with Gradebook(f"sqlite:///{grading}/gradebook.db", "attention") as gradebook:
        place = ("test_attend_one", "attention", "attention", "mistake_tanh")
        gradebook.find_grade(*place).manual_score = 1.5
        gradebook.find_comment("attend_one", *place[1:]).manual_comment = "by hand"
        gradebook.db.commit()
    with open(folder / "course" / "autograde" / "checks" / "attention.py", "a") as file:
        file.write(HARSH)
    return folder / "course", grading


def regrade(course, grading, *options):
    command = [sys.executable, "-m", "autograde", "regrade", "attention", "--reason", "a test"]
    return run([*command, *options], grading, course)


def test_one_question_only_and_never_lower(course):
    folder, grading = course
    before = scores(grading, "attention")
    done = regrade(folder, grading, "--question", "additive_scores", "--never-lower")
    assert done.returncode == 0, done.stderr
    assert scores(grading, "attention") == before
    assert "right" in done.stdout
    assert "submissions: 3, changes: 2; logged in" in done.stdout
    done = regrade(folder, grading, "--question", "attention", "--never-lower")
    now = scores(grading, "attention")
    assert now["mistake_over_queries"] == before["mistake_over_queries"] | {"attention": 6.0}
    assert now["right"] == before["right"]


def test_all_questions_old_and_new_side_by_side_and_in_the_log(course):
    folder, grading = course
    done = regrade(folder, grading)
    now = scores(grading, "attention")
    assert {of["additive_scores"] for of in now.values()} == {0.0}
    assert {of["attention"] for of in now.values()} == {6.0}
    assert any(line.split() == ["right", "additive_scores", "6", "0", "0"]
               for line in done.stdout.splitlines())  # fmt: skip
    with open(grading / "regrades.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["reason"] for row in rows} == {"a test"}
    assert {row["recorded"] for row in rows if row["student"] == "right"} == {"6.0", "0.0"}


def test_points_and_comments_by_hand_stay(course):
    _, grading = course
    with Gradebook(f"sqlite:///{grading}/gradebook.db", "attention") as gradebook:
        place = ("attention", "attention", "mistake_tanh")
        grade = gradebook.find_grade("test_attend_one", *place)
        assert (grade.manual_score, grade.score) == (1.5, 1.5)
        assert gradebook.find_comment("attend_one", *place).manual_comment == "by hand"


def test_what_did_not_change_is_not_run_again(course):
    folder, grading = course
    before = {path: path.stat().st_mtime_ns for path in (grading / "verdicts").iterdir()}
    assert "no points changed" in regrade(folder, grading).stdout
    assert {path: path.stat().st_mtime_ns for path in (grading / "verdicts").iterdir()} == before


def test_replay_shows_what_was_given_returned_and_expected(course):
    folder, grading = course
    command = [sys.executable, "-m", "autograde", "replay", "mistake_tanh", "attention"]
    done = run([*command, "--question", "additive_scores"], grading, folder)
    assert done.returncode == 0, done.stderr
    for part in ("call 1, one sequence: ", "Wq = array (8, 6)", "returned array", "expected array"):
        assert part in done.stdout
    done = run([*command, "--question", "nothing"], grading, folder)
    assert done.returncode == 2
    assert "it has: attend_one, attention, additive_scores" in done.stderr


def test_a_verdict_depends_on_the_checks_that_its_own_take_something_from(tmp_path, monkeypatch):
    package = shutil.copytree(cohort.PACKAGE, tmp_path / "autograde")
    monkeypatch.setattr(cohort, "PACKAGE", package)
    code = cohort._code.__wrapped__
    before = {chapter: code(chapter) for chapter in ("vectors", "scaling", "transformer")}
    with open(package / "checks" / "attention.py", "a") as file:
        file.write("# changed\n")
    assert [of for of in before if code(of) != before[of]] == ["scaling", "transformer"]
