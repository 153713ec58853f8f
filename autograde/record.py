"""Graded notebooks into nbgrader's gradebook and folders, as `nbgrader autograde` would put them.

One process writes, one student at a time, each in one transaction: the gradebook never holds half
of a submission.
"""

import shutil
import tempfile
import warnings
from pathlib import Path

from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import make_url
from sqlalchemy.exc import SAWarning, SQLAlchemyError
from traitlets.config import PyFileConfigLoader

from autograde import cohort, notebook
from autograde.grader import Graded
from autograde.notebook import TEST
from autograde.wall import COURSE

# nbgrader builds a submission before it adds it to the session, of which newer SQLAlchemy warns.
warnings.filterwarnings("ignore", category=SAWarning, message="Object of type <Submitted")

AUTOGRADED = cohort.GRADING / "autograded"


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
            raise RuntimeError(
                f"the gradebook {_shown(self.url)} cannot be opened: {reason}"
            ) from None
        # Only this process writes scores, so what it has read of the course stays true.
        self.gradebook.db().expire_on_commit = False
        self._read_assignment(course)
        known = self.gradebook.find_notebook(chapter, chapter)
        # Held here, so that they are not fetched again for every student.
        self.cells = [*known.grade_cells, *known.solution_cells, *known.task_cells]

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_) -> None:
        self.gradebook.close()

    def forget(self) -> None:
        """Drop what was begun and not finished."""
        self.gradebook.db.rollback()

    def save(self, student: str, graded: Graded) -> dict[str, float]:
        """Write a student's graded notebook to `grading/autograded` and the scores it holds.

        Returns:
            function -> the points that count in the place of ours, where some were given by hand.
        """
        nb, folder = graded.nb, AUTOGRADED / student / self.chapter
        submitted = cohort.SUBMITTED / student / self.chapter
        _replace(folder, graded.text(), self.chapter, submitted / "timestamp.txt")
        submission = self._submission(student)
        arrived = _arrival(submitted / "timestamp.txt")
        if arrived:
            submission.timestamp = arrived
        (notebook,) = (nb for nb in submission.notebooks if nb.name == self.chapter)
        # One query for all of them; the gradebook's own way is one for each.
        grades = {grade.name: grade for grade in notebook.grades}
        comments = {comment.name: comment for comment in notebook.comments}
        by_hand = {}
        for cell in nb.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if utils.is_grade(cell):
                grade = grades[name]
                grade.auto_score, _ = utils.determine_grade(cell)
                grade.needs_manual_grade = (
                    grade.manual_score is not None or grade.auto_score is None
                )
                given = (grade.manual_score, grade.extra_credit)
                if given != (None, None):
                    points = grade.auto_score if given[0] is None else given[0]
                    by_hand[name.removeprefix(TEST)] = (points or 0.0) + (given[1] or 0.0)
            if utils.is_solution(cell):
                untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
                comments[name].auto_comment = "No response." if untouched else None
        notebook.late_submission_penalty = None
        self.gradebook.db.commit()
        if arrived and submission.total_seconds_late > 0:
            place = {"student": student, "assignment": self.chapter, "notebook": self.chapter}
            resources = {"nbgrader": place | {"db_url": self.url}}
            AssignLatePenalties(config=self.config).preprocess(nb, resources)
        return by_hand

    def _submission(self, student: str) -> SubmittedAssignment:
        """What the gradebook has of a student's submission, made if there is nothing."""
        try:
            return self.gradebook.find_submission(self.chapter, student)
        except MissingEntry:
            self.gradebook.update_or_create_student(student)
            return self.gradebook.add_submission(self.chapter, student)

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


def _arrival(path: Path):
    """When a submission arrived, of the file that nbgrader's collecting writes; None if unknown."""
    try:
        text = notebook.read(path).strip()
        return utils.parse_utc(text) if len(text) < 100 else None
    except (notebook.Unreadable, ValueError, OverflowError):
        return None


def _replace(folder: Path, text: str, chapter: str, timestamp: Path) -> None:
    """Put a new folder in the place of an old one."""
    new = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    (new / f"{chapter}.ipynb").write_text(text, "utf-8")
    try:
        (new / timestamp.name).write_text(notebook.read(timestamp), "utf-8")
    except notebook.Unreadable:
        pass
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
