"""A chapter of a class: submissions in, graded at once, recorded one by one."""

import gc
from collections.abc import Callable, Iterator, Sized
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import chain

import nbformat
from tqdm import tqdm

from autograde import cohort, grader, hand_in, notebook, report
from autograde.cohort import Task
from autograde.executors import uninterrupted
from autograde.grader import Graded
from autograde.record import AUTOGRADED, Recorder


def grade(
    task: Task,
    executors: Callable[[], AbstractContextManager[Executor]],
    students: list[str] | None = None,
    again: bool = False,
) -> dict[str, report.Row]:
    """Grade and record everyone who handed in, or the students named.

    Who has been graded already keeps that verdict, whatever changed in checks or limits since:
    points of a file that stayed as it is are changed by `regrade`, which logs them.

    Args:
        task: what to grade against.
        executors: makes a place to grade in.
        students: only these.
        again: whether to grade what was graded before.

    Returns:
        student -> the row of the table.

    Raises:
        LookupError: a student who is named, or everybody, has handed in nothing.
        RuntimeError: the gradebook does not take the chapter.
        KeyboardInterrupt: the user stops it; the message says how far it came.
    """
    exercise = nbformat.reads(task.exercise, as_version=4)
    worth = notebook.points(exercise)
    rows: dict[str, report.Row] = {}
    of = hand_in.students(task.chapter, students)
    for student in list(of):
        reason = hand_in.no_student(student, task.chapter)
        if reason:
            rows[student] = report.Row(remarks=(f"not graded: {reason}",))
            of.remove(student)
    anew: list[str] = []
    unreadable: list[tuple[str, Graded]] = []

    def standing() -> Iterator[tuple[str, Graded]]:
        for student in of:
            before = None if again else _standing(student, task)
            if before:
                yield student, before
            else:
                anew.append(student)

    def readable() -> Iterator[tuple[str, str]]:
        for student, text in hand_in.collect(task.chapter, anew):
            if isinstance(text, str):
                yield student, text
            else:
                unreadable.append((student, grader.unreadable(exercise, str(text))))

    done: dict[str, report.Row] = {}
    with (
        stoppable(task.chapter, done, of),
        Recorder(task.chapter) as recorder,
        closing(cohort.grade_all(readable(), task, executors, again)) as graded,
        tqdm(
            chain(standing(), graded), task.chapter, len(of),
            unit=" notebooks", leave=False, disable=None,
        ) as bar,
    ):  # fmt: skip
        gc.freeze()  # what was imported stays, and is not to be looked through at each collection
        for student, result in chain(bar, unreadable):
            by_hand: dict[str, float] = {}
            with uninterrupted():
                if isinstance(result, Graded):
                    try:
                        by_hand = recorder.save(student, result)
                    except Exception as error:  # whatever it is, the others are graded
                        result = error
                done[student] = report.row(result, worth, by_hand, cohort.method(task))
    return rows | done


def recorded(student: str, chapter: str) -> Graded | None:
    """The graded notebook that stands for a student now; None if there is none that can be read."""
    try:
        path = AUTOGRADED / student / chapter / f"{chapter}.ipynb"
        return Graded.of(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _standing(student: str, task: Task) -> Graded | None:
    """What is recorded of a student, if it is of the file that lies there and of this release."""
    before = recorded(student, task.chapter)
    if before is None or before.origin is None:
        return None
    try:
        now = cohort.origin(hand_in.read(student, task.chapter), task)
    except notebook.Unreadable:
        return None
    same = (before.origin.text, before.origin.release) == (now.text, now.release)
    return before if same else None


@contextmanager
def stoppable(chapter: str, done: Sized, of: Sized) -> Iterator[None]:
    """What a user may stop by Ctrl-C, which then says how far it came."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"{len(done)} of {len(of)} of {chapter} are graded and kept"
        ) from None
