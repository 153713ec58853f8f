"""Each solution notebook runs, keeps the contract, and earns full marks."""

import importlib
import re
from pathlib import Path

import nbformat
import pytest

from autograde import checks, notebook
from autograde.check import PRACTICE, Check

ROOT = Path(__file__).parent.parent
SYLLABUS = {
    "vectors": 14,
    "attention": 16,
    "self_attention": 18,
    "multi_head": 20,
    "masking": 24,
    "scaling": 18,
    "feed_forward": 6,
    "layer_norm": 14,
    "positional": 18,
    "relatives": 20,
    "transformer": 22,
    "translation": 10,
}
CHAPTERS = sorted(path.name for path in (ROOT / "solutions").iterdir() if path.is_dir())
RELEASED = [chapter for chapter in CHAPTERS if (ROOT / "exercises" / chapter).is_dir()]
ROLE = {"schema_version": 3, "task": False}
ANSWER = {**ROLE, "grade": False, "locked": False, "solution": True}
TEST = {**ROLE, "grade": True, "locked": True, "solution": False}
HIDDEN = """### BEGIN HIDDEN TESTS
from autograde.checks import {chapter} as checks

checks.{function}.grade({function})
### END HIDDEN TESTS"""


@pytest.fixture(params=CHAPTERS)
def chapter(request):
    return request.param


@pytest.fixture
def solution(chapter):
    return read("solutions", chapter)


def read(folder: str, chapter: str) -> nbformat.NotebookNode:
    return nbformat.read(ROOT / folder / chapter / f"{chapter}.ipynb", as_version=4)


def run(nb: nbformat.NotebookNode) -> dict:
    """The names that the code cells define, run in order as plain Python."""
    names: dict = {}
    for cell in nb.cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, cell.id, "exec"), names)
    return names


def cells(nb: nbformat.NotebookNode, role: str) -> list[nbformat.NotebookNode]:
    """The cells that nbgrader takes for a "solution", or for a test to "grade"; none by hand."""
    return [
        cell
        for cell in nb.cells
        if cell.metadata.get("nbgrader", {}).get(role) and cell.id not in notebook.by_hand(nb)
    ]


def answers(source: str) -> list[str]:
    """What a solution cell holds between its marks; a class has several such places."""
    marked = r"^ *### BEGIN SOLUTION\n(.*?)^ *### END SOLUTION$"
    return re.findall(marked, source, re.DOTALL | re.MULTILINE)


def test_it_runs_and_its_own_tests_pass(solution):
    run(solution)


@pytest.mark.parametrize("seed", [PRACTICE, "one release", "another release", "a third"])
def test_its_functions_earn_all_points(chapter, solution, seed):
    functions = run(solution)
    for cell in cells(solution, "solution"):
        check = checks.find(chapter, cell.id)
        if check.seconds and seed != PRACTICE:
            continue  # once is enough where it takes long
        verdict = check.verdict(functions[cell.id], seed)
        assert verdict.fraction == 1, verdict.text()
        assert not verdict.note


def test_every_exercise_has_its_check_and_every_check_its_exercise(chapter, solution):
    module = importlib.import_module(f"autograde.checks.{chapter}")
    declared = [name for name, value in vars(module).items() if isinstance(value, Check)]
    assert [cell.id for cell in cells(solution, "solution")] == declared


def points(nb: nbformat.NotebookNode) -> int:
    return sum(cell.metadata.nbgrader.points for cell in cells(nb, "grade"))


def test_its_points_are_those_of_the_syllabus(chapter, solution):
    assert points(solution) == SYLLABUS[chapter]


def test_its_introduction_says_its_points_and_how_to_check_it(chapter, solution):
    introduction = solution.cells[0].source
    assert f" {points(solution)} points." in introduction
    assert f".venv/bin/python -m autograde check work/{chapter}.ipynb\n" in introduction


def test_its_cells_come_in_the_order_of_the_contract(solution):
    functions = [cell.id for cell in cells(solution, "solution")]
    order = ["intro", "imports"]
    for function in functions:
        order += [f"task-{function}", function, f"test_{function}"]
    for name in notebook.by_hand(solution):
        order += [f"task-{name}", name]
    assert [cell.id for cell in solution.cells] == order


