"""Whatever a submission's file holds, it becomes the exercise's form or a clear reason why not."""

import copy
import json
import os
import re
import warnings

import nbformat
import pytest

from autograde import cohort, grader, notebook
from autograde.check import PRACTICE, Verdict
from autograde.sandbox import Limits, NoWall
from autograde.submission import Ran
from tests.demo_class import grade_id, notebook_of

CHAPTER = "attention"


@pytest.fixture
def exercise():
    return nbformat.read(cohort.exercise_path(CHAPTER), as_version=4)


@pytest.fixture
def raw():
    return notebook_of(CHAPTER, {})


def cell_of(raw, name):
    return next(cell for cell in raw["cells"] if grade_id(cell) == name)


def restored(raw, exercise):
    return notebook.restore(notebook.parse(json.dumps(raw)), exercise)


def form(nb):
    """(grade_id, type, points) of the graded cells, in order."""
    return [
        (cell.id, cell.cell_type, cell.metadata.nbgrader.get("points"))
        for cell in nb.cells
        if "nbgrader" in cell.metadata
    ]


def sources(nb):
    ours = [cell for cell in nb.cells if "nbgrader" in cell.metadata]
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in ours}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("{", "line 1, column 2"),
        ("[]", "no list of cells"),
        ('{"cells": {}}', "no list of cells"),
        ('{"cells": [1]}', "cell 1 is a int"),
        ('{"cells": [{"cell_type": "code", "source": 3}]}', "cell 1 has a source that is a int"),
        ("[" * 100_000, "RecursionError"),
        ("NaN", "no list of cells"),
    ],
)
def test_what_is_no_notebook_is_refused_with_its_place(text, reason):
    with pytest.raises(notebook.Unreadable, match=reason):
        notebook.parse(text)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("{}".encode("utf-16"), "UTF-16"),
        (b"\x80", "byte 0 is 0x80"),
    ],
)
def test_what_is_no_text_is_refused(data, reason, tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_bytes(data)
    with pytest.raises(notebook.Unreadable, match=reason):
        notebook.read(path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    path = tmp_path / "作业 一.ipynb"
    path.write_bytes("{}".encode("utf-8-sig"))
    assert notebook.read(path) == "{}"


def test_links_pipes_folders_and_huge_files_are_refused(tmp_path):
    (tmp_path / "real").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(notebook.MAX_FILE + 1)
    for name, reason in (
        ("link", "is a link"),
        ("pipe", "not a regular file"),
        ("folder", "not a regular file"),
        ("huge", "clear the outputs"),
        ("missing", "No such file"),
    ):
        with pytest.raises(notebook.Unreadable, match=reason):
            notebook.read(tmp_path / name)


def test_an_honest_notebook_needs_no_mending(raw, exercise):
    result = restored(raw, exercise)
    assert result.remarks == ()
    assert form(result.nb) == form(notebook.restore(exercise, exercise).nb)
    assert sources(result.nb)["attention"] == cell_of(raw, "attention")["source"]


def test_points_types_tags_and_kernel_come_from_the_exercise(raw, exercise):
    raw["metadata"]["kernelspec"] = {"name": "bash", "display_name": "bash"}
    test = cell_of(raw, "test_attention")
    test["metadata"]["nbgrader"] |= {"points": 1000, "grade": False, "locked": False}
    test["metadata"]["tags"] = ["skip-execution", "raises-exception"]
    for answer, kind in (("attend_one", "markdown"), ("test_attend_one", "raw")):
        cell_of(raw, answer)["cell_type"] = kind
    result = restored(raw, exercise)
    assert form(result.nb) == form(exercise)
    assert result.nb.metadata.kernelspec.name == "python3"
    assert not any("tags" in cell.metadata for cell in result.nb.cells)
    assert "attend_one was a markdown cell; it is code again" in result.remarks


def test_a_deleted_test_comes_back_after_its_answer(raw, exercise):
    raw["cells"].remove(cell_of(raw, "test_attention"))
    result = restored(raw, exercise)
    assert form(result.nb) == form(exercise)
    assert result.remarks == ("test_attention was missing",)


def test_every_cell_deleted_leaves_the_tests(exercise):
    result = restored({"cells": []}, exercise)
    assert [name for name, *_ in form(result.nb)] == [
        "test_attend_one",
        "test_attention",
        "test_additive_scores",
    ]


def test_a_changed_test_has_its_own_text_again(raw, exercise):
    cell_of(raw, "test_attention")["source"] = "pass"
    result = restored(raw, exercise)
    assert "assert" in sources(result.nb)["test_attention"]
    assert "test_attention was changed; its own text is back" in result.remarks


def test_copies_become_ordinary_cells_and_every_graded_cell_is_there_once(raw, exercise):
    for name in ("attention", "test_attention"):
        raw["cells"].insert(0, copy.deepcopy(cell_of(raw, name)))
    result = restored(raw, exercise)
    assert sorted(form(result.nb)) == sorted(form(exercise))
    assert len(result.nb.cells) == len(exercise.cells) + 2
    assert len({cell.id for cell in result.nb.cells}) == len(result.nb.cells)


def test_an_answer_split_in_two_runs_both_halves(raw, exercise):
    answer = cell_of(raw, "attention")
    place = raw["cells"].index(answer)
    half = {"cell_type": "code", "source": "factor = 2", "metadata": {}, "outputs": []}
    raw["cells"].insert(place, half)
    code = [cell.source for _, cell, _ in notebook.code(restored(raw, exercise).nb)]
    assert code.index("factor = 2") < code.index(answer["source"])


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        {"nbgrader": None},
        {"nbgrader": {"grade_id": 7}},
        {"nbgrader": {"grade_id": "x" * 10**6}},
    ],
)
def test_odd_metadata_is_dropped(metadata, raw, exercise):
    raw["cells"].append({"cell_type": "code", "source": "1", "metadata": metadata, "outputs": None})
    result = restored(raw, exercise)
    assert form(result.nb) == form(exercise)
    nbformat.validate(result.nb)
    assert all(len(remark) < 200 for remark in result.remarks)


