"""Graded notebooks into nbgrader's gradebook and folders, as `nbgrader autograde` would put them.

One process writes, one student at a time, each in one transaction: the gradebook never holds half
of a submission.
"""

import shutil
import tempfile
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from nbformat import NotebookNode
from nbgrader import api, utils
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import Connection, bindparam, insert, make_url, select, update
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import PyFileConfigLoader

from autograde import cohort, notebook
from autograde.grader import Graded
from autograde.notebook import TEST
from autograde.wall import COURSE

AUTOGRADED = cohort.GRADING / "autograded"
# What nbgrader's exchange leaves beside a submission, and needs beside its feedback.
ATTACHED = ("timestamp.txt", "submission_secret.txt")
# The rows themselves: an object for each would cost more than grading does.
STUDENT, SUBMITTED, NOTEBOOK = (
    of.__table__ for of in (api.Student, api.SubmittedAssignment, api.SubmittedNotebook)
)
GRADE, COMMENT = api.Grade.__table__, api.Comment.__table__


class Recorder:
    """The gradebook, open for one chapter.

    Args:
        chapter: the nbgrader assignment, which nbgrader reads anew from its solution.

    Raises:
        RuntimeError: nbgrader cannot read it, `exercises/` is not what the solution makes, or
            there is no gradebook at its address.
    """

    def __init__(self, chapter: str):
        self.chapter = chapter
        self.config = PyFileConfigLoader("nbgrader_config.py", path=str(COURSE)).load_config()
        course = CourseDirectory(config=self.config)
        self.url = course.db_url
        try:
            self.gradebook = Gradebook(self.url, course.course_id)
        except (SQLAlchemyError, ImportError) as error:
            reason = str(error).strip().partition("\n")[0]
            scheme = self.url.partition(":")[0]
            if scheme in ("postgres", "postgresql"):  # which may do, with a driver of one's own
                reason = f"it begins with {scheme}://; write postgresql+psycopg://"
            raise RuntimeError(
                f"the gradebook {_shown(self.url)} cannot be opened: {reason}"
            ) from None
        self._read_assignment(course)
        known = self.gradebook.find_notebook(chapter, chapter)
        self.notebook, self.assignment = known.id, known.assignment.id
        self.due = known.assignment.duedate
        self.graded = {cell.name: cell.id for cell in (*known.grade_cells, *known.task_cells)}
        self.answers = {cell.name: cell.id for cell in (*known.solution_cells, *known.task_cells)}
        self.gradebook.db.rollback()  # nothing more is read by way of it

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_) -> None:
        self.gradebook.close()

    def save(self, student: str, graded: Graded) -> dict[str, float]:
        """Write a student's graded notebook to `grading/autograded` and the scores it holds.

        Returns:
            function -> the points that count in the place of ours, where some were given by hand.
        """
        folder = AUTOGRADED / student / self.chapter
        submitted = cohort.SUBMITTED / student / self.chapter
        _replace(folder, graded.text(), self.chapter, submitted)
        arrived = _arrival(submitted / "timestamp.txt")
        with self.gradebook.engine.begin() as book:
            of, extension = self._submission(book, student, arrived)
            by_hand = self._fill(book, of, graded.nb.cells)
        if arrived and self.due and arrived > self.due + (extension or timedelta(0)):
            place = {"student": student, "assignment": self.chapter, "notebook": self.chapter}
            resources = {"nbgrader": place | {"db_url": self.url}}
            AssignLatePenalties(config=self.config).preprocess(graded.nb, resources)
        return by_hand

    def _submission(
        self, book: Connection, student: str, arrived: datetime | None
    ) -> tuple[str, timedelta | None]:
        """What the gradebook has of a student's submission, made if there is nothing.

        Returns:
            (the id of its notebook, an extension of the student's time).
        """
        found = book.execute(
            select(SUBMITTED.c.id, NOTEBOOK.c.id, SUBMITTED.c.extension)
            .join(NOTEBOOK, NOTEBOOK.c.assignment_id == SUBMITTED.c.id)
            .where(SUBMITTED.c.student_id == student, NOTEBOOK.c.notebook_id == self.notebook)
        ).first()
        if found:
            submission, of, extension = found
            if arrived:
                when = update(SUBMITTED).where(SUBMITTED.c.id == submission)
                book.execute(when.values(timestamp=arrived))
            late = update(NOTEBOOK).where(NOTEBOOK.c.id == of)
            book.execute(late.values(late_submission_penalty=None))
            return of, extension
        submission, of = api.new_uuid(), api.new_uuid()
        if not book.execute(select(STUDENT.c.id).where(STUDENT.c.id == student)).first():
            book.execute(insert(STUDENT).values(id=student))
        row = {"id": submission, "assignment_id": self.assignment, "student_id": student}
        book.execute(insert(SUBMITTED), row | {"timestamp": arrived})
        row = {"id": of, "assignment_id": submission, "notebook_id": self.notebook}
        book.execute(insert(NOTEBOOK), row)
        for table, cells in ((GRADE, self.graded), (COMMENT, self.answers)):
            rows = [{"notebook_id": of, "cell_id": cell} for cell in cells.values()]
            if rows:
                book.execute(insert(table), rows)
        return of, None

    def _fill(self, book: Connection, of: str, cells: list[NotebookNode]) -> dict[str, float]:
        """Write the scores and comments that are in a notebook's cells; what `save` returns."""
        columns = (GRADE.c.cell_id, GRADE.c.manual_score, GRADE.c.extra_credit)
        held = book.execute(select(*columns).where(GRADE.c.notebook_id == of))
        given = {cell: (points, extra) for cell, points, extra in held}
        grades, comments, by_hand = [], [], {}
        for cell in cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if utils.is_grade(cell):
                auto, _ = utils.determine_grade(cell)
                points, extra = given[self.graded[name]]
                look = points is not None or auto is None
                row = {"cell": self.graded[name], "auto_score": auto, "needs_manual_grade": look}
                grades.append(row)
                if (points, extra) != (None, None):
                    points = auto if points is None else points
                    by_hand[name.removeprefix(TEST)] = (points or 0.0) + (extra or 0.0)
            if utils.is_solution(cell):
                untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
                comment = "No response." if untouched else None
                comments.append({"cell": self.answers[name], "auto_comment": comment})
        for table, rows in ((GRADE, grades), (COMMENT, comments)):
            if rows:
                own = (table.c.notebook_id == of, table.c.cell_id == bindparam("cell"))
                book.execute(update(table).where(*own), rows)
        return by_hand

    def _read_assignment(self, course: CourseDirectory) -> None:
        """Have nbgrader make the exercise in a scratch folder and note it in the gradebook."""
        released = cohort.exercise_path(self.chapter)
        with tempfile.TemporaryDirectory(dir=cohort.GRADING) as scratch:
            course.release_directory = scratch
            made = NbGraderAPI(course, config=self.config).generate_assignment(self.chapter)
            if not made["success"]:
                raise RuntimeError(f"nbgrader cannot read {self.chapter}:\n{made['log']}")
            fresh = Path(scratch, self.chapter, released.name).read_bytes()
        if not released.exists() or released.read_bytes() != fresh:
            raise RuntimeError(
                f"{released.relative_to(COURSE)} is not what its solution makes: "
                f"run `make exercises`, and release it again if students have the old one"
            )


def _shown(url: str) -> str:
    """A gradebook's address without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:  # it is none
        return f"“{url}”"


def _arrival(path: Path) -> datetime | None:
    """When a submission arrived, of the file that nbgrader's collecting writes; None if unknown."""
    with suppress(notebook.Unreadable):
        text = notebook.read(path).strip()
        with suppress(Exception):  # the student may have written it: dateutil raises what it likes
            return utils.parse_utc(text) if len(text) < 100 else None
    return None


def _replace(folder: Path, text: str, chapter: str, submitted: Path) -> None:
    """Have a folder hold a notebook, what nbgrader needs beside it, and nothing else.

    Each file is there whole, the old one or the new one: what is recorded is never lost.
    """
    files = {}
    for name in ATTACHED:
        with suppress(notebook.Unreadable):
            files[name] = notebook.read(submitted / name)
    files[f"{chapter}.ipynb"] = text
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        new = folder / f".{name}.new"
        new.write_text(content, "utf-8")
        new.replace(folder / name)
    for other in set(folder.iterdir()) - {folder / name for name in files}:
        shutil.rmtree(other) if other.is_dir() else other.unlink()
