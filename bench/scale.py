"""A class of a thousand: is every notebook graded right, at the cost that it has at a hundred?

One chapter, one submission in twenty hostile. The right ones differ in a comment, the hostile ones
are some files of `tests/hostile`, each as often in a large class as in a small one. Memory is that
of the process that leads the run.

And Dask: how many times as fast are two workers as one? The leading process records what they
grade, on the same processors; so this is asked of a chapter whose notebooks compute for a while,
and of the time from a small class to a larger one, for which a cluster's start does not count.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat

from autograde import cohort, notebook
from autograde.wall import COURSE
from tests import demo_class
from tests.demo_class import ALL, Student, notebook_of, scores
from tests.test_hostile import ATTACKS, attack_of, hand_in, stated

CHAPTER = "attention"
ROUNDS = {10: 5, 100: 5, 1000: 1}  # size -> runs; what starts costs a small class most, and varies
HOSTILE = 20  # one submission in so many
KINDS = [path for path in ATTACKS if path.stem in {
    "disk_read_hidden_tests", "ipython_hook_run_cell", "monkeypatch_numpy_module",
    "protocol_forgery_pickle", "reference_theft_import",
}]  # fmt: skip
DASK = "masking"  # a notebook takes a quarter of a second by itself, without any grader
DASK_SIZES = (10, 90)  # submissions that one worker of Dask gets, and then two
DASK_ROUNDS = 3  # of which the median counts
LIMITS = ("--cell-seconds", "5", "--call-seconds", "2")


@dataclass(frozen=True)
class Run:
    """What grading a class took.

    Attributes:
        count: submissions.
        seconds: on the clock.
        cpu: seconds of processor time of all processes.
        memory: MiB of the leading process, ten times a second.
        right: how many got exactly the points they should.
    """

    count: int
    seconds: float
    cpu: float
    memory: list[float]
    right: int


def make_class(grading: Path, count: int) -> dict[str, dict[str, float]]:
    """Hand in `count` submissions; student -> the points they should get."""
    expected = {}
    for number in range(count):
        student = f"student{number:04}"
        expected[student] = ALL
        attack = KINDS[number // HOSTILE % len(KINDS)] if number % HOSTILE == 10 else None
        if attack:
            expected[student] = dict.fromkeys(ALL, 0.0) | {"attention": stated(attack)[0]}
        nb = attack_of(attack) if attack else notebook_of(CHAPTER, {})
        hand_in(grading, student, nb, f"# {student}")
    return expected


def grade(grading: Path, chapter: str, expected: dict[str, dict[str, float]], *more: str) -> Run:
    """Grade a class once, from nothing, and look at the points in its gradebook."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        run = subprocess.Popen(
            [sys.executable, "-m", "autograde", "grade", chapter, *LIMITS, *more],
            cwd=COURSE,
            env=os.environ | {"GRADING": str(grading)},
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        memory = []
        while run.poll() is None:
            memory.append(_resident(run.pid))
            time.sleep(0.1)
        seconds = time.monotonic() - start
        if run.returncode:
            said.seek(0)
            raise SystemExit(said.read())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = scores(grading, chapter)
    right = sum(found.get(student) == points for student, points in expected.items())
    return Run(len(expected), seconds, cpu, [m for m in memory if m], right)


def _resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / 2**20


def measure() -> list[Run]:
    """Grade a class of each size, by the run of median cost; printed too."""
    print(f"\n{CHAPTER}, one submission in {HOSTILE} hostile, {os.cpu_count()} processors")
    print(f"{'submissions':>11} {'right':>6} {'seconds':>8} {'CPU s':>7} {'CPU ms each':>11}"
          f" {'MiB at the start':>17} {'half-way':>9} {'end':>6}", flush=True)  # fmt: skip
    runs = []
    for count, rounds in ROUNDS.items():
        of = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as name:
                of.append(grade(Path(name), CHAPTER, make_class(Path(name), count)))
        of.sort(key=lambda run: run.cpu)
        run = replace(of[rounds // 2], right=min(run.right for run in of))
        runs.append(run)
        early, half, late = (run.memory[len(run.memory) * at // 10] for at in (3, 5, 9))
        print(f"{count:11} {run.right:6} {run.seconds:8.1f} {run.cpu:7.1f} "
              f"{1000 * run.cpu / count:11.1f} {early:17.0f} {half:9.0f} {late:6.0f}",
              flush=True)  # fmt: skip
    return runs


def per_notebook(runs: list[Run]) -> float:
    """The marginal CPU cost of a notebook from 100 to 1,000, over that from 10 to 100."""
    ten, hundred, thousand = runs
    return ((thousand.cpu - hundred.cpu) / (thousand.count - hundred.count)) / (
        (hundred.cpu - ten.cpu) / (hundred.count - ten.count)
    )


def dask() -> float:
    """How many times as fast two workers of Dask are as one, by the marginal time; printed too.

    Raises:
        SystemExit: they give different verdict files.
    """
    worth = notebook.points(nbformat.read(cohort.exercise_path(DASK), as_version=4))
    seconds: dict[str, list[float]] = {"1": [], "2": []}
    with tempfile.TemporaryDirectory() as name:
        for count in DASK_SIZES:
            # The same files for all, and the same hidden inputs, by the key that lies beside them.
            given = Path(name, str(count))
            names = [f"student{number:04}" for number in range(count)]
            demo_class.hand_in(
                [Student(of, {}, chapter=DASK, cell=f"# {of}") for of in names], given
            )
            (given / "course.key").write_text("00" * 32)
            expected = dict.fromkeys(names, worth)
            taken: dict[str, list[float]] = {workers: [] for workers in seconds}
            kept = []
            for turn in range(DASK_ROUNDS):
                for workers in seconds:
                    grading = shutil.copytree(given, given.with_name(f"{count}-{turn}-{workers}"))
                    run = grade(grading, DASK, expected, "--dask", "local", "--workers", workers)
                    taken[workers].append(run.seconds)
                    verdicts = (grading / "verdicts").iterdir()
                    kept.append({path.name: path.read_bytes() for path in verdicts})
                    print(f"Dask, {DASK}, {workers} workers: {run.seconds:.1f} s, "
                          f"{run.right} of {count} right", flush=True)  # fmt: skip
            if any(files != kept[0] or len(files) != count for files in kept):
                raise SystemExit("one worker and two gave different verdict files")
            for workers in seconds:
                seconds[workers].append(statistics.median(taken[workers]))
    print("one worker and two: the same verdict files, byte for byte")
    one, two = (large - small for small, large in seconds.values())
    return one / two
