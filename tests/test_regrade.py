"""A mended check: what depends on it is graded again, and nothing else changes."""

import csv
import json
import re
import shutil
import sys

import pytest
from nbgrader.api import Gradebook

from autograde import cohort
from autograde.wall import COURSE
from tests.demo_class import CLASS, FAST, Student, hand_in, notebook_of, scores
from tests.test_nbgrader import grade, run

NAMES = ("right", "mistake_over_queries", "mistake_tanh", "damaged")
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
COUNTS = "submissions: 4, graded: 3, unreadable: 1 (0 points, also in the mean)"
KEEP = "keep the points that other checks or limits gave"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course graded once, with two questions marked by hand; then its checks change."""
    folder = tmp_path_factory.mktemp("regrade")
    ignored = shutil.ignore_patterns(".*", "_build", "grading", "book", "tests", "bench")
    shutil.copytree(COURSE, folder / "course", ignore=ignored)
    grading = folder / "grading"
    hand_in([student for student in CLASS if student.name in NAMES], grading)
    assert COUNTS in grade(grading, course=folder / "course").stdout
    with Gradebook(f"sqlite:///{grading}/gradebook.db", "attention") as gradebook:
        place = ("test_attend_one", "attention", "attention", "mistake_tanh")
        gradebook.find_grade(*place).manual_score = 1.5
        gradebook.find_comment("attend_one", *place[1:]).manual_comment = "by hand"
        place = ("test_additive_scores", "attention", "attention", "mistake_over_queries")
        gradebook.find_grade(*place).manual_score = 5
        gradebook.db.commit()
    mend(folder / "course", HARSH)
    return folder / "course", grading


def mend(course, text):
    with open(course / "autograde" / "checks" / "attention.py", "a") as file:
        file.write(text)


def regrade(course, grading, *options):
    command = [sys.executable, "-m", "autograde", "regrade", "attention", "--reason", "a test"]
    return run([*command, *FAST, *options], grading, course)


def log(grading):
    path = grading / "regrades.csv"
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def shown(done):
    """The rows of the table of changes."""
    return [line.split() for line in done.stdout.splitlines() if line.count("  ") > 2]


def test_grade_keeps_what_earlier_checks_gave_and_says_so(course):
    folder, grading = course
    before = scores(grading, "attention")
    done = grade(grading, "--processes", "60", course=folder)
    assert scores(grading, "attention") == before
    assert f"4 {KEEP}" in done.stdout
    assert 'python -m autograde regrade attention --reason "…"' in done.stdout


def test_one_question_only_and_never_lower(course):
    folder, grading = course
    before = scores(grading, "attention")
    done = regrade(folder, grading, "--question", "additive_scores", "--never-lower")
    assert scores(grading, "attention") == before
    assert ["right", "additive_scores", "6", "0", "6"] in shown(done)
    assert "changes: 0, kept as they were: 2; no points changed" in done.stdout
    assert log(grading) == []
    done = regrade(folder, grading, "--question", "attention", "--never-lower")
    now = scores(grading, "attention")
    assert now["mistake_over_queries"] == before["mistake_over_queries"] | {"attention": 6.0}
    assert now["right"] == before["right"]


def test_never_lower_logs_no_change_twice_and_outlasts_grade(course):
    folder, grading = course
    regrade(folder, grading, "--never-lower")
    before, logged = scores(grading, "attention"), log(grading)
    done = regrade(folder, grading, "--never-lower")
    assert "changes: 0, kept as they were: 2; no points changed" in done.stdout
    hand_in([Student("late", {})], grading)
    done = grade(grading, course=folder)
    assert KEEP not in done.stdout
    now = scores(grading, "attention")
    assert now.pop("late") == {"attend_one": 4, "attention": 6, "additive_scores": 0}
    assert now == before
    assert log(grading) == logged
    shutil.rmtree(grading / "submitted" / "late")


def test_all_questions_old_and_new_side_by_side_and_in_the_log(course):
    folder, grading = course
    done = regrade(folder, grading)
    assert done.returncode == 1
    assert COUNTS in done.stdout
    assert re.search(r"^damaged: not a notebook", done.stdout, re.MULTILINE)
    now = scores(grading, "attention")
    assert {name: of["additive_scores"] for name, of in now.items() if of["additive_scores"]} == {
        "mistake_over_queries": 5  # by hand
    }
    assert now["damaged"].pop("attention") == 0
    assert {of["attention"] for of in now.values() if "attention" in of} == {6.0}
    assert ["right", "additive_scores", "6", "0", "0"] in shown(done)
    assert ["mistake_over_queries", "additive_scores", "6", "0", "5"] in shown(done)
    rows = log(grading)
    assert {row["reason"] for row in rows} == {"a test"}
    assert [row["recorded"] for row in rows if row["student"] == "right"] == ["0.0"]
    assert [row["recorded"] for row in rows if row["student"] == "mistake_over_queries"] == [
        "6.0",
        "5.0",
    ]
    assert KEEP not in grade(grading, course=folder).stdout


def test_points_and_comments_by_hand_stay(course):
    _, grading = course
    with Gradebook(f"sqlite:///{grading}/gradebook.db", "attention") as gradebook:
        place = ("attention", "attention", "mistake_tanh")
        grade = gradebook.find_grade("test_attend_one", *place)
        assert (grade.manual_score, grade.score) == (1.5, 1.5)
        assert gradebook.find_comment("attend_one", *place).manual_comment == "by hand"


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


def test_what_did_not_change_is_not_run_again(course):
    folder, grading = course
    before = {path: path.stat().st_mtime_ns for path in (grading / "verdicts").iterdir()}
    done = regrade(folder, grading)
    assert "changes: 0; no points changed" in done.stdout
    assert "feedback" not in done.stdout
    assert {path: path.stat().st_mtime_ns for path in (grading / "verdicts").iterdir()} == before


def test_who_handed_in_anew_or_was_never_graded_is_left_to_grade(course):
    folder, grading = course
    recorded = grading / "autograded" / "mistake_tanh" / "attention" / "attention.ipynb"
    before, logged = recorded.read_bytes(), log(grading)
    path = grading / "submitted" / "mistake_tanh" / "attention" / "attention.ipynb"
    path.write_text(json.dumps(notebook_of("attention", {"attention": None})))
    hand_in([Student("new", {})], grading)
    mend(folder, "\nattend_one = dataclasses.replace(attend_one, rtol=1e9)\n")
    done = regrade(folder, grading)
    assert done.returncode == 1
    assert "mistake_tanh: left as it was: it was handed in again since, run `grade`" in done.stdout
    assert "new: left as it was: it was never graded, run `grade`" in done.stdout
    assert "submissions: 5, graded: 2, unreadable: 1 (0" in done.stdout
    assert "left as they were: 2\n" in done.stdout
    assert recorded.read_bytes() == before
    assert log(grading) == logged
    assert KEEP not in grade(grading, course=folder).stdout
    now = scores(grading, "attention")
    assert (now["mistake_tanh"]["attention"], now["new"]["attention"]) == (0, 6)


def test_another_hint_for_the_same_points_asks_for_feedback(course):
    folder, grading = course
    mend(folder, """
