"""Submissions in: what lies in `grading/submitted`, and why some of it is none."""

import os
import re
from collections.abc import Iterator
from glob import has_magic
from pathlib import Path

from autograde import cohort, notebook
from autograde.plain import cut


def students(chapter: str, wanted: list[str] | None = None) -> list[str]:
    """Who has handed in a chapter, be it in the wrong place.

    Args:
        chapter: which.
        wanted: only these, in this order.

    Raises:
        LookupError: one who is wanted, or everybody, has handed in nothing.
    """
    if wanted is None:
        found = sorted(os.listdir(cohort.SUBMITTED)) if cohort.SUBMITTED.is_dir() else []
        found = [student for student in found if _is_there(student, chapter)]
        if not found:
            raise LookupError(f"nothing handed in for {chapter} in {cohort.SUBMITTED}")
        return found
    for student in wanted:
        if not _is_there(student, chapter):
            folder = cohort.SUBMITTED / student / chapter
            raise LookupError(f"“{student}” has handed in nothing for {chapter}: no {folder}")
    return wanted


def chapters(wanted: list[str] | None = None) -> list[str]:
    """The chapters for which somebody, or one who is wanted, has handed in.

    Raises:
        LookupError: there is none for any.
    """
    names = os.listdir(cohort.SUBMITTED) if cohort.SUBMITTED.is_dir() else []
    names = [name for name in names if wanted is None or name in wanted]
    found = [
        chapter for chapter in cohort.chapters() if any(_is_there(name, chapter) for name in names)
    ]
    if not found:
        raise LookupError(f"nothing handed in for any chapter in {cohort.SUBMITTED}")
    return found


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
        if part == folder and not os.path.lexists(folder):
            found = _found(part.parent)
            raise notebook.Unreadable(f"{chapter}/{chapter}.ipynb is missing; found: {found}")
        if not part.is_dir():
            raise notebook.Unreadable(f"{part.name} is not a folder; put {chapter}.ipynb in one")
    path = folder / f"{chapter}.ipynb"
    if not os.path.lexists(path):
        raise notebook.Unreadable(f"{path.name} is missing; found: {_found(folder)}")
    return notebook.read(path)


def no_student(name: str, chapter: str) -> str:
    """Why what lies in `submitted` under this name is no student's folder; "" if it is one.

    nbgrader passes over a name that begins with a dot, and takes `[a]*?` for a pattern.
    """
    if _is_loose(name, chapter):
        return f"it lies in no student's folder; put it into STUDENT/{chapter}/{chapter}.ipynb"
    # Gradebook, table and feedback can hold no other, and a blank at its end is not to be seen.
    held = name.isprintable() and name.strip() == name
    if held and not name.startswith(".") and not has_magic(name):
        return ""
    return (
        f"the folder's name “{name}” is none for a student (a blank at its edge, a dot at its "
        f"start, one of * ? [, or a sign that cannot be printed); rename it and grade again"
    )


def _found(folder: Path) -> str:
    """What is in a folder in the place of what should be, and what to do."""
    names = cut(", ".join(sorted(os.listdir(folder))), 200)
    return f"{names}. Rename or unpack what is meant, and grade again" if names else "nothing"


def _is_there(student: str, chapter: str) -> bool:
    folder = cohort.SUBMITTED / student
    if os.path.lexists(folder / chapter) or _is_loose(student, chapter):
        return True
    try:
        return any(_is_of(chapter, name) for name in os.listdir(folder))
    except OSError:  # a file, or none
        return False


def _is_loose(name: str, chapter: str) -> bool:
    path = cohort.SUBMITTED / name
    if os.path.lexists(path / chapter):
        return False
    return name.lower() == chapter or (_is_of(chapter, name) and not path.is_dir())


def _is_of(chapter: str, name: str) -> bool:
    """Whether a file or folder may be meant for a chapter: `Attention`, `attention (1).ipynb`."""
    return bool(re.match(rf"{chapter}(?![a-z_])", name.lower()))
