"""Grade a class again after a check was mended, and say what changed."""

import csv
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path

import nbformat

from autograde import cohort, hand_back, hand_in, notebook
from autograde.cohort import Task
from autograde.grader import Graded
from autograde.record import AUTOGRADED, Recorder

LOG = cohort.GRADING / "regrades.csv"


@dataclass(frozen=True)
class Change:
    """A question of a student whose points would change.

    Attributes:
        when: in UTC.
        chapter, student, question: whose points.
        before, after: points by the old check and by the new one.
        recorded: the points that stand in the gradebook now.
        reason: why the class was graded again.
        seed: name of the seed of the hidden inputs.
    """

    when: str
    chapter: str
    student: str
    question: str
    before: float
    after: float
    recorded: float
    reason: str
    seed: str


def regrade(
    task: Task,
    executors: Callable[[], AbstractContextManager[Executor]],
    reason: str,
    never_lower: bool,
) -> tuple[list[Change], dict[str, Exception], int]:
    """Grade again everyone who was graded, record what changed and log it.

    Manual points and comments are left alone. A notebook is run only if something that its
    verdict depends on has changed since.

    Args:
        task: what to grade against; its questions are the only ones that change.
        executors: makes a place to grade in.
        reason: for the log.
        never_lower: whether a question keeps its old points where the new ones are fewer.

    Returns:
        (the changes, student -> the fault of ours that left everything as it was, how many others
        there are with a file that can be read).

    Raises:
        LookupError: nobody has handed in, or nobody has been graded.
        RuntimeError: the gradebook does not take the chapter.
    """
    worth = notebook.points(nbformat.reads(task.exercise, as_version=4))
    graded_before = {
        student: Graded.of(path.read_text("utf-8"))
        for student in hand_in.students(task.chapter)
        if (path := AUTOGRADED / student / task.chapter / f"{task.chapter}.ipynb").exists()
    }
    if not graded_before:
        raise LookupError(f"nobody has been graded in {task.chapter}; `grade` comes first")
    texts = (
        (student, text)
        for student, text in hand_in.collect(task.chapter, list(graded_before))
        if isinstance(text, str)
    )
    changes: list[Change] = []
    faults: dict[str, Exception] = {}
    count = 0
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with Recorder(task.chapter) as recorder:
        for student, result in cohort.grade_all(texts, task, executors):
            if isinstance(result, Exception):
                faults[student] = result
                continue
            count += 1
            old, take, found = graded_before[student], [], []
            for name, verdict in result.verdicts.items():
                before = worth[name] * old.verdicts[name].fraction if name in old.verdicts else 0.0
                after = worth[name] * verdict.fraction
                if not (never_lower and after < before):
                    take.append(name)
                if after != before:
                    kept = after if name in take else before
                    place = (now, task.chapter, student, name)
                    why = (reason, cohort.seed_id(task.seed))
                    found.append(Change(*place, before, after, kept, *why))
            _log(found)
            recorder.save(student, merged(old, result, take))
            changes += found
    return changes, faults, count


def merged(old: Graded, new: Graded, take: Iterable[str]) -> Graded:
    """The old graded notebook with some questions as they are in the new one."""
    take = set(take)
    tests = {name: cell for _, cell, name in notebook.code(new.nb) if name in take}
    nb = nbformat.from_dict(old.nb)
    for _, cell, name in notebook.code(nb):
        if name in tests:
            cell.outputs = tests[name].outputs
    verdicts = dict(old.verdicts) | {name: new.verdicts[name] for name in take}
    return replace(old, nb=nb, verdicts=verdicts)


def table(changes: list[Change]) -> str:
    """The changes side by side."""
    width = max([len(change.student) for change in changes] + [7])
    lines = [f"{'student':{width}}  {'question':24} before   now  recorded"]
    for change in sorted(changes, key=lambda change: (change.student, change.question)):
        points = f"{change.before:6.3g} {change.after:5.3g} {change.recorded:9.3g}"
        lines.append(f"{change.student:{width}}  {change.question:24} {points}")
    return "\n".join(lines)


def _log(changes: list[Change], path: Path = LOG) -> None:
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Change)])
        if new:
            writer.writeheader()
        writer.writerows(hand_back.inert(asdict(change)) for change in changes)
        file.flush()
        os.fsync(file.fileno())
