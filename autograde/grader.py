"""One notebook in, its graded notebook and verdicts out: grading from top to bottom."""

from collections.abc import Mapping
from dataclasses import dataclass

from nbformat import NotebookNode

from autograde import checks, notebook, sandbox, submission
from autograde.check import Verdict


@dataclass(frozen=True)
class Graded:
    """A graded submission.

    Attributes:
        nb: the notebook with outputs, points and hints.
        verdicts: function -> verdict, in the notebook's order.
        remarks: what was mended in the notebook, and the limits that its cells hit.
        readable: whether there was a notebook to grade at all.
    """

    nb: NotebookNode
    verdicts: Mapping[str, Verdict]
    remarks: tuple[str, ...]
    readable: bool = True


def grade(
    submitted: NotebookNode,
    exercise: NotebookNode,
    chapter: str,
    seed: str,
    wall: sandbox.Wall | sandbox.NoWall,
    limits: sandbox.Limits,
) -> Graded:
    """Run a submission behind the wall and judge its answers on this side.

    Raises:
        LookupError: an exercise has no check.
        RuntimeError: a reference fails.
        sandbox.SandboxError: the wall fails. All three are our fault, and no points are taken.
    """
    restored = notebook.restore(submitted, exercise)
    cells = list(notebook.code(restored.nb))
    wanted = {name: checks.find(chapter, name) for _, _, name in cells if name}
    calls = {name: check.calls(seed) for name, check in wanted.items()}
    steps = [submission.Cell(cell.source, calls.get(name, [])) for _, cell, name in cells]
    results = submission.run(steps, wall, limits)
    ran = {number: result for (number, _, _), result in zip(cells, results, strict=True)}
    verdicts = {
        name: wanted[name].judge(ran[number].answers, seed) for number, _, name in cells if name
    }
    limits_hit = [f"cell {number}: {ran[number].ended}" for number in ran if ran[number].ended]
    nb = notebook.write(restored, ran, verdicts)
    return Graded(nb, verdicts, (*restored.remarks, *limits_hit))


def unreadable(exercise: NotebookNode, reason: str) -> Graded:
    """The graded notebook of a submission that nothing can be read from: no points, and why."""
    verdicts = {name: Verdict(0.0, reason) for name in notebook.points(exercise)}
    restored = notebook.Restored(exercise, (reason,))
    ran = {number: submission.Ran([]) for number, _, _ in notebook.code(exercise)}
    nb = notebook.write(restored, ran, verdicts)
    return Graded(nb, verdicts, (reason,), readable=False)