def test_its_cells_have_their_roles(solution):
    for cell in cells(solution, "solution"):
        assert cell.metadata == {"nbgrader": {**ANSWER, "grade_id": cell.id}}
    for cell in cells(solution, "grade"):
        worth = cell.metadata.nbgrader.points
        assert type(worth) is int
        assert cell.metadata == {"nbgrader": {**TEST, "grade_id": cell.id, "points": worth}}


def test_what_is_graded_by_hand_says_its_points_and_has_a_rubric(solution):
    tasks = {cell.id: cell.source for cell in solution.cells}
    for name, worth in notebook.by_hand(solution).items():
        (cell,) = (cell for cell in solution.cells if cell.id == name)
        role = {**ANSWER, "grade": True, "grade_id": name, "points": worth}
        assert (cell.cell_type, cell.metadata) == ("markdown", {"nbgrader": role})
        task = tasks[f"task-{name}"]
        assert f"({worth:g} points, graded by hand)" in task.splitlines()[0]
        parts = [
            int(points) for points in re.findall(r"^\| [^|]+ \((\d+)\) \|", task, re.MULTILINE)
        ]
        assert sum(parts) == worth


def test_its_answers_are_marked_and_described(solution):
    for cell in cells(solution, "solution"):
        shown, _, rest = cell.source.partition("    ### BEGIN SOLUTION\n")
        assert re.search(rf"^(def|class) {cell.id}[(:]", shown, re.MULTILINE)
        assert '"""\n' in shown
        assert rest.endswith("    ### END SOLUTION")
        assert cell.source.count("###") == 2 * len(answers(cell.source))


def test_its_tests_show_an_example_and_hide_the_check(chapter, solution):
    for cell in cells(solution, "grade"):
        function = cell.id.removeprefix("test_")
        shown, _, _ = cell.source.partition("### BEGIN HIDDEN TESTS")
        assert cell.source == shown + HIDDEN.format(chapter=chapter, function=function)
        assert f"{function}(" in shown
        assert "assert " in shown
        assert "# " in shown
        assert "autograde" not in shown


def test_each_task_says_its_points(solution):
    tasks = {cell.id: cell.source for cell in solution.cells if cell.id.startswith("task-")}
    for cell in cells(solution, "grade"):
        worth, task = cell.metadata.nbgrader.points, tasks["task-" + cell.id.removeprefix("test_")]
        assert task.splitlines()[0].endswith("(1 point)" if worth == 1 else f"({worth} points)")
        assert "Example" in task


def test_it_is_stored_clean(chapter, solution):
    text = (ROOT / "solutions" / chapter / f"{chapter}.ipynb").read_text("utf-8")
    assert text == nbformat.writes(solution) + "\n"
    assert (solution.nbformat, solution.nbformat_minor) == (4, 5)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    assert solution.metadata == {"kernelspec": kernel}
    for cell in solution.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("chapter", RELEASED)
def test_the_released_exercise_holds_no_answer(chapter):
    path = ROOT / "exercises" / chapter / f"{chapter}.ipynb"
    text = path.read_text("utf-8")
    for secret in ("BEGIN", "END", "SOLUTION", "HIDDEN", "autograde.checks", ".grade("):
        assert secret not in text
    given = {cell.id: cell.source for cell in read("exercises", chapter).cells}
    for cell in cells(read("solutions", chapter), "solution"):
        body = {line for answer in answers(cell.source) for line in answer.splitlines() if line}
        assert not body & set(given[cell.id].splitlines())


@pytest.mark.parametrize("chapter", RELEASED)
def test_the_released_functions_are_not_written_yet(chapter):
    names: dict = {}
    nb = read("exercises", chapter)
    for cell in [nb.cells[1], *cells(nb, "solution")]:
        exec(compile(cell.source, cell.id, "exec"), names)
    for cell in cells(nb, "solution"):
        verdict = checks.find(chapter, cell.id).verdict(names[cell.id])
        assert verdict.fraction == 0
        assert "not written yet" in verdict.hint
