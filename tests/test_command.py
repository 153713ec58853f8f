"""The command line: which chapters, what it says, and how it ends."""

import csv
import json
import re
import sys
import zipfile
from dataclasses import fields

import pytest
from nbgrader.api import Gradebook

from autograde import checks, cohort, report
from autograde.__main__ import _amount, main
from autograde.check import PRACTICE
from autograde.plain import UNDEFINED, Answer
from autograde.sandbox import Limits
from tests.demo_class import CLASS, Student, grade_id, hand_in, notebook_of, scores
from tests.test_nbgrader import NBGRADER, run

RIGHT = [student for student in CLASS if student.name == "right"]


def autograde(grading, *command, **environment):
    return run([sys.executable, "-m", "autograde", *command], grading, **environment)


def test_grade_says_where_it_found_nothing(tmp_path):
    for command in (["grade", "attention"], ["grade"]):
        done = autograde(tmp_path, *command)
        assert done.returncode == 2
        assert "autograde: nothing handed in" in done.stderr
        assert f"in {tmp_path}/submitted" in done.stderr
    assert not (tmp_path / "gradebook.db").exists()


def test_grade_without_a_chapter_grades_those_with_submissions(tmp_path):
    hand_in(RIGHT, tmp_path)
    path = tmp_path / "submitted/right/vectors/vectors.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps(notebook_of("vectors", {})))
    done = autograde(tmp_path, "grade", "--trust-submissions")
    assert done.returncode == 0, done.stderr
    assert "attention (seed" in done.stdout
    assert "vectors (seed" in done.stdout
    assert "masking" not in done.stdout
    assert set(scores(tmp_path, "vectors")) == {"right"}
    done = autograde(tmp_path, "grade", "masking", "attention", "--trust-submissions")
    assert done.returncode == 2
    assert "nothing handed in for masking" in done.stderr


def test_the_table_says_which_points_were_given_by_hand(tmp_path):
    hand_in(RIGHT, tmp_path)
    autograde(tmp_path, "grade", "attention", "--trust-submissions")
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db", "attention") as gradebook:
        place = ("attention", "attention", "right")
        gradebook.find_grade("test_attend_one", *place).manual_score = 1.5
        gradebook.find_grade("test_attention", *place).extra_credit = 2
        gradebook.db.commit()
    done = autograde(tmp_path, "grade", "attention", "--trust-submissions")
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("right "))
    told = "by hand: attend_one 1.5, not 4; by hand: attention 8, not 6"
    assert row.split(maxsplit=5) == ["right", "15.5", "1.5", "8", "6", told]
    assert scores(tmp_path, "attention")["right"]["attend_one"] == 1.5


def test_a_gradebook_that_cannot_be_opened_is_one_line_without_its_password(tmp_path):
    hand_in(RIGHT, tmp_path)
    for url, reason in (
        ("sqlite:////nowhere/gradebook.db", "unable to open database file"),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/x", "127.0.0.1"),
        ("no address", "Could not parse"),
        ("nothing://x", "nothing"),
        ("postgres://me:secret@x/y", "begins with postgres://; write postgresql+psycopg://"),
    ):
        done = autograde(tmp_path, "grade", "attention", "--trust-submissions", GRADEBOOK=url)
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith("autograde: the gradebook ")
        assert reason in line
        assert "secret" not in line


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--cell-seconds", "-3", "cell_seconds is -3.0; at least 0.1 is needed"),
        ("--notebook-seconds", "nan", "notebook_seconds is nan"),
        ("--memory", "2", "memory is 2; at least 134,217,728 is needed"),
        ("--memory", "two", "“two” is no size, such as 512M or 2G"),
        ("--output", "0", "output is 0"),
        ("--cell-seconds", "x", "could not convert string to float: 'x'"),
    ],
)
def test_a_limit_that_no_submission_could_keep_is_refused(option, value, reason, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["grade", "attention", option, value])
    assert reason in capsys.readouterr().err


def test_sizes_may_have_units_and_a_grader_s_limits_the_same_floor():
    memory, cells = fields(Limits)[4], fields(Limits)[0]
    sizes = [_amount(memory, text) for text in ("2G", "512m", "300000K", "1GiB", "200000000")]
    assert sizes == [2 << 30, 512 << 20, 300000 << 10, 1 << 30, 200000000]
    assert _amount(cells, "1.5") == 1.5
    with pytest.raises(ValueError, match="disk is 0"):
        Limits(disk=0)


