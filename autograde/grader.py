"""One notebook in, its graded notebook and verdicts out: grading from top to bottom."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import nbformat
from nbformat import NotebookNode

from autograde import checks, notebook, sandbox, submission
from autograde.check import Verdict
from autograde.plain import UNDEFINED
from autograde.submission import Ran


@dataclass(frozen=True)
class Origin:
    """What a graded submission was made from, as digests.

    Attributes:
        text: of the file handed in.
        release: of the exercise and its hidden inputs.
        method: of the code, the limits and the wall, or its absence, that it was graded with.
    """

    text: str
    release: str
    method: str


@dataclass(frozen=True)
class Graded:
    """A graded submission.

    Attributes:
        nb: the notebook with outputs, points and hints.
        verdicts: function -> verdict, in the notebook's order.
        remarks: what was mended in the notebook, the limits that its cells hit, and what an
            instructor should look at.
        readable: whether there was a notebook to grade at all.
        origin: what it was made from; None if there was no text to be read.
    """

    nb: NotebookNode
    verdicts: Mapping[str, Verdict]
    remarks: tuple[str, ...]
    readable: bool = True
    origin: Origin | None = None

    def text(self) -> str:
        """As a notebook file, which holds all of it in its metadata."""
        ours = {
            "verdicts": {name: vars(verdict) for name, verdict in self.verdicts.items()},
            "remarks": self.remarks,
            "readable": self.readable,
            "origin": self.origin and vars(self.origin),
        }
        # Not indented: for that, Python would write it ten times as slowly.
        nb = {**self.nb, "metadata": {**self.nb.metadata, "autograde": ours}}
        return json.dumps(nb, ensure_ascii=False) + "\n"

    @classmethod
    def of(cls, text: str) -> "Graded":
        """A graded submission of its file's text.

        Raises:
            ValueError: the file holds none, or one of another version.
        """
        nb = nbformat.from_dict(json.loads(text))
        try:
            kept = nb.metadata.autograde
            verdicts = {name: Verdict(**verdict) for name, verdict in kept.verdicts.items()}
            origin = None if kept.origin is None else Origin(**kept.origin)
            return cls(nb, verdicts, tuple(kept.remarks), kept.readable, origin)
        except (AttributeError, TypeError):
            raise ValueError("this notebook was not graded by this autograde") from None


@dataclass(frozen=True)
class Tried:
    """A submission that has run, before anything is judged.

    Attributes:
        restored: the notebook in the exercise's form.
        calls: function -> the calls made to it.
        ran: number of a code cell -> what it gave.
        tests: function -> the number of the cell that tests it.
    """

    restored: notebook.Restored
    calls: Mapping[str, Sequence[submission.Call]]
    ran: Mapping[int, Ran]
    tests: Mapping[str, int]


def attempt(
    submitted: NotebookNode,
    exercise: NotebookNode,
    chapter: str,
    seed: str,
    wall: sandbox.Wall | sandbox.NoWall,
    limits: sandbox.Limits,
    questions: Collection[str] = (),
) -> Tried:
    """Run a submission behind the wall and make the calls to the functions that are tested.

    Args:
        submitted: the notebook handed in.
        exercise: the one released.
        chapter: where the checks are.
        seed: of the checks' inputs.
        wall: where to run.
        limits: what the run may use.
        questions: the functions to call; none means all. What comes after the last is not run.

    Raises:
        LookupError: an exercise has no check.
        sandbox.SandboxError: the wall fails. Both are our fault.
    """
    restored = notebook.restore(submitted, exercise)
    cells = list(notebook.code(restored.nb))
    tests = {name: number for number, _, name in cells if name}
    wanted = [name for name in tests if name in questions or not questions]
    calls = {name: checks.find(chapter, name).calls(seed) for name in wanted}
    # Nothing that is asked for depends on what comes after the last question.
    last = max(tests[name] for name in questions) if questions else len(restored.nb.cells)
    steps = [
        submission.Cell(cell.source, calls.get(name, ()), number)
        for number, cell, name in cells
        if number <= last
    ]
    results = submission.run(steps, wall, limits)
    ran = dict.fromkeys((number for number, _, _ in cells), Ran([]))
    ran |= {step.number: result for step, result in zip(steps, results, strict=True)}
    for name in wanted:
        fault = notebook.fault(restored.nb, name, ran)
        if fault:
            given = ran[tests[name]]
            explained = [
                replace(answer, error=f"{answer.error}: {fault}") if answer == UNDEFINED else answer
                for answer in given.answers
            ]
            ran[tests[name]] = replace(given, answers=explained)
    return Tried(restored, calls, ran, tests)


def grade(
    submitted: NotebookNode,
    exercise: NotebookNode,
    chapter: str,
    seed: str,
    wall: sandbox.Wall | sandbox.NoWall,
    limits: sandbox.Limits,
    questions: Collection[str] = (),
) -> Graded:
    """Run a submission behind the wall and judge its answers on this side.

    The arguments are those of `attempt`; functions that are not called get no verdict.

    Raises:
        LookupError: an exercise has no check.
        RuntimeError: a reference fails.
        sandbox.SandboxError: the wall fails. All three are our fault, and no points are taken.
    """
    tried = attempt(submitted, exercise, chapter, seed, wall, limits, questions)
    wanted = {name: checks.find(chapter, name) for name in tried.calls}
    verdicts = {
        name: check.judge(tried.ran[tried.tests[name]].answers, seed)
        for name, check in wanted.items()
    }
    ready_made = {of: name for name, check in wanted.items() for of in check.from_scratch}
    look = [
        f"to look at: cell {number}, line {line} uses {of}; {ready_made[of]} is to be from scratch"
        for number, line, of in notebook.used(tried.restored.nb, ready_made)
    ]
    look += [
        f"to look at: {name} uses {of}, which only a visible example defines"
        for name, of in notebook.borrowed(tried.restored.nb)
    ]
    look += [
        f"to look at: cell {number} is too long to be looked through for what it uses"
        for number in notebook.too_long(tried.restored.nb)
    ]
    limits_hit = [f"cell {number}: {ran.ended}" for number, ran in tried.ran.items() if ran.ended]
    nb = notebook.write(tried.restored, tried.ran, verdicts)
    return Graded(nb, verdicts, (*tried.restored.remarks, *limits_hit, *look))


def unreadable(exercise: NotebookNode, reason: str) -> Graded:
    """The graded notebook of a submission that nothing can be read from: no points, and why."""
    verdicts = {name: Verdict(0.0, reason) for name in notebook.points(exercise)}
    restored = notebook.Restored(exercise, (reason,))
    ran = {number: Ran([]) for number, _, _ in notebook.code(exercise)}
    above = Verdict(0.0, "The file could not be read: see the top of this page.")
    nb = notebook.write(restored, ran, dict.fromkeys(verdicts, above))
    nb.cells.insert(
        0, notebook.note("**This file could not be read.** Nothing was graded.", reason)
    )
    return Graded(nb, verdicts, (reason,), readable=False)