additive_scores = dataclasses.replace(
    additive_scores, properties={"Never.": lambda arguments, scores: False}
)
""")  # fmt: skip
    done = regrade(folder, grading)
    assert "changes: 0; no points changed" in done.stdout
    assert "hints changed for 4 students with the same points" in done.stdout
    assert "generate_feedback attention --force" in done.stdout


def test_what_cannot_be_read_of_an_earlier_grading_is_graded_from_the_submission(course):
    folder, grading = course
    before = scores(grading, "attention")
    paths = {
        grading / "autograded" / student / "attention" / "attention.ipynb": text
        for student, text in {
            "right": "",
            "new": '{"cells": []}',
            "mistake_tanh": json.dumps(
                {"metadata": {"autograde": {"verdicts": {}, "remarks": [], "origin": {}}}}
            ),
        }.items()
    }
    for path, text in paths.items():
        path.write_text(text)
    done = regrade(folder, grading)
    assert "left as they were: 3\n" in done.stdout
    assert "right: left as it was: it was never graded" in done.stdout
    grade(grading, course=folder)
    assert scores(grading, "attention") == before
    for path in paths:
        assert json.loads(path.read_text())["metadata"]["autograde"]["origin"]


def test_again_takes_the_present_checks(course):
    folder, grading = course
    mend(folder, "\nadditive_scores = dataclasses.replace(additive_scores, properties={})\n")
    assert f"5 {KEEP}" in grade(grading, course=folder).stdout
    assert scores(grading, "attention")["right"]["additive_scores"] == 0
    assert KEEP not in grade(grading, "--again", course=folder).stdout
    assert scores(grading, "attention")["right"]["additive_scores"] == 6


def test_a_reason_has_to_be_given(course):
    for reason in ("", " \t"):
        command = [sys.executable, "-m", "autograde", "regrade", "attention", "--reason", reason]
        done = run(command, course[1])
        assert done.returncode == 2
        assert "argument --reason: it is blank" in done.stderr


def test_a_verdict_depends_on_the_checks_that_its_own_take_something_from(tmp_path, monkeypatch):
    package = shutil.copytree(cohort.PACKAGE, tmp_path / "autograde")
    monkeypatch.setattr(cohort, "PACKAGE", package)
    code = cohort._code.__wrapped__
    before = {chapter: code(chapter) for chapter in ("vectors", "scaling", "transformer")}
    with open(package / "checks" / "attention.py", "a") as file:
        file.write("# changed\n")
    assert [of for of in before if code(of) != before[of]] == ["scaling", "transformer"]
