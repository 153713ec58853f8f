"""Submissions in: what lies in `grading/submitted`, and why some of it is none."""

import os
from collections.abc import Iterator
from glob import has_magic

from autograde import cohort, notebook
from autograde.plain import cut


def students(chapter: str, wanted: list[str] | None = None) -> list[str]:
    """Who has handed in a chapter.

    Args:
        chapter: which.
        wanted: only these, in this order.

    Raises:
        LookupError: one who is wanted has handed in nothing.
    """
    if wanted is None:
        found = sorted(os.listdir(cohort.SUBMITTED)) if cohort.SUBMITTED.is_dir() else []
        return [student for student in found if _is_there(student, chapter)]
    for student in wanted:
        if not _is_there(student, chapter):
            folder = cohort.SUBMITTED / student / chapter
            raise LookupError(f"{student} has handed in nothing for {chapter}: no {folder}")
    return wanted


def collect(chapter: str, of: list[str]) -> Iterator[tuple[str, str | notebook.Unreadable]]:
    """(student, the text handed in, or why there is none that can be read) of some students."""
    for student in of:
        try:
            yield student, read(student, chapter)
        except notebook.Unreadable as reason:
            yield student, reason


def read(student: str, chapter: str) -> str:
    """The text that a student has handed in.

    Raises:
        notebook.Unreadable: it is missing, a link, or no text.
    """
    folder = cohort.SUBMITTED / student / chapter
    for part in (folder.parent, folder):
        if part.is_symlink():
            raise notebook.Unreadable(f"{part.name} is a link; hand in the folder itself")
        if not part.is_dir():
            raise notebook.Unreadable(f"{part.name} is not a folder; put {chapter}.ipynb in one")
    path = folder / f"{chapter}.ipynb"
    if not os.path.lexists(path):
        found = cut(", ".join(sorted(os.listdir(folder))), 200) or "nothing"
        raise notebook.Unreadable(f"{path.name} is missing; found: {found}")
    return notebook.read(path)


def is_name(student: str) -> bool:
    """Whether gradebook, table and feedback can all hold the name of a student's folder.

    nbgrader passes over a name that begins with a dot, and takes `[a]*?` for a pattern.
    """
    return student.isprintable() and not student.startswith(".") and not has_magic(student)


def _is_there(student: str, chapter: str) -> bool:
    folder = cohort.SUBMITTED / student / chapter
    return os.path.lexists(folder)
