"""CPU seconds a notebook costs: ours beside nbgrader, otter-grader, and the floor.

The same right submissions go all ways, in alternation in one run:

    nbgrader  `nbgrader autograde` with its own settings, the checks running in the student's kernel
    otter     otter-grader's API, one call a notebook, the checks running in the student's kernel
    ours      `python -m autograde grade`, from the submitted files to the gradebook

and the layers that ours is made of, from the bare cells and calls on (layers.py).

One chapter needs NumPy only; one has an exercise in torch; and one has submissions whose authors
have compared their answer with torch's, in a cell of their own.

A cost is marginal: that of a larger class less that of a smaller one, for one notebook. otter
gets a virtual environment of its own, in `_build/otter`, since nothing else here needs it.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import nbformat

from autograde import cohort, notebook, wall
from autograde.wall import COURSE
from bench.layers import CHAPTERS, LAYERS, right

ROUNDS = 3
COUNTS = {  # way -> the sizes of its two classes
    "nbgrader": (1, 6),
    "otter": (1, 6),
    "ours": (4, 64),
    "graded": (4, 64),
    "walled": (4, 64),
    "forked": (4, 64),
    "shell": (4, 64),
    "floor": (4, 244),
}
OTTER = COURSE / "_build" / "otter"
OTTER_VERSION = "7.0.0"
OTTER_NEEDS = (
    f"otter-grader=={OTTER_VERSION}",
    "ipykernel",
    "torch==2.13.0",
    "numpy",
    "matplotlib",
)
OTTER_TEST = """
OK_FORMAT = True
test = {{"name": "{name}", "points": 1, "suites": [{{"type": "doctest", "scored": True, "setup": "",
    "teardown": "", "cases": [{{"hidden": True, "locked": False, "code":
    ">>> from autograde.checks import {chapter} as checks\\n>>> checks.{name}.grade({name})"}}]}}]}}
"""
OTTER_RUN = """
import sys
from pathlib import Path
from otter.api import grade_submission
for path in sorted(Path(sys.argv[2]).rglob("*.ipynb")):
    graded = grade_submission(str(path), sys.argv[1], quiet=True)
    assert graded.total == graded.possible > 0, path
"""
PLAIN = """
c = get_config()
c.CourseDirectory.course_id = "plain"
c.IncludeHeaderFooter.header = ""
"""


def hand_in(folder: Path, chapter: str, count: int) -> None:
    """`count` right submissions that differ in a comment, so that no cache helps."""
    for number in range(count):
        nb = right(chapter)
        nb["cells"].insert(0, nbformat.v4.new_code_cell(f"# {number}"))
        path = folder / f"student{number:04}" / chapter / f"{chapter}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(nb), "utf-8")


def cpu_of(command: list[str], cwd: Path, **more: str) -> float:
    """CPU seconds of a command and everything it starts."""
    path = os.pathsep.join([str(Path(command[0]).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path} | more
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(scratch: Path, chapter: str, count: int) -> float:
    """`python -m autograde grade`, from the submitted files to the gradebook."""
    grading = scratch / f"ours-{count}"
    if not grading.exists():
        hand_in(grading / "submitted", chapter, count)
    command = [sys.executable, "-m", "autograde", "grade", chapter, "--again", "--workers", "1"]
    return cpu_of(command, COURSE, GRADING=str(grading))


def nbgrader(scratch: Path, chapter: str, count: int) -> float:
    """`nbgrader autograde` with the settings it comes with."""
    course = scratch / f"nbgrader-{count}"
    tool = str(Path(sysconfig.get_path("scripts"), "nbgrader"))
    if not course.exists():
        shutil.copytree(COURSE / "solutions" / chapter, course / "source" / chapter)
        (course / "nbgrader_config.py").write_text(PLAIN)
        hand_in(course / "submitted", chapter, count)
        cpu_of([tool, "generate_assignment", chapter], course)
    return cpu_of([tool, "autograde", chapter, "--force"], course, PYTHONPATH=str(COURSE))


def otter(scratch: Path, chapter: str, count: int) -> float:
    """otter-grader's API in one process, over all notebooks."""
    if not (OTTER / "ready").exists():
        venv.create(OTTER, with_pip=True)
        pip = [str(OTTER / "bin" / "pip"), "install", "--quiet", *OTTER_NEEDS]
        subprocess.run(pip, check=True)
        (OTTER / "ready").touch()
    folder = scratch / f"otter-{count}"
    if not folder.exists():
        hand_in(folder / "submitted", chapter, count)
        (folder / "tests").mkdir()
        exercise = nbformat.read(cohort.exercise_path(chapter), as_version=4)
        for name in notebook.points(exercise):
            test = OTTER_TEST.format(name=name, chapter=chapter)
            (folder / "tests" / f"{name}.py").write_text(test)
        make = [str(OTTER / "bin" / "otter"), "generate", "-t", "tests", "-o", "autograder.zip"]
        cpu_of([*make, "--no-environment", "--no-requirements"], folder)
    run = [str(OTTER / "bin" / "python"), "-c", OTTER_RUN, "autograder.zip", "submitted"]
    return cpu_of(run, folder, PYTHONPATH=str(COURSE))


