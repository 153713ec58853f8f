"""The demo class, graded our way and nbgrader's: the same points in any order, nothing leaked."""

import csv
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import nbformat
import numpy as np
import pytest

from autograde import checks, cohort
from autograde.wall import COURSE
from tests.demo_class import ALL, CLASS, FAST, hand_in, notebook_of, scores

NBGRADER = Path(sys.executable).with_name("nbgrader")
EXPECTED = {student.name: student.expected for student in CLASS}
LIMITS = "{'cell_seconds': 5, 'call_seconds': 2, 'memory': 536870912}"


def run(command, grading, course=COURSE, **more):
    environment = os.environ | {"GRADING": str(grading)} | more
    return subprocess.run(
        [*map(str, command)],
        cwd=course,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def grade(grading, *options, course=COURSE):
    command = [sys.executable, "-m", "autograde", "grade", "attention", *FAST, *options]
    return run(command, grading, course)


def exported(grading):
    """Student -> points, of `nbgrader export`."""
    path = grading / "grades.csv"
    done = run([NBGRADER, "export", "--to", path], grading)
    assert done.returncode == 0, done.stderr
    with open(path, newline="", encoding="utf-8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def fetch(url, seconds):
    """The text at an address of this machine, as soon as it answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(10 * seconds):
        with suppress(urllib.error.URLError), opener.open(url) as answer:
            return answer.read()
        time.sleep(0.1)
    raise OSError(url)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """The demo class graded by two workers, and what the run printed."""
    grading = tmp_path_factory.mktemp("ours")
    hand_in(CLASS, grading)
    return grading, grade(grading, "--workers", "2")


def test_every_row_is_as_expected(ours):
    grading, done = ours
    assert scores(grading, "attention") == EXPECTED, done.stdout + done.stderr


def test_the_exit_code_says_that_one_submission_could_not_be_read(ours):
    _, done = ours
    assert done.returncode == 1
    row = r"^damaged .*not a notebook \(JSON\): .* line 1, column"
    assert re.search(row, done.stdout, re.MULTILINE)


def test_every_student_has_a_row_and_every_known_mistake_is_named(ours):
    grading, done = ours
    for student in CLASS:
        points = sum(student.expected.values())
        assert re.search(rf"^{student.name} +{points:g} ", done.stdout, re.MULTILINE)
        if student.name.startswith("mistake"):
            (wrong,) = (name for name, points in student.expected.items() if points < ALL[name])
            path = grading / "autograded" / student.name / "attention" / "attention.ipynb"
            text = path.read_text("utf-8")
            hints = checks.find("attention", wrong).mistakes
            assert any(json.dumps(hint, ensure_ascii=False)[1:-1] in text for hint in hints)


def test_a_second_run_finds_everything_graded_and_changes_nothing(ours):
    grading, _ = ours
    before = {path: path.stat().st_mtime_ns for path in (grading / "verdicts").iterdir()}
    grade(grading)
    assert {path: path.stat().st_mtime_ns for path in (grading / "verdicts").iterdir()} == before
    assert scores(grading, "attention") == EXPECTED


def test_any_order_and_one_worker_give_the_same(ours, tmp_path):
    hand_in(CLASS, tmp_path)
    shutil.copy(ours[0] / "course.key", tmp_path)
    names = [student.name for student in CLASS]
    random.Random(7).shuffle(names)
    grade(tmp_path, "--workers", "1", *(word for name in names for word in ("--student", name)))
    assert scores(tmp_path, "attention") == EXPECTED


def test_outputs_figures_and_points_are_kept_in_the_graded_notebook(ours):
    path = ours[0] / "autograded" / "draws" / "attention" / "attention.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    assert "image/png" in cells[0].outputs[0].data
    tests = [cell for cell in cells if cell.metadata.get("nbgrader", {}).get("grade")]
    results = [cell.outputs[-1].data["text/plain"] for cell in tests]
    assert results == ["4.0", "6.0", "6.0"]


def test_nbgrader_autograde_and_export_give_the_same_points(ours, tmp_path):
    hand_in(CLASS, tmp_path)
    shutil.copy(ours[0] / "course.key", tmp_path)
    made = run(
        [NBGRADER, "generate_assignment", "attention",
         f"--CourseDirectory.release_directory={tmp_path}/release"],
        tmp_path,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    done = run([NBGRADER, "autograde", "attention", f"--Grade.limits={LIMITS}"], tmp_path)
    assert "damaged" in done.stderr
    theirs = exported(tmp_path)
    assert theirs == exported(ours[0])
    assert theirs == {name: sum(points.values()) for name, points in EXPECTED.items()}


def test_where_nobody_is_missing_our_table_is_nbgrader_s_own_to_the_byte(ours, tmp_path):
    theirs = ["--exporter=nbgrader.plugins.CsvExportPlugin"]
    for name, options in (("ours", []), ("theirs", theirs)):
        done = run([NBGRADER, "export", f"--to={tmp_path / name}", *options], ours[0])
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_feedback_holds_no_hidden_test_and_no_expected_value(ours):
    grading, _ = ours
    done = run([NBGRADER, "generate_feedback", "attention"], grading)
    assert done.returncode == 0, done.stderr
    pages = {path.parent.parent.name: path for path in grading.glob("feedback/*/*/*.html")}
    assert set(pages) == set(EXPECTED)
    exercise = cohort.exercise_path("attention").read_text("utf-8")
    key = (grading / "course.key").read_text()
    seed = run(
        [sys.executable, "-c", "from autograde.cohort import task; print(task('attention').seed)"],
        grading,
    ).stdout.strip()
    secrets = {"HIDDEN TESTS", "autograde.checks", ".grade(", key, seed}
    for name in ALL:
        check = checks.find("attention", name)
        for call in check.calls(seed):
            right = check.reference(*call.arguments.values())
            for part in right if isinstance(right, tuple) else (right,):
                secrets |= {f"{x:.6g}" for x in np.ravel(part)}
    secrets = {secret for secret in secrets if len(secret) > 6 and secret not in exercise}
    assert len(secrets) > 100
    for student, page in pages.items():
        text = page.read_text("utf-8")
        assert not [secret for secret in secrets if secret in text], student
    assert "take the softmax over the keys" in pages["mistake_over_queries"].read_text("utf-8")


def test_formgrader_shows_the_class(ours):
    grading, _ = ours
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=demo"]
    command = [NBGRADER.with_name("jupyter"), "lab", "--no-browser", "--allow-root", *options]
    url = f"http://127.0.0.1:{port}/formgrader/api/submissions/attention?token=demo"
    environment = os.environ | {"GRADING": str(grading)}
    with (
        open(grading / "server.log", "w+") as log,
        subprocess.Popen(command, cwd=COURSE, env=environment, stdout=log, stderr=log) as server,
    ):
        try:
            rows = json.loads(fetch(url, seconds=60))
        except OSError:
            log.seek(0)
            pytest.fail(f"formgrader does not answer:\n{log.read()}")
        finally:
            server.kill()
    points = {row["student"]: row["score"] for row in rows if row["autograded"]}
    assert points == {name: sum(expected.values()) for name, expected in EXPECTED.items()}


@pytest.mark.parametrize("chapter", sorted(path.name for path in (COURSE / "exercises").iterdir()))
def test_an_exercise_is_what_its_solution_makes_byte_for_byte(chapter, tmp_path):
    release = f"--CourseDirectory.release_directory={tmp_path}/release"
    done = run([NBGRADER, "generate_assignment", chapter, release], tmp_path)
    assert done.returncode == 0, done.stderr
    fresh = (tmp_path / "release" / chapter / f"{chapter}.ipynb").read_bytes()
    assert fresh == cohort.exercise_path(chapter).read_bytes()


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("\ndel attention\n", "has no check named attention"),
        ("\nattention.reference.__code__ = (lambda Q, K, V: 1 / 0).__code__\n", "the reference of"),
    ],
)
def test_a_fault_of_ours_is_ours_and_no_zero(broken, reason, tmp_path):
    course = tmp_path / "course"
    ignored = shutil.ignore_patterns(".*", "_build", "grading", "book", "tests", "bench")
    shutil.copytree(COURSE, course, ignore=ignored)
    with open(course / "autograde" / "checks" / "attention.py", "a") as file:
        file.write(broken)
    grading = tmp_path / "grading"
    hand_in([student for student in CLASS if student.name in ("right", "untouched")], grading)
    done = grade(grading, course=course)
    assert done.returncode == 1
    assert re.search(rf"^right +not graded, our fault: .*{reason}", done.stdout, re.MULTILINE), (
        done.stdout
    )
    assert scores(grading, "attention") == {}


def test_a_student_with_an_odd_name_and_hand_ins_that_are_not_files(tmp_path):
    right = json.dumps(notebook_of("attention", {}))
    submitted = tmp_path / "submitted"
    for name in ("李 雷+1", "link", "pipe", "misnamed", "folder_link"):
        (submitted / name / "attention").mkdir(parents=True)
    (submitted / "李 雷+1/attention/attention.ipynb").write_text(right)
    (submitted / "misnamed/attention/Attention.ipynb").write_text(right)
    os.mkfifo(submitted / "pipe/attention/attention.ipynb")
    target = submitted / "李 雷+1/attention/attention.ipynb"
    (submitted / "link/attention/attention.ipynb").symlink_to(target)
    (submitted / "folder_link/attention").rmdir()
    (submitted / "folder_link/attention").symlink_to(target.parent)
    done = grade(tmp_path)
    assert done.returncode == 1
    points = {name: sum(of.values()) for name, of in scores(tmp_path, "attention").items()}
    assert points == {"李 雷+1": 16, "link": 0, "pipe": 0, "misnamed": 0, "folder_link": 0}
    for reason in (
        "attention.ipynb is a link",
        "attention.ipynb is not a regular file",
        "attention.ipynb is missing; found: Attention.ipynb",
        "attention is a link",
    ):
        assert reason in done.stdout


def test_nothing_is_written_for_a_chapter_that_does_not_exist(tmp_path):
    command = [sys.executable, "-m", "autograde", "grade", "attentoin"]
    done = run(command, tmp_path / "grading")
    assert done.returncode == 2
    assert "there are: attention, " in done.stderr
    assert not (tmp_path / "grading").exists()
