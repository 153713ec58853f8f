"""Grades out: the table that `nbgrader export` writes.

nbgrader's own joins its columns with commas, whatever is in a name, and cannot tell who handed in
nothing from who earned nothing. nbgrader_config.py names ours in its place.
"""

import csv
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin

# nbgrader's own columns, in its order.
PLACE = ("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email")
SCORES = ("raw_score", "late_submission_penalty", "score")


class Table(ExportPlugin):
    """A row for each chapter and student; the scores are empty where nothing was handed in."""

    def export(self, gradebook: Gradebook) -> None:
        """Write grades as CSV, of the chapters and students that nbgrader's options name."""
        path = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", path)
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*PLACE, *SCORES, "max_score"], lineterminator="\n")
            writer.writeheader()
            for assignment in gradebook.assignments:
                if self.assignment and assignment.name not in map(str, self.assignment):
                    continue
                submissions = {of.student_id: of for of in assignment.submissions}
                for student in gradebook.students:
                    if self.student and student.id not in map(str, self.student):
                        continue
                    row = {
                        "assignment": assignment.name,
                        "duedate": assignment.duedate,
                        "student_id": student.id,
                        "last_name": student.last_name,
                        "first_name": student.first_name,
                        "email": student.email,
                        "max_score": assignment.max_score,
                    }
                    submission = submissions.get(student.id)
                    if submission:
                        penalty = submission.late_submission_penalty
                        row["timestamp"] = submission.timestamp
                        row["raw_score"] = submission.score
                        row["late_submission_penalty"] = penalty
                        row["score"] = max(0.0, submission.score - penalty)
                    writer.writerow(inert(row))


def inert(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a table, with a quote before each text that a spreadsheet would run as a formula."""
    return {
        name: f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value
        for name, value in row.items()
    }
