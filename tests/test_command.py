"""The command line: which chapters, what it says, and how it ends."""

import json
import sys

from nbgrader.api import Gradebook

from tests.demo_class import CLASS, hand_in, notebook_of, scores
from tests.test_nbgrader import run

RIGHT = [student for student in CLASS if student.name == "right"]


def autograde(grading, *command, **environment):
    return run([sys.executable, "-m", "autograde", *command], grading, **environment)


def test_grade_says_where_it_found_nothing(tmp_path):
    for command in (["grade", "attention"], ["grade"]):
        done = autograde(tmp_path, *command)
        assert done.returncode == 2
        assert "autograde: nothing handed in" in done.stderr
        assert f"in {tmp_path}/submitted" in done.stderr
    assert not (tmp_path / "gradebook.db").exists()


def test_grade_without_a_chapter_grades_those_with_submissions(tmp_path):
    hand_in(RIGHT, tmp_path)
    path = tmp_path / "submitted/right/vectors/vectors.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps(notebook_of("vectors", {})))
    done = autograde(tmp_path, "grade", "--trust-submissions")
    assert done.returncode == 0, done.stderr
    assert "attention (seed" in done.stdout
    assert "vectors (seed" in done.stdout
    assert "masking" not in done.stdout
    assert set(scores(tmp_path, "vectors")) == {"right"}
    done = autograde(tmp_path, "grade", "masking", "attention", "--trust-submissions")
    assert done.returncode == 2
    assert "nothing handed in for masking" in done.stderr


def test_the_table_says_which_points_were_given_by_hand(tmp_path):
    hand_in(RIGHT, tmp_path)
    autograde(tmp_path, "grade", "attention", "--trust-submissions")
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db", "attention") as gradebook:
        place = ("attention", "attention", "right")
        gradebook.find_grade("test_attend_one", *place).manual_score = 1.5
        gradebook.find_grade("test_attention", *place).extra_credit = 2
        gradebook.db.commit()
    done = autograde(tmp_path, "grade", "attention", "--trust-submissions")
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("right "))
    told = "by hand: attend_one 1.5, which counts; by hand: attention 8, which counts"
    assert row.split(maxsplit=5) == ["right", "16", "4", "6", "6", told]
    assert scores(tmp_path, "attention")["right"]["attend_one"] == 1.5


def test_a_gradebook_that_cannot_be_opened_is_one_line_without_its_password(tmp_path):
    hand_in(RIGHT, tmp_path)
    for url, reason in (
        ("sqlite:////nowhere/gradebook.db", "unable to open database file"),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/x", "127.0.0.1"),
        ("no address", "Could not parse"),
        ("nothing://x", "nothing"),
    ):
        done = autograde(tmp_path, "grade", "attention", "--trust-submissions", GRADEBOOK=url)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith("autograde: the gradebook ")
        assert reason in line
        assert "secret" not in line
