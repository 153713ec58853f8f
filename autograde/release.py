"""Exercises as they were released, and whether they still are what nbgrader wrote.

`python -m autograde.release` says which of them hold somebody's work, which nothing may write over.
"""

import importlib
import sys

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from autograde import cohort, notebook
from autograde.check import Check
from autograde.wall import COURSE


def changed(nb: NotebookNode) -> list[str]:
    """The graded cells whose text is no longer what it was when nbgrader wrote its checksum."""
    return [
        cell.metadata.nbgrader.grade_id
        for cell in nb.cells
        if "nbgrader" in cell.metadata
        and cell.metadata.nbgrader.get("checksum") != compute_checksum(cell)
    ]


def holds_work(nb: NotebookNode) -> bool:
    """Whether somebody has written into a released exercise, or run it."""
    ran = any(cell.get("outputs") or cell.get("execution_count") for cell in nb.cells)
    return ran or bool(changed(nb))


def exercise(chapter: str) -> NotebookNode:
    """A chapter's released exercise, with every test as it was released.

    Raises:
        LookupError: the course has no such exercise.
        RuntimeError: a test is changed or gone, so that nothing can be checked against it.
    """
    path = cohort.exercise_path(chapter)
    if not path.parent.is_dir():
        known = ", ".join(f"{name}.ipynb" for name in cohort.chapters())
        raise LookupError(
            f"{chapter}.ipynb is no exercise of this course; "
            f"the file's name should be one of: {known}"
        )
    what = f"{path.relative_to(COURSE)} is missing"
    if path.exists():
        nb = nbformat.reads(notebook.read(path), as_version=4)
        wrong = changed(nb)
        tests = {name: f"{notebook.TEST}{name}" for name in notebook.points(nb)}
        module = importlib.import_module(f"autograde.checks.{chapter}")
        checks = [value.name for value in vars(module).values() if isinstance(value, Check)]
        lost = [f"{notebook.TEST}{name}" for name in checks if name not in tests]
        lost += [test for test in tests.values() if test in wrong]
        if not lost:
            return nb
        what = f"{path.relative_to(COURSE)} was changed ({', '.join(lost)})"
    raise RuntimeError(f"{what}. Move what is yours into work/; `make exercises` makes it anew")


def main() -> int:
    """Name the exercises that hold somebody's work; 1 if there are any."""
    found = []
    for path in sorted((COURSE / "exercises").glob("*/*.ipynb")):
        try:
            whole = not holds_work(nbformat.reads(path.read_text("utf-8"), as_version=4))
        except Exception:  # it is no notebook any more, so it is not what nbgrader wrote
            whole = False
        if not whole:
            found.append(path.relative_to(COURSE))
    for path in found:
        print(
            f"{path} holds somebody's work, and making it anew would delete that: "
            f"move it into work/ first",
            file=sys.stderr,
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
