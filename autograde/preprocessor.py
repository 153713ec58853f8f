"""The grader as steps of nbgrader's own lists: `nbgrader autograde` works as its manual says.

nbgrader_config.py puts `Restore` before nbgrader's sanitising steps and `Grade` in the place of
its `Execute`.
"""

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Dict

from autograde import cohort, notebook, sandbox


class Restore(NbGraderPreprocessor):
    """Gives a submission the form of the exercise, so that no damage stops nbgrader's own steps."""

    def preprocess(self, nb, resources):
        path = cohort.exercise_path(resources["nbgrader"]["assignment"])
        exercise = nbformat.read(path, as_version=4)
        restored = notebook.restore(notebook.parse(nbformat.writes(nb)), exercise)
        for remark in restored.remarks:
            self.log.warning("%s: %s", resources["nbgrader"]["student"], remark)
        return restored.nb, resources


class Grade(NbGraderPreprocessor):
    """Runs a submission behind the wall and writes its outputs, points and hints for nbgrader.

    It starts from the submitted file itself, as `python -m autograde grade` does, so that both
    give the same result and share the store. Tests come back without their hidden part.
    """

    limits = Dict(help="What a submission may use, by the names in autograde.sandbox.Limits.").tag(
        config=True
    )
    trust_submissions = Bool(False, help="Grade without the wall.").tag(config=True)

    def preprocess(self, nb, resources):
        of = resources["nbgrader"]
        path = cohort.SUBMITTED / of["student"] / of["assignment"] / f"{of['notebook']}.ipynb"
        limits = sandbox.Limits(**self.limits)
        task = cohort.task(of["assignment"], limits, self.trust_submissions)
        graded = cohort.grade_one(notebook.read(path), task)
        for remark in graded.remarks:
            self.log.warning("%s: %s", of["student"], remark)
        return graded.nb, resources
