"""What a learner writes is never overwritten, and never what it is checked against."""

import json
import shutil
import subprocess
import sys

import nbformat
import pytest

from autograde import release
from autograde.wall import COURSE

PATH = "exercises/attention/attention.ipynb"


@pytest.fixture
def course(tmp_path):
    """A course with one chapter, which `make` takes for set up."""
    ignored = shutil.ignore_patterns(
        ".*", "_build", "grading", "work", "book", "tests", "bench", "exercises", "solutions"
    )
    shutil.copytree(COURSE, tmp_path / "course", ignore=ignored)
    for folder in ("exercises", "solutions"):
        shutil.copytree(COURSE / folder / "attention", tmp_path / "course" / folder / "attention")
    programs = tmp_path / "course" / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (programs / "nbgrader").write_text(f'#!/bin/sh\nexec {sys.executable} -m nbgrader "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    (programs.parent / "ready").touch()
    return tmp_path / "course"


def run(course, *command):
    return subprocess.run(command, cwd=course, capture_output=True, text=True, check=False)


def edit(path, name, source):
    raw = json.loads(path.read_text("utf-8"))
    for cell in raw["cells"]:
        if cell["id"] == name:
            cell["source"] = source
    path.write_text(json.dumps(raw), "utf-8")


def test_make_exercises_keeps_an_exercise_that_somebody_has_written_in(course):
    edit(course / PATH, "attention", "def attention(Q, K, V):\n    return 'an evening of work'")
    written = (course / PATH).read_bytes()
    done = run(course, "make", "exercises")
    assert done.returncode != 0
    assert f"{PATH} holds somebody's work" in done.stderr
    assert (course / PATH).read_bytes() == written


def test_make_exercises_makes_anew_what_nobody_has_written_in_and_says_which(course):
    released = (course / PATH).read_bytes()
    solution = course / "solutions/attention/attention.ipynb"
    edit(solution, "intro", "# A new introduction")
    done = run(course, "make", "exercises")
    assert done.returncode == 0, done.stderr
    assert "exercise attention" in done.stdout
    assert b"A new introduction" in (course / PATH).read_bytes() != released


def test_make_work_copies_the_exercises_once(course):
    assert run(course, "make", "work").returncode == 0
    copy = course / "work/attention.ipynb"
    assert copy.read_bytes() == (course / PATH).read_bytes()
    copy.write_text("mine")
    assert run(course, "make", "work").returncode == 0
    assert copy.read_text() == "mine"


def test_every_exercise_is_as_it_was_released():
    for path in sorted((COURSE / "exercises").glob("*/*.ipynb")):
        assert not release.holds_work(nbformat.read(path, as_version=4)), path


def test_an_exercise_that_was_run_holds_work():
    nb = nbformat.read(COURSE / PATH, as_version=4)
    nb.cells[1].execution_count = 1
    assert release.holds_work(nb)


def check(course, path):
    return run(course, sys.executable, "-m", "autograde", "check", path)


def without(path, *names):
    """Delete cells of a notebook."""
    raw = json.loads(path.read_text("utf-8"))
    raw["cells"] = [cell for cell in raw["cells"] if cell["id"] not in names]
    path.write_text(json.dumps(raw), "utf-8")


def test_check_in_place_tells_when_a_test_is_gone_or_changed(course):
    without(course / PATH, "test_attention", "test_additive_scores")
    done = check(course, PATH)
    assert done.returncode == 2
    assert f"{PATH} was changed (test_attention, test_additive_scores)" in done.stderr
    shutil.copy(COURSE / PATH, course / PATH)
    edit(course / PATH, "test_attention", "pass")
    done = check(course, PATH)
    assert done.returncode == 2
    assert "was changed (test_attention)" in done.stderr


def test_check_of_a_copy_gives_deleted_and_changed_tests_back(course):
    copy = course / "work" / "attention.ipynb"
    copy.parent.mkdir()
    shutil.copy(COURSE / PATH, copy)
    without(copy, "test_additive_scores")
    edit(copy, "test_attention", "pass")
    done = check(course, copy)
    assert done.returncode == 1
    assert "note: test_attention was changed; its own text is back" in done.stdout
    assert "note: test_additive_scores was missing" in done.stdout
    assert "0 of 3 functions pass" in done.stdout


def test_check_needs_no_metadata_of_the_notebook(course):
    raw = json.loads((course / PATH).read_text("utf-8"))
    del raw["metadata"]["kernelspec"]
    (course / PATH).write_text(json.dumps(raw), "utf-8")
    done = check(course, PATH)
    assert (done.returncode, done.stderr) == (1, "")
    assert "0 of 3 functions pass" in done.stdout


def test_check_shows_the_errors_of_cells(course):
    copy = course / "work" / "attention.ipynb"
    copy.parent.mkdir()
    shutil.copy(COURSE / PATH, copy)
    edit(copy, "imports", "import numpy as np\nnp.nothing")
    edit(copy, "attend_one", "def attend_one(q, K, V, beta=1.0)\n    pass")
    done = check(course, copy)
    assert "note: cell 2 has an AttributeError: module 'numpy' has no attribute" in done.stdout
    hint = "attend_one` is not defined: its cell has a SyntaxError in line 1: expected ':'."
    assert done.stdout.count(hint) == 1