def test_every_command_says_its_exit_codes_and_explains_what_it_takes(capsys):
    for command in ("grade", "regrade", "replay", "check"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        said = capsys.readouterr().out
        assert "Exit code: 0 when " in said
        for name in ("CHAPTER", "STUDENT", "NOTEBOOK"):
            assert not re.search(rf"^  {name}$\n(\n|  [A-Z])", said, re.MULTILINE)
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    for word in ("COMMAND --help", "GRADING=", "GRADEBOOK", "course.key"):
        assert word in said


def test_replay_runs_without_the_wall_too_and_by_the_limits_given(tmp_path):
    slow = "import time\ndef attend_one(q, K, V, beta=1.0):\n    time.sleep(60)\n"
    hand_in([Student("slow", {}, {"attend_one": slow})], tmp_path)
    of = ("replay", "slow", "attention", "--question", "attend_one")
    done = autograde(tmp_path, *of, "--trust-submissions", "--call-seconds", "0.5")
    assert done.returncode == 0, done.stderr
    assert "0.5 s" in done.stdout
    done = autograde(tmp_path, "replay", "nobody", "attention")
    assert done.returncode == 2
    assert f"“nobody” has handed in nothing for attention: no {tmp_path}" in done.stderr


def test_what_a_student_wrote_moves_no_cursor_and_starts_no_line():
    error = "raised ValueError: \x1b]0;mine\x07\x1b[2J\nattend_one: All cases pass."
    check = checks.find("attention", "attend_one")
    answers = [Answer(error=error) for _ in check.calls(PRACTICE)]
    said = report.replay(check, answers, PRACTICE, everything=True)
    assert "mine" in said
    assert said.replace("\n", "").isprintable()
    assert "\nattend_one" not in said


def test_replay_shows_the_first_wrong_call_of_a_case_or_all():
    check = checks.find("attention", "attend_one")
    calls, right = check.calls(PRACTICE), check.expected(PRACTICE)
    answers = [Answer(value) for _, value in right]
    wrong = 1  # the second call of the first case
    answers[wrong] = Answer(error="raised ValueError: odd")
    said = report.replay(check, answers, PRACTICE, everything=False)
    assert re.findall(r"^call (\d+), ", said, re.MULTILINE) == ["2"]
    said = report.replay(check, answers, PRACTICE, everything=True)
    assert said.count("\ncall ") == len(calls)
    assert said.count(": right\n") == len(calls) - 1
    said = report.replay(check, [UNDEFINED] * len(calls), PRACTICE, everything=False)
    assert said.count("\ncall ") == len(check.cases)
    assert "array" not in said


def test_the_name_of_a_file_moves_no_cursor(tmp_path):
    hand_in(RIGHT, tmp_path)
    folder = tmp_path / "submitted/right/attention"
    (folder / "attention.ipynb").rename(folder / "\x1b]0;mine\x07.ipynb")
    done = autograde(tmp_path, "replay", "right", "attention")
    assert done.returncode == 2
    assert "mine" in done.stderr
    assert "\x1b" not in done.stderr


def test_check_names_a_missing_file_as_it_was_typed_and_says_that_it_runs(tmp_path):
    done = autograde(tmp_path, "check", "work/nothing/attention.ipynb")
    assert done.returncode == 2
    assert done.stderr == "autograde: there is no work/nothing/attention.ipynb\n"
    path = tmp_path / "attention.ipynb"
    path.write_text("[1, 2")
    done = autograde(tmp_path, "check", path)
    assert "at at" not in done.stderr
    path.write_text(json.dumps(notebook_of("attention", {})))
    done = autograde(tmp_path, "check", path)
    assert done.stdout.startswith(f"running the cells of {path} …\n")
    assert done.returncode == 0


def test_regrade_of_who_was_never_graded_says_so_and_nothing_else(tmp_path):
    hand_in(RIGHT, tmp_path)
    done = autograde(tmp_path, "regrade", "attention/", "--reason", "x", "--trust-submissions")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nobody has been graded in attention" in done.stderr
    done = autograde(tmp_path, "regrade", "scaling", "--reason", "x", "--trust-submissions")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing handed in for scaling" in done.stderr


def test_check_says_of_which_chapter_a_notebook_is(tmp_path):
    path = tmp_path / "vectors.ipynb"
    path.write_text(json.dumps(notebook_of("attention", {})))
    done = autograde(tmp_path, "check", path)
    assert done.returncode == 2
    assert "this is the notebook of attention; hand in the one of this chapter" in done.stderr


def test_no_two_chapters_share_the_name_of_a_cell():
    found = [
        name
        for chapter in cohort.chapters()
        for name in {
            grade_id(cell)
            for cell in json.loads(cohort.exercise_path(chapter).read_text("utf-8"))["cells"]
        }
        if name
    ]
    assert len(found) == len(set(found)) > 50


def test_zip_collect_exchange_and_export_stay_in_the_folder_of_the_class(tmp_path):
    archive = tmp_path / "downloaded/attention/archive"
    archive.mkdir(parents=True)
    right = json.dumps(notebook_of("attention", {}))
    (archive / "ada_attention.ipynb").write_text(right)
    with zipfile.ZipFile(archive / "ben_b.zip", "w") as file:
        file.writestr("attention.ipynb", right)
    for command in (
        ["zip_collect", "attention"],
        ["release_assignment", "attention"],
        ["collect", "attention"],
    ):
        done = run([NBGRADER, *command], tmp_path)
        assert done.returncode == 0, done.stderr
    done = autograde(tmp_path, "grade", "--trust-submissions")
    assert done.returncode == 0, done.stderr
    done = run([NBGRADER, "export"], tmp_path)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "grades.csv", newline="", encoding="utf-8") as file:
        points = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert points == {"ada": 16, "ben_b": 16}
