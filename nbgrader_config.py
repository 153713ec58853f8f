"""Where nbgrader reads and writes, and its lists of steps with ours in them."""

import os
import re
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent
GRADING = os.environ.get("GRADING", "grading")  # as in autograde/cohort.py
(ROOT / GRADING).mkdir(parents=True, exist_ok=True)  # SQLite makes a file, not its folder

# nbgrader stamps a new gradebook by the command `alembic`, which lies where Python's scripts do.
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.submitted_directory = f"{GRADING}/submitted"
c.CourseDirectory.autograded_directory = f"{GRADING}/autograded"
c.CourseDirectory.feedback_directory = f"{GRADING}/feedback"
c.CourseDirectory.solution_directory = f"{GRADING}/solution"
c.CourseDirectory.db_url = os.environ.get(
    "GRADEBOOK",  # such as postgresql+psycopg://user:password@host/database
    f"sqlite:///{ROOT / GRADING}/gradebook.db",
)

# Submissions and grades of a class stay in its folder, which git ignores.
c.ExportApp.plugin_class = "autograde.hand_back.Table"
c.ExportPlugin.to = f"{ROOT / GRADING}/grades.csv"
c.ZipCollectApp.extractor_plugin = "autograde.zip_collect.Notebooks"
c.ZipCollectApp.collector_plugin = "autograde.zip_collect.Students"
c.ZipCollectApp.collect_directory_structure = (
    f"{ROOT / GRADING}/downloaded/{{assignment_id}}/{{collect_step}}"
)
# Handed in are STUDENT_CHAPTER.ipynb, STUDENT.zip or STUDENT_CHAPTER.zip. The name of that file
# itself tells the student, nothing inside a zip does; only the chapter's own notebook is taken out
# of it, however deep it lies. Another system's names need another pattern.
AGAIN = r"(?: \(\d+\))?"  # as a browser names a second download
c.FileNameCollectorPlugin.named_regexp = (
    rf"{re.escape(str(ROOT / GRADING))}/downloaded/(?P<file_id>[^/]+)/extracted/"
    r"(?!.*__MACOSX/)(?!(?:.*/)?\._)"  # what macOS adds to each zip
    rf"(?P<student_id>[^/.][^/]*?)(?:_|(?:_(?i:(?P=file_id)))?{AGAIN}/(?:.*[_/])?)"
    r"(?<![_/]self_)"  # `attention` is not `self_attention`
    rf"(?i:(?P=file_id)){AGAIN}\.ipynb$"
)
# Where `nbgrader release_assignment` and `collect` meet the students, who need to write there too.
c.Exchange.root = os.environ.get("EXCHANGE", f"{ROOT / GRADING}/exchange")
if "EXCHANGE" not in os.environ:
    Path(c.Exchange.root).mkdir(exist_ok=True)

c.ClearSolutions.code_stub = {"python": "# Your code here.\nraise NotImplementedError"}

# What a student wrote can only be read: it does nothing in feedback or in the formgrader.
c.HTMLExporter.filters = {
    "markdown2html": "autograde.feedback.markdown2html",
    "clean_html": "autograde.feedback.clean_html",  # of raw cells
}

c.Autograde.sanitize_preprocessors = [
    "autograde.preprocessor.Restore",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "autograde.preprocessor.Grade",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
