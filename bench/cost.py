"""CPU seconds a notebook costs: ours, nbgrader as it comes, and the floor.

The same submissions go three ways, in alternation: `python -m autograde grade` with the gradebook
written; `nbgrader autograde` with its own settings, the checks running in the student's kernel; and
the floor, which is the same cells and calls in one warm process with no wall and no record. A cost
is marginal: that of a class of `MANY` less that of a class of `FEW`, for one notebook.
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
import time
from pathlib import Path

import nbformat

from autograde import checks, cohort, notebook
from autograde.wall import COURSE
from tests.demo_class import notebook_of

FEW, MANY, ROUNDS = 2, 22, 3
CHAPTERS = ("attention", "self_attention", "multi_head")  # the last one imports torch
PLAIN = """
c = get_config()
c.CourseDirectory.course_id = "plain"
c.IncludeHeaderFooter.header = ""
"""


def hand_in(folder: Path, chapter: str, count: int) -> None:
    """`count` right submissions that differ in a comment, so that no cache helps."""
    for number in range(count):
        nb = notebook_of(chapter, {})
        nb["cells"].insert(0, json.loads(json.dumps(nbformat.v4.new_code_cell(f"# {number}"))))
        path = folder / f"student{number}" / chapter / f"{chapter}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(nb), "utf-8")


def cpu_of(command: list[str], cwd: Path, **more: str) -> float:
    """CPU seconds of a command and everything it starts."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
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
    course, tool = scratch / f"nbgrader-{count}", str(Path(sys.executable).with_name("nbgrader"))
    if not course.exists():
        shutil.copytree(COURSE / "solutions" / chapter, course / "source" / chapter)
        (course / "nbgrader_config.py").write_text(PLAIN)
        hand_in(course / "submitted", chapter, count)
        cpu_of([tool, "generate_assignment", chapter], course)
    return cpu_of([tool, "autograde", chapter, "--force"], course, PYTHONPATH=str(COURSE))


def floor(chapter: str, count: int) -> float:
    """The same cells and calls in this very process, judged, nothing written."""
    nb = notebook.parse(json.dumps(notebook_of(chapter, {})))
    nb = notebook.restore(nb, nbformat.read(cohort.exercise_path(chapter), as_version=4)).nb
    before = time.process_time()
    for _ in range(count):
        names: dict = {}
        for _, cell, name in notebook.code(nb):
            exec(compile(cell.source, "cell", "exec"), names)
            if name:
                checks.find(chapter, name).verdict(names[name], "bench")
    return time.process_time() - before


def main() -> None:
    """Print the table, then one ratio a line."""
    ratios: dict[str, list[float]] = {"nbgrader_over_ours": [], "ours_over_floor": []}
    print(f"CPU milliseconds a notebook, marginal, median of {ROUNDS} rounds")
    print(f"{'chapter':16} {'nbgrader':>9} {'ours':>9} {'floor':>9}")
    for chapter in CHAPTERS:
        cohort.task(chapter)
        costs: dict[str, list[float]] = {"nbgrader": [], "ours": [], "floor": []}
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            for _ in range(ROUNDS):
                for way, cost in (("ours", ours), ("nbgrader", nbgrader)):
                    many, few = (cost(scratch, chapter, count) for count in (MANY, FEW))
                    costs[way].append((many - few) / (MANY - FEW))
                floor(chapter, 1)
                costs["floor"].append(floor(chapter, MANY) / MANY)
        middle = {way: 1000 * statistics.median(values) for way, values in costs.items()}
        print(f"{chapter:16} " + " ".join(f"{middle[way]:9.1f}" for way in middle))
        ratios["nbgrader_over_ours"].append(middle["nbgrader"] / middle["ours"])
        ratios["ours_over_floor"].append(middle["ours"] / middle["floor"])
    for name, values in ratios.items():
        print(f"{name} {statistics.geometric_mean(values):.1f}")


if __name__ == "__main__":
    main()
