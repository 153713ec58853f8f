"""Where nbgrader reads and writes, and its lists of steps with ours in them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.submitted_directory = "grading/submitted"
c.CourseDirectory.autograded_directory = "grading/autograded"
c.CourseDirectory.feedback_directory = "grading/feedback"
c.CourseDirectory.solution_directory = "grading/solution"
c.CourseDirectory.db_url = f"sqlite:///{ROOT}/grading/gradebook.db"

c.ClearSolutions.code_stub = {"python": "# Your code here.\nraise NotImplementedError"}

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