def test_old_formats_line_ends_and_odd_letters(raw, exercise):
    cell_of(raw, "attention")["source"] = "def attention():\r\n    return '\ud800注意力'\r\n"
    old = nbformat.convert(nbformat.from_dict(raw), 3)
    for text in (json.dumps(raw), json.dumps(old)):
        nb = notebook.parse(text)
        assert any("def attention():\n    return '?注意力'\n" in cell.source for cell in nb.cells)
        notebook.restore(nb, exercise)


def test_an_old_format_may_hold_anything():
    cells = [
        {"cell_type": "code", "input": ["x = 1\n", "x"], "outputs": [1] * 9, "metadata": {}},
        {"cell_type": "heading", "level": 2, "source": "top"},
        {"cell_type": "html", "source": "<p>"},
    ]
    for old in ({"nbformat": 3, "worksheets": [{"cells": cells}]}, {"nbformat": 1, "cells": cells}):
        nb = notebook.parse(json.dumps(old))
        found = [(cell.cell_type, cell.source) for cell in nb.cells]
        assert found == [("code", "x = 1\nx"), ("markdown", "# top"), ("markdown", "<p>")]
    for sheets in (1, [1], [{}], [{"cells": 1}], None):
        with pytest.raises(notebook.Unreadable, match="no list of cells"):
            notebook.parse(json.dumps({"nbformat": 3, "worksheets": sheets}))
    with pytest.raises(notebook.Unreadable, match="cell 1 is a int"):
        notebook.parse(json.dumps({"nbformat": 2, "worksheets": [{"cells": [1]}]}))


def test_ready_made_functions_are_shown_to_the_instructor_and_cost_nothing():
    chapter = "vectors"
    sly = 'ready = getattr(np, "softmax", None)\nfrom math import log_softmax'
    raw = notebook_of(chapter, {}, f"import numpy as np\n{sly}")
    exercise = nbformat.read(cohort.exercise_path(chapter), as_version=4)
    graded = grader.grade(
        notebook.parse(json.dumps(raw)), exercise, chapter, PRACTICE, NoWall(), Limits()
    )
    assert {verdict.fraction for verdict in graded.verdicts.values()} == {1.0}
    assert graded.remarks == (
        "to look at: cell 1, line 2 uses softmax; softmax is to be from scratch",
        "to look at: cell 1, line 3 uses log_softmax; softmax is to be from scratch",
    )


def test_what_a_parser_takes_too_long_for_is_shown_to_the_instructor(raw, exercise):
    hidden = "import " + "torch." * notebook.MAX_PARSED + "nn"
    raw["cells"].append(cell_of(raw, "attention") | {"source": hidden, "metadata": {}})
    nb = restored(raw, exercise).nb
    assert notebook.too_long(nb) == [len(nb.cells)]
    assert notebook.used(nb, ["nn"]) == []
    assert notebook.borrowed(nb) == []
    graded = grader.grade(nb, exercise, CHAPTER, PRACTICE, NoWall(), Limits(), ["attend_one"])
    assert "too long to be looked through" in graded.remarks[-1]


def test_a_learners_warnings_are_not_the_graders(raw, exercise):
    answer = cell_of(raw, "attention")
    answer["source"] += "\nlatex = '\\d'  # nn"
    nb = restored(raw, exercise).nb
    with warnings.catch_warnings(action="error"):
        notebook.used(nb, ["nn"])
        notebook.borrowed(nb)


