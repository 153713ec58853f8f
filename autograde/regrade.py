"""Grade a class again after a check was mended, and say what changed."""

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry

from autograde import cohort, hand_back, hand_in, notebook, report
from autograde.cohort import Task
from autograde.executors import uninterrupted
from autograde.grader import Graded, Origin
from autograde.grading import recorded, stoppable
from autograde.notebook import TEST
from autograde.record import AUTOGRADED, Recorder

LOG = cohort.GRADING / "regrades.csv"


@dataclass(frozen=True)
class Change:
    """A question of a student whose points would change.

    Attributes:
        when: in UTC.
        chapter, student, question: whose points.
        before, after: points by the old check and by the new one.
        recorded: the points that count in the gradebook from now on; they may be given by hand.
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


@dataclass(frozen=True)
class Outcome:
    """What became of a class.

    Attributes:
        rows: student -> what became of the submission; who was left out has no points there.
        changes: the questions whose points changed, as they are logged.
        spared: those that keep their old points, as the new ones are fewer.
        hints: the students who have another hint for the same points.
    """

    rows: dict[str, report.Row] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    spared: list[Change] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)


def students(chapter: str) -> list[str]:
    """Who has handed in a chapter.

    Raises:
        LookupError: nobody has, or nobody has been graded.
    """
    found = hand_in.students(chapter)
    if not any((AUTOGRADED / student / chapter).is_dir() for student in found):
        raise LookupError(f"nobody has been graded in {chapter}; `grade` comes first")
    return found


def regrade(
    task: Task,
    executors: Callable[[], AbstractContextManager[Executor]],
    reason: str,
    never_lower: bool,
) -> Outcome:
    """Grade again everyone who was graded, record what changed and log it.

    Manual points and comments are left alone. A notebook is run only if something that its
    verdict depends on has changed since. Whose file is not the one that was graded is left out.

    Args:
        task: what to grade against; its questions are the only ones that change.
        executors: makes a place to grade in.
        reason: for the log.
        never_lower: whether a question keeps its old points where the new ones are fewer.

    Raises:
        LookupError: nobody has handed in, or nobody has been graded.
        RuntimeError: the gradebook does not take the chapter.
        KeyboardInterrupt: the user stops it; the message says how far it came.
    """
    worth = notebook.points(nbformat.reads(task.exercise, as_version=4))
    names = task.questions or tuple(worth)
    of, method = students(task.chapter), cohort.method(task)
    when, seed = datetime.now(UTC).isoformat(timespec="seconds"), cohort.seed_id(task.seed)
    done = Outcome()
    graded_before: dict[str, Graded] = {}

    def unchanged() -> Iterator[tuple[str, str]]:
        for student, text in hand_in.collect(task.chapter, of):
            before = recorded(student, task.chapter)
            now = cohort.origin(text, task) if isinstance(text, str) else None
            why = hand_in.no_student(student, task.chapter) or _not_the_same(before, now)
            if before is None or why:
                done.rows[student] = report.Row(remarks=(f"left as it was: {why}",))
            elif isinstance(text, str):
                graded_before[student] = before
                yield student, text
            else:
                done.rows[student] = report.row(before, worth, {}, method)

    with (
        stoppable(task.chapter, done.rows, of),
        Recorder(task.chapter) as recorder,
        closing(cohort.grade_all(unchanged(), task, executors)) as results,
    ):
        for student, result in results:
            old = graded_before.pop(student)
            try:
                if isinstance(result, Exception):
                    raise result
                points = _points(old, result, {name: worth[name] for name in names})
                keep = {name for name, (was, now) in points.items() if never_lower and now < was}
                found = []
                for name, (was, now) in points.items():
                    ours = was if name in keep else now
                    counts = _that_count(recorder.gradebook, task.chapter, student, name, ours)
                    place = (when, task.chapter, student, name)
                    found.append(Change(*place, was, now, counts, reason, seed))
                changes = [change for change in found if change.question not in keep]
                take = {*names} - keep
                new = merged(old, result, take) if task.questions else merged(result, old, keep)
                with uninterrupted():
                    _log(changes)  # first: what is killed then is logged again, and never unlogged
                    by_hand = recorder.save(student, new)
            except Exception as error:  # whatever it is, the others are graded
                done.rows[student] = report.Row(remarks=(f"left as it was, our fault: {error}",))
                continue
            done.rows[student] = report.row(new, worth, by_hand, method)
            done.changes.extend(changes)
            done.spared.extend(change for change in found if change.question in keep)
            if any(result.verdicts[name] != old.verdicts[name] for name in take - points.keys()):
                done.hints.append(student)
    return done


def _points(old: Graded, new: Graded, worth: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Question -> its points before and now, where they differ."""
    points = {
        name: (of * old.verdicts[name].fraction, of * new.verdicts[name].fraction)
        for name, of in worth.items()
    }
    return {name: (was, now) for name, (was, now) in points.items() if was != now}


def _not_the_same(before: Graded | None, now: Origin | None) -> str:
    """Why what lies there is not what was graded before; "" if it is."""
    if before is None or (before.origin is None and before.readable):
        return "it was never graded, run `grade`"
    if (before.origin and before.origin.text) != (now and now.text):
        return "it was handed in again since, run `grade`"
    if before.origin and now and before.origin.release != now.release:
        return "the exercise was released again since, run `grade`"
    return ""


def _that_count(
    gradebook: Gradebook, chapter: str, student: str, question: str, points: float
) -> float:
    """What counts in the gradebook when a question has some points from us."""
    try:
        grade = gradebook.find_grade(TEST + question, chapter, chapter, student)
        given, extra = grade.manual_score, grade.extra_credit
    except MissingEntry:  # the run that graded it was killed before it came to that
        given = extra = None
    gradebook.db.rollback()  # nothing is held while the recorder writes
    return (points if given is None else given) + (extra or 0.0)


def merged(base: Graded, other: Graded, names: Iterable[str]) -> Graded:
    """A graded notebook with some questions as they are in another one of the same file."""
    names = set(names)
    tests = {name: cell for _, cell, name in notebook.code(other.nb) if name in names}
    nb = nbformat.from_dict(base.nb)
    for _, cell, name in notebook.code(nb):
        if name in tests:
            cell.outputs = tests[name].outputs
    verdicts = dict(base.verdicts) | {name: other.verdicts[name] for name in names}
    return replace(base, nb=nb, verdicts=verdicts)


def table(changes: list[Change]) -> str:
    """The changes side by side."""
    width = max([len(change.student) for change in changes] + [7])
    lines = [f"{'student':{width}}  {'question':24} before   now  recorded"]
    for change in sorted(changes, key=lambda change: (change.student, change.question)):
        points = f"{change.before:6.3g} {change.after:5.3g} {change.recorded:9.3g}"
        lines.append(f"{change.student:{width}}  {change.question:24} {points}")
    return "\n".join(lines)


def _log(changes: list[Change], path: Path = LOG) -> None:
    if not changes:
        return
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Change)])
        if new:
            writer.writeheader()
        writer.writerows(hand_back.inert(asdict(change)) for change in changes)
        file.flush()
        os.fsync(file.fileno())