def layer(name: str) -> Callable[[Path, str, int], float]:
    """One of the layers, in a process of its own, with one thread as behind the wall."""

    def cost(_: Path, chapter: str, count: int) -> float:
        command = [sys.executable, "-m", "bench.layers", name, chapter, str(count)]
        return cpu_of(command, COURSE, **wall.environment())

    return cost


WAYS: dict[str, Callable[[Path, str, int], float]] = {
    "nbgrader": nbgrader,
    "otter": otter,
    "ours": ours,
} | {name: layer(name) for name in reversed(LAYERS)}


def measure() -> dict[str, dict[str, float]]:
    """Chapter -> way -> CPU milliseconds of a notebook, the median of all rounds; printed too."""
    print(f"CPU milliseconds a notebook, marginal, median of {ROUNDS} rounds")
    print(f"{'chapter':16} " + " ".join(f"{way:>9}" for way in WAYS), flush=True)
    table = {}
    for chapter in CHAPTERS:
        costs: dict[str, list[float]] = {way: [] for way in WAYS}
        with tempfile.TemporaryDirectory() as name:
            for _ in range(ROUNDS):
                for way, cost in WAYS.items():
                    few, many = COUNTS[way]
                    more = cost(Path(name), chapter, many) - cost(Path(name), chapter, few)
                    costs[way].append(1000 * more / (many - few))
        table[chapter] = {way: statistics.median(values) for way, values in costs.items()}
        row = " ".join(f"{cost:9.1f}" for cost in table[chapter].values())
        print(f"{chapter:16} {row}", flush=True)
    return table


def parts(row: dict[str, float]) -> dict[str, float]:
    """Part of what grading does -> CPU milliseconds of a notebook: a layer less the one below."""
    below = [*WAYS][[*WAYS].index("ours") + 1 :]
    names = ("record", "read, judge, write", "wall, watch", "fork, frames", "IPython")
    costs = [row[way] for way in ("ours", *below)]
    differences = [one - other for one, other in pairwise(costs)]
    return dict(zip(names, differences, strict=True)) | {"cells, calls": costs[-1]}


def ratios(table: dict[str, dict[str, float]]) -> dict[str, float]:
    """Name -> how many times one way costs as much as another, geometric mean of the chapters."""

    def over(one: str, other: str) -> float:
        return statistics.geometric_mean([row[one] / row[other] for row in table.values()])

    return {
        "nbgrader_over_ours": over("nbgrader", "ours"),
        "otter_over_ours": over("otter", "ours"),
        "ours_over_floor": over("ours", "floor"),
        "walled_over_floor": over("walled", "floor"),
    }
