"""The command line: which chapters, what it says, and how it ends."""

import json
import sys

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
