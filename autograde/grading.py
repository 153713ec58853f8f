"""A chapter of a class: submissions in, graded at once, recorded one by one."""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from itertools import chain

import nbformat
from sqlalchemy.exc import SQLAlchemyError
from tqdm import tqdm

from autograde import cohort, grader, hand_in, notebook, report
from autograde.cohort import Task
from autograde.grader import Graded
from autograde.record import Recorder


def grade(
    task: Task,
    executors: Callable[[], AbstractContextManager[Executor]],
    students: list[str] | None = None,
    again: bool = False,
) -> dict[str, report.Row]:
    """Grade and record everyone who handed in, or the students named.

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
    unreadable: list[tuple[str, Graded]] = []

    def readable() -> Iterator[tuple[str, str]]:
        for student, text in hand_in.collect(task.chapter, of):
            if isinstance(text, str):
                yield student, text
            else:
                unreadable.append((student, grader.unreadable(exercise, str(text))))

    with Recorder(task.chapter) as recorder:
        gc.freeze()  # what was imported stays, and is not to be looked through at each collection
        done = cohort.grade_all(readable(), task, executors, again)
        bar = tqdm(done, task.chapter, len(of), unit=" notebooks", leave=False, disable=None)
        for student, result in chain(bar, unreadable):
            by_hand: dict[str, float] = {}
            if isinstance(result, Graded):
                try:
                    by_hand = recorder.save(student, result)
                except (OSError, SQLAlchemyError) as error:
                    result = error
            rows[student] = report.row(result, worth, by_hand)
    return rows
