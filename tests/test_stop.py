"""Ctrl-C: one line that says how far the run came, and nothing that is graded is lost."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograde.wall import COURSE
from tests.demo_class import ALL, Student, hand_in, scores
from tests.kill import left, workers

SLOW = "import time\ntime.sleep(600)"
# Two workers, each of whom has a quick submission and then one that takes its time.
STUDENTS = [
    Student("ada", ALL),
    Student("ben", ALL, cell="1"),
    Student("cy_slow", ALL, cell=SLOW),
    Student("di_slow", ALL, cell=SLOW + "\n"),
    Student("eve", ALL, cell="2"),
]


def start(grading, *more):
    """Begin to grade, in a process group of its own that hears Ctrl-C, as a terminal does."""
    # Where the tests run in the background, they may not hear it, and so would all they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-m", "autograde", "grade", "attention", "--workers", "2", *more]
    return subprocess.Popen(
        command,
        cwd=COURSE,
        env=os.environ | {"GRADING": str(grading)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(there, run):
    """Wait until something is there."""
    while not there():
        assert run.poll() is None, run.communicate()[1]
        time.sleep(0.01)


@pytest.mark.parametrize("more", [(), ("--dask", "local")], ids=["workers", "dask"])
def test_ctrl_c_is_one_line_and_what_is_graded_is_kept(more, tmp_path):
    hand_in(STUDENTS, tmp_path)
    run = start(tmp_path, "--cell-seconds", "600", "--notebook-seconds", "600", *more)
    wait_for(lambda: {"ada", "ben"} <= scores_in(tmp_path), run)
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=120)
    assert said == (
        "autograde: stopped; 2 of 5 of attention are graded and kept. "
        "Run the same command again to go on\n"
    )
    assert run.returncode == 130
    assert left(run.pid) == []
    assert scores(tmp_path, "attention") == {"ada": ALL, "ben": ALL}
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "verdicts").iterdir()}
    assert len(kept) == 2
    if more:
        return
    # The same again goes on: nothing is graded twice.
    again = start(tmp_path, "--cell-seconds", "1", "--notebook-seconds", "600")
    assert again.communicate(timeout=120)[1] == ""
    assert again.returncode == 0
    assert scores(tmp_path, "attention").keys() == {student.name for student in STUDENTS}
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def scores_in(grading):
    """Who is recorded, whatever the moment."""
    return {path.parent.name for path in (grading / "autograded").glob("*/attention")}


def is_deaf(pid):
    """Whether a process ignores Ctrl-C."""
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
    return bool(int(ignored, 16) >> (signal.SIGINT - 1) & 1)


def test_workers_do_not_hear_ctrl_c_from_their_first_line_on(tmp_path):
    hand_in(STUDENTS[:2], tmp_path)
    run = start(tmp_path)
    # While a worker is started, the run itself does not hear it either.
    wait_for(lambda: len(workers(run.pid)) == 2 and not is_deaf(run.pid), run)
    os.killpg(run.pid, signal.SIGINT)
    _, said = run.communicate(timeout=120)
    assert re.fullmatch(r"autograde: stopped; \d of 2 of attention .* to go on\n", said)
    assert run.returncode == 130
    assert left(run.pid) == []


def test_a_worker_that_dies_while_it_is_sent_something_keeps_nobody_waiting():
    """The pipe to it holds less than what is sent, and it reads nothing: it is asleep."""
    program = """
import os, signal, time
from autograde import executors
from concurrent.futures import BrokenExecutor
if __name__ == "__main__":
    with executors.local(1) as pool:
        first = pool.submit(time.sleep, 600)
        rest = [pool.submit(len, bytes(10**6)) for _ in range(3)]
        while not first.running():
            time.sleep(0.01)
        time.sleep(0.5)
        (worker,) = pool._processes
        os.kill(worker, signal.SIGKILL)
        try:
            first.result()
        except BrokenExecutor:
            print("lost")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=COURSE, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("lost\n", 0), done.stderr
