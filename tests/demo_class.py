"""A class of twenty-one, made from the exercises, who state what they expect to earn.

`python -m tests.demo_class` hands in for all of them, grades them, and compares. The folder is
`GRADING`, as everywhere (here best grading/demo): it is emptied first.
"""

import copy
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from autograde import cohort
from autograde.wall import COURSE

FAST = ("--cell-seconds", "5", "--call-seconds", "2", "--memory", str(512 << 20))


@dataclass(frozen=True)
class Student:
    """What one student hands in for a chapter, and the points that this should earn.

    Attributes:
        expected: function -> points; what is not named earns all if it is answered as the
            solution does, else 0.
        answers: function -> source, in the place of the solution's; None leaves the stub.
        damage: what happens to the notebook (its JSON as a dict) or its text on the way.
    """

    name: str
    expected: dict[str, float]
    answers: dict[str, str | None] = field(default_factory=dict)
    damage: Callable[[dict], dict | str] = lambda nb: nb
    chapter: str = "attention"
    cell: str = ""  # code run in a cell of its own, at the top


ALL = {"attend_one": 4.0, "attention": 6.0, "additive_scores": 6.0}
NOTHING = dict.fromkeys(ALL, 0.0)

LOOPS = {
    "attend_one": """
def attend_one(q, K, V, beta=1.0):
    scores = [beta * sum(a * b for a, b in zip(q, k)) for k in K]
    top = max(scores)
    weights = [np.exp(s - top) for s in scores]
    total = sum(weights)
    weights = np.array([w / total for w in weights])
    out = np.zeros(V.shape[1])
    for w, v in zip(weights, V):
        out += w * v
    return out, weights
""",
    "attention": """
def attention(Q, K, V):
    Q, K, V = (np.asarray(x, dtype=np.float32) for x in (Q, K, V))
    scores = np.einsum("...qd,...kd->...qk", Q, K)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / np.einsum("...qk->...q", weights)[..., None]
    return np.einsum("...qk,...kv->...qv", weights, V), weights
""",
    "additive_scores": """
def additive_scores(Q, K, Wq, Wk, v):
    n, m = Q.shape[-2], K.shape[-2]
    scores = np.empty(np.broadcast_shapes(Q.shape[:-2], K.shape[:-2]) + (n, m))
    for i in range(n):
        for j in range(m):
            hidden = np.tanh(Q[..., i, :] @ Wq.T + K[..., j, :] @ Wk.T)
            scores[..., i, j] = hidden @ v
    return scores
""",
}
NO_BATCH = """
def attention(Q, K, V):
    scores = Q @ K.T
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V, weights
"""
OVER_QUERIES = """
def attention(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(axis=-2, keepdims=True))
    weights = weights / weights.sum(axis=-2, keepdims=True)
    return weights @ V, weights
"""
RAW_SCORES = """
def attend_one(q, K, V, beta=1.0):
    weights = beta * (K @ q)
    return weights @ V, weights
"""
TANH_OUTSIDE = """
def additive_scores(Q, K, Wq, Wk, v):
    q = (Q @ Wq.T)[..., :, None, :]
    k = (K @ Wk.T)[..., None, :, :]
    return np.tanh((q + k) @ v)
"""
WARNS = """
import warnings

def attention(Q, K, V):
    warnings.warn("this is only a warning")
    print("and this is stderr", file=__import__("sys").stderr)
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V, weights
"""
WARNINGS_RAISE = """
import warnings
import numpy as np
np.seterr(all="raise")
warnings.simplefilter("error")
"""
LOOPS_FOREVER = "def attend_one(q, K, V, beta=1.0):\n    while True:\n        pass\n"
EATS_MEMORY = """
def attention(Q, K, V):
    kept = []
    while True:
        kept.append(np.ones(10**7))
"""
IMPORTS_REFERENCE = """
def attention(Q, K, V):
    from autograde.reference.attention import attention as theirs
    return theirs(Q, K, V)
"""
FORGES = """
from IPython.display import display

class Full(float):
    def __repr__(self):
        return "6.0"

def attention(Q, K, V):
    print("6.0")
    display(Full(6))
    get_ipython().displayhook(6.0)
    return Full(6)
"""
LEAVES_A_PROCESS = """
import subprocess
subprocess.Popen(["sleep", "4242"], start_new_session=True)
"""


def without_test(nb: dict) -> dict:
    """A student who deletes what cannot be passed."""
    nb["cells"] = [c for c in nb["cells"] if grade_id(c) != "test_attention"]
    return nb


def with_copies(nb: dict) -> dict:
    """A student who copies an answer and its test, name and all, to the end."""
    copies = [copy.deepcopy(c) for c in nb["cells"] if grade_id(c).endswith("attention")]
    for i, cell in enumerate(copies):
        cell["id"] = f"copy-{i}"
    nb["cells"] += copies
    return nb


