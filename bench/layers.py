"""What the cost of a notebook is made of: the same cells and calls, with one layer more each time.

    floor   exec of the cells, and the calls, in one warm process
    shell   by IPython's shell, which keeps what the cells show and what the calls print
    forked  in a fork for each submission, cells, calls and answers travelling as frames
    walled  behind the wall, watched from the trusted side
    graded  from the submission's text to the graded notebook's

`python -m bench.layers LAYER CHAPTER COUNT` does the work of so many submissions; cost.py measures
it from outside.
"""

import gc
import json
import pickle
import subprocess
import sys
from collections.abc import Callable

import nbformat

from autograde import checks, cohort, notebook, sandbox, shell, submission
from autograde.plain import answer, frame, probed
from bench import forks
from tests.demo_class import notebook_of

COMPARED = """
import torch
x = torch.tensor([[1.0, 2.0, 4.0], [-3.0, 0.5, 0.0]], dtype=torch.float64)
mine = layer_norm(x.numpy(), np.ones(3), np.zeros(3))
assert np.allclose(mine, torch.nn.functional.layer_norm(x, (3,)).numpy())
"""
CHAPTERS = {"attention": "", "multi_head": "", "layer_norm": COMPARED}  # and what a student adds


def right(chapter: str) -> dict:
    """A right submission."""
    nb = notebook_of(chapter, {})
    if CHAPTERS[chapter]:
        nb["cells"].append(nbformat.v4.new_code_cell(CHAPTERS[chapter]))
    return nb


def floor(chapter: str, count: int) -> None:
    """exec, and nothing else."""
    steps = _steps(chapter)
    for _ in range(count):
        names: dict = {}
        for step in steps:
            exec(compile(step.source, "cell", "exec"), names)
            for call in step.calls:
                function = names[call.function]
                answer(probed(call.probe, function) if call.probe else function, call.arguments)


def in_shell(chapter: str, count: int) -> None:
    """By IPython's shell; what this process says from here on is kept and lost."""
    steps = _steps(chapter)
    warm = forks.warm(_settings(steps))
    for _ in range(count):
        own = shell.Notebook(warm)
        for step in steps:
            own.run(step.source, step.number)
            for call in step.calls:
                own.call(call.function, call.arguments, call.probe)


def forked(chapter: str, count: int) -> None:
    """In a fork for each submission, of a process that has imported what the warm one has."""
    steps = _steps(chapter)
    asked = []
    for step in steps:
        asked.append((frame({"run": step.source, "number": step.number}), 1))
        if step.calls:
            calls = b"".join(call.frame for call in step.calls)
            asked.append((frame({"calls": len(step.calls)}) + calls, len(step.calls)))
    given = pickle.dumps((_settings(steps), asked, count))
    subprocess.run([sys.executable, "-m", "bench.forks"], input=given, check=True)


def walled(chapter: str, count: int) -> None:
    """Behind the wall."""
    steps = _steps(chapter)
    behind = sandbox.Wall(_ahead(steps))
    gc.freeze()  # as the processes that grade do
    for _ in range(count):
        submission.run(steps, behind)
    behind.close()


def graded(chapter: str, count: int) -> None:
    """All that a process that grades does with a submission."""
    exercise = cohort.exercise_path(chapter).read_text("utf-8")
    task = cohort.Task(chapter, exercise, "bench", sandbox.Limits(), trusted=False)
    text = json.dumps(right(chapter))
    for _ in range(count):
        cohort.grade_text(text, task)


def _steps(chapter: str) -> list[submission.Cell]:
    """The cells of the right submission, and the calls that grading makes."""
    nb = notebook.parse(json.dumps(right(chapter)))
    nb = notebook.restore(nb, nbformat.read(cohort.exercise_path(chapter), as_version=4)).nb
    return [
        submission.Cell(
            cell.source, checks.find(chapter, name).calls("bench") if name else (), number
        )
        for number, cell, name in notebook.code(nb)
    ]


def _ahead(steps: list[submission.Cell]) -> tuple[str, ...]:
    """What is imported ahead for it."""
    return cohort.imported_ahead(("numpy",), (step.source for step in steps))


def _settings(steps: list[submission.Cell]) -> dict:
    """Those of a worker."""
    return {"output": sandbox.Limits().output, "preload": _ahead(steps)}


LAYERS: dict[str, Callable[[str, int], None]] = {
    "floor": floor,
    "shell": in_shell,
    "forked": forked,
    "walled": walled,
    "graded": graded,
}


if __name__ == "__main__":
    layer, chapter, count = sys.argv[1:]
    LAYERS[layer](chapter, int(count))