@pytest.mark.parametrize("value", ["[]", "{}", "0"])
def test_a_file_of_too_many_values_is_refused(value):
    text = json.dumps({"cells": [], "metadata": {"x": "?"}})
    many = ",".join([value] * (notebook.MAX_VALUES + 1))
    with pytest.raises(notebook.Unreadable, match="clear the outputs"):
        notebook.parse(text.replace('"?"', f"[{many}]"))


def test_text_that_takes_long_to_show_is_cut(raw, exercise):
    prose = {"cell_type": "markdown", "metadata": {}, "source": "\\[" * 20_000}
    raw["cells"] += [prose] * 40
    texts = [cell.source for cell in restored(raw, exercise).nb.cells[-40:]]
    assert max(map(len, texts)) < notebook.MAX_PROSE + 100
    assert sum(map(len, texts)) < notebook.MAX_READ + 40 * 100


def test_a_cell_has_one_number_in_its_label_its_traceback_and_the_remarks():
    lost = "import os\nos._exit(1)"  # what runs below it runs in another process
    raw = notebook_of(CHAPTER, {"attention": "def attention(Q, K, V)\n  pass\n"}, lost)
    raw["cells"].insert(1, dict(raw["cells"][0], id="wrong", source="1 / 0"))
    exercise = nbformat.read(cohort.exercise_path(CHAPTER), as_version=4)
    graded = grader.grade(
        notebook.parse(json.dumps(raw)), exercise, CHAPTER, PRACTICE, NoWall(), Limits()
    )
    assert any(remark.startswith("cell 1: ") for remark in graded.remarks)
    said = 0
    for cell in graded.nb.cells:
        for line in str(cell.get("outputs", "")).split("\\n"):
            for number in re.findall(r"Cell In\[(\d+)\]", line):
                assert int(number) == cell.execution_count
                said += 1
    assert said >= 2


def test_what_comes_after_the_last_question_is_not_run(exercise):
    raw = notebook_of(CHAPTER, {})
    raw["cells"].append(nbformat.v4.new_code_cell("print('ran')"))
    submitted = notebook.parse(json.dumps(raw))
    for questions, ran in (((), True), (("attention", "attend_one"), False)):
        graded = grader.grade(submitted, exercise, CHAPTER, PRACTICE, NoWall(), Limits(), questions)
        assert bool(graded.nb.cells[-1].outputs) == ran
        fractions = {name: verdict.fraction for name, verdict in graded.verdicts.items()}
        assert fractions == dict.fromkeys(questions or notebook.points(exercise), 1.0)


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("def attend_one(q, K, V, beta=1.0)\n    pass",
         "its cell has a SyntaxError in line 1: expected ':'."),
        ("if True:\n    x = 1\n  y = 2\ndef attend_one(): pass",
         "its cell has an IndentationError in line 3: "),
        ("1 / 0\ndef attend_one(): pass",
         "its cell has a ZeroDivisionError: division by zero."),
        ("raise AssertionError\nclass attend_one: pass", "its cell has an AssertionError."),
        ("raise Exception('\\x1b[31m' + 'a\\n' * 9999)\ndef attend_one(): pass",
         "its cell has an Exception: "),
    ],
)  # fmt: skip
@pytest.mark.parametrize("own_cell", [False, True])
def test_the_verdict_says_why_a_function_is_not_defined(source, hint, own_cell, exercise):
    raw = notebook_of(CHAPTER, {"attend_one": "" if own_cell else source}, own_cell and source)
    graded = grader.grade(
        notebook.parse(json.dumps(raw)), exercise, CHAPTER, PRACTICE, NoWall(), Limits()
    )
    verdict = graded.verdicts["attend_one"]
    assert verdict.fraction == 0
    assert verdict.hint.startswith(f"`attend_one` is not defined: {hint}")
    assert len(verdict.hint.splitlines()) == 1
    assert len(verdict.hint) < 500
    assert graded.verdicts["attention"].fraction == 1


@pytest.mark.parametrize(
    "output",
    [
        None, 7, {}, {"output_type": "stream"}, {"output_type": "stream", "text": 7},
        {"output_type": "error", "traceback": "x"}, {"output_type": "display_data", "data": []},
        {"output_type": "execute_result", "data": {"text/html": "<script>1</script>"}},
        {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>", "text/plain": 5}},
    ],
)  # fmt: skip
def test_whatever_comes_from_inside_the_wall_becomes_a_valid_output_without_markup(
    output, raw, exercise
):

    result = restored(raw, exercise)
    ran = {number: Ran([output]) for number, _, _ in notebook.code(result.nb)}
    verdicts = {name: Verdict(0.5, "half") for _, _, name in notebook.code(result.nb) if name}
    nb = notebook.write(result, ran, verdicts)
    nbformat.validate(nb)
    assert "<script>" not in nbformat.writes(nb)
    assert "<svg" not in nbformat.writes(nb)