CLASS = [
    Student("right", ALL),
    Student("draws", ALL, cell="import matplotlib.pyplot as plt\nplt.plot([1, 2]);"),
    Student("loops_and_einsum", ALL, LOOPS),
    Student("half", {**ALL, "attention": 0, "additive_scores": 0},
            {"attention": None, "additive_scores": None}),
    Student("untouched", NOTHING, dict.fromkeys(ALL)),
    Student("mistake_no_batch", {**ALL, "attention": 3.0}, {"attention": NO_BATCH}),
    Student("mistake_over_queries", {**ALL, "attention": 0.0}, {"attention": OVER_QUERIES}),
    Student("mistake_raw_scores", {**ALL, "attend_one": 0.0}, {"attend_one": RAW_SCORES}),
    Student("mistake_tanh", {**ALL, "additive_scores": 0.0}, {"additive_scores": TANH_OUTSIDE}),
    Student("raises", {**ALL, "attend_one": 0.0},
            {"attend_one": "def attend_one(q, K, V, beta=1.0):\n    return 1 / 0\n"}),
    Student("warns", ALL, {"attention": WARNS}),
    Student("warnings_raise", ALL, cell=WARNINGS_RAISE),
    Student("renamed", {**ALL, "attention": 0.0},
            {"attention": "def attend(Q, K, V):\n    return V, Q\n"}),
    Student("endless_loop", {**ALL, "attend_one": 0.0}, {"attend_one": LOOPS_FOREVER}),
    Student("eats_memory", {**ALL, "attention": 0.0}, {"attention": EATS_MEMORY}),
    Student("damaged", NOTHING, damage=lambda nb: json.dumps(nb)[: 2000]),
    Student("deleted_test", {**ALL, "attention": 0.0}, {"attention": OVER_QUERIES}, without_test),
    Student("copied_cells", ALL, damage=with_copies),
    Student("imports_reference", {**ALL, "attention": 0.0}, {"attention": IMPORTS_REFERENCE}),
    Student("forges", {**ALL, "attention": 0.0}, {"attention": FORGES}),
    Student("leaves_a_process", ALL, cell=LEAVES_A_PROCESS),
]  # fmt: skip


def grade_id(cell: dict) -> str:
    """The nbgrader name of a cell, "" if it has none."""
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def notebook_of(chapter: str, answers: dict[str, str | None], cell: str = "") -> dict:
    """An exercise's notebook with answers: the solution's, but for those given."""
    exercise = json.loads(cohort.exercise_path(chapter).read_text("utf-8"))
    path = COURSE / "solutions" / chapter / f"{chapter}.ipynb"
    solution = {grade_id(c): c["source"] for c in json.loads(path.read_text("utf-8"))["cells"]}
    for part in exercise["cells"]:
        name = grade_id(part)
        if name and not name.startswith("test_"):
            answer = answers.get(name, re.sub(r" *### .*SOLUTION\n?", "", "".join(solution[name])))
            part["source"] = part["source"] if answer is None else answer
    if cell:
        exercise["cells"].insert(
            0, json.loads(json.dumps(nbformat.v4.new_code_cell(cell, id="extra")))
        )
    return exercise


def hand_in(students: list[Student], grading: Path) -> None:
    """Put every student's notebook where the grader looks for it."""
    for student in students:
        nb = student.damage(notebook_of(student.chapter, student.answers, student.cell))
        folder = grading / "submitted" / student.name / student.chapter
        folder.mkdir(parents=True)
        text = nb if isinstance(nb, str) else json.dumps(nb, indent=1, ensure_ascii=False)
        (folder / f"{student.chapter}.ipynb").write_text(text, "utf-8")


def scores(grading: Path, chapter: str) -> dict[str, dict[str, float]]:
    """Student -> function -> points, as the gradebook has them."""
    found: dict[str, dict[str, float]] = {}
    with Gradebook(f"sqlite:///{grading.resolve()}/gradebook.db", "attention") as gradebook:
        for submission in gradebook.assignment_submissions(chapter):
            found[submission.student.id] = {
                grade.name.removeprefix("test_"): grade.score
                for nb in submission.notebooks
                for grade in nb.grades
            }
    return found


def main() -> int:
    """Hand in, grade, compare; 0 when every row is as expected."""
    shutil.rmtree(cohort.GRADING, ignore_errors=True)
    hand_in(CLASS, cohort.GRADING)
    command = [sys.executable, "-m", "autograde", "grade", "attention", *FAST]
    if subprocess.run(command, cwd=COURSE, check=False).returncode == 2:
        return 2
    subprocess.run(
        [Path(sys.executable).with_name("nbgrader"), "generate_feedback", "attention", "--force",
         "--log-level=ERROR"],
        cwd=COURSE, check=True,
    )  # fmt: skip
    actual = scores(cohort.GRADING, "attention")
    wrong = [s.name for s in CLASS if actual.get(s.name) != s.expected]
    for name in wrong:
        expected = next(s.expected for s in CLASS if s.name == name)
        print(f"{name}: expected {expected}, got {actual.get(name)}")
    print(f"demo class: {len(CLASS) - len(wrong)} of {len(CLASS)} rows as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
