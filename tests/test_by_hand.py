"""An answer that a person grades: it keeps its text, has no score of its own, and is asked for."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograde import cohort, notebook
from autograde.wall import COURSE
from tests.demo_class import Student, grade_id, hand_in, scores

UNWRITTEN = {"train": None}  # so that nothing trains


def without_the_report(nb):
    return nb | {"cells": [cell for cell in nb["cells"] if grade_id(cell) != "report"]}


def report_as_code(nb):
    for cell in nb["cells"]:
        if grade_id(cell) == "report":
            cell |= {"cell_type": "code", "outputs": [], "execution_count": None}
    return nb


def students(**reports) -> list[Student]:
    return [
        Student(name, {}, UNWRITTEN | {"report": text}, damage, "translation")
        for name, (text, damage) in reports.items()
    ]


@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> tuple[Path, str]:
    """A class of four with a report each, and the printed table."""
    grading = tmp_path_factory.mktemp("by-hand")
    hand_in(
        students(
            written=("Leaving out the mask gave 0.0 of 500.", dict),
            untouched=(None, dict),
            deleted=("Gone.", without_the_report),
            as_code=("print('My report.')", report_as_code),
        ),
        grading,
    )
    return grading, grade(grading)


def grade(grading: Path) -> str:
    command = [sys.executable, "-m", "autograde", "grade", "translation", "--again"]
    done = subprocess.run(
        command,
        cwd=COURSE,
        env=os.environ | {"GRADING": str(grading)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def reports(grading: Path) -> dict:
    """Student -> (points by the grader, points by hand, whether a person has to look)."""
    with Gradebook(f"sqlite:///{grading.resolve()}/gradebook.db", "attention") as gradebook:
        return {
            submission.student.id: (of.auto_score, of.manual_score, of.needs_manual_grade)
            for submission in gradebook.assignment_submissions("translation")
            for of in gradebook.find_submission_notebook(
                "translation", "translation", submission.student.id
            ).grades
            if of.name == "report"
        }


def test_it_is_flagged_unless_nothing_was_written(graded):
    grading, _ = graded
    assert reports(grading) == {
        "written": (None, None, True),
        "untouched": (0, None, False),
        "deleted": (0, None, False),
        "as_code": (None, None, True),
    }


def test_its_text_is_kept_and_what_was_deleted_is_an_empty_place(graded):
    grading, _ = graded
    exercise = nbformat.read(cohort.exercise_path("translation"), as_version=4)
    stub = next(cell for cell in exercise.cells if cell.id == "report").source
    for student, text in {
        "written": "Leaving out the mask gave 0.0 of 500.",
        "untouched": stub,
        "deleted": stub,
        "as_code": "print('My report.')",
    }.items():
        path = grading / "autograded" / student / "translation" / "translation.ipynb"
        nb = nbformat.read(path, as_version=4)
        (cell,) = (cell for cell in nb.cells if cell.id == "report")
        assert (cell.cell_type, cell.source) == ("markdown", text)


def test_its_points_are_no_part_of_the_others_and_the_table_says_so(graded):
    grading, table = graded
    assert "of  10" in table
    assert "report: 30 more points, given by hand (nbgrader's formgrader)" in table
    assert "report was missing" in table
    assert "report was a code cell; it is markdown again" in table
    for of in scores(grading, "translation").values():
        assert of == {"Vocab": 3, "train": 0, "alignment_score": 2, "report": 0}
    exercise = nbformat.read(cohort.exercise_path("translation"), as_version=4)
    assert notebook.points(exercise) == {"Vocab": 3, "train": 5, "alignment_score": 2}
    assert notebook.by_hand(exercise) == {"report": 30}


def test_points_given_by_hand_outlast_another_grading(graded):
    grading, _ = graded
    with Gradebook(f"sqlite:///{grading.resolve()}/gradebook.db", "attention") as gradebook:
        of = gradebook.find_grade("report", "translation", "translation", "written")
        of.manual_score, of.needs_manual_grade = 24.0, False
        gradebook.db.commit()
    grade(grading)
    assert reports(grading)["written"][:2] == (None, 24)
    assert scores(grading, "translation")["written"]["report"] == 24


def test_a_chapter_without_a_report_has_nothing_by_hand():
    exercise = nbformat.read(cohort.exercise_path("attention"), as_version=4)
    assert notebook.by_hand(exercise) == {}
