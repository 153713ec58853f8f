"""What comes in and what goes out: nbgrader's collecting, names of students, its export."""

import csv
import gzip
import json
import re
import tarfile
import zipfile
from collections import Counter

import pytest
from nbgrader.api import Gradebook

from autograde import cohort, hand_in, regrade
from tests.demo_class import Student, notebook_of, scores
from tests.demo_class import hand_in as put
from tests.test_command import autograde
from tests.test_nbgrader import NBGRADER, run

FORMULAS = ('=HYPERLINK("http:evil","a_right")', "@SUM(1)", "-1+1|cmd")
DAN, QUOTED = "Brown, Dan", 'the "one"'
RIGHT = json.dumps(notebook_of("attention", {}))


def collect(grading, files, *options, chapter="attention"):
    """Run zip_collect on files: name -> text, or what is in a zip by the name of its own file."""
    archive = grading / "downloaded" / chapter / "archive"
    for name, content in files.items():
        path = archive / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content)
            continue
        with zipfile.ZipFile(path, "w") as file:
            for member, text in content.items():
                file.writestr(member, text)
    return run([NBGRADER, "zip_collect", chapter, *options], grading)


def handed_in(grading):
    """Student -> the text of the notebook that lies where the grader looks for it."""
    paths = grading.glob("submitted/*/attention/attention.ipynb")
    return {path.parts[-3]: path.read_text() for path in paths}


def exported(grading, *options):
    done = run([NBGRADER, "export", *options], grading)
    assert done.returncode == 0, done.stderr
    with open(grading / "grades.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_name_of_what_is_handed_in_tells_the_student_whatever_a_zip_holds(tmp_path):
    work = {f"work/{chapter}.ipynb": chapter for chapter in cohort.chapters()}
    mac = {"__MACOSX/._attention.ipynb": "no", "__MACOSX/work/attention.ipynb": "no"}
    files = {
        "ada_attention.ipynb": "ada",
        ".._attention.ipynb": "no",
        "karl_attention (1).ipynb": "karl",
        "lena_Attention.ipynb": "lena",
        "Brown, Dan_attention.ipynb": "dan",
        "o_neil_attention.ipynb": "o_neil",
        "folder/attention.ipynb": "folder",
        "nora.zip": work | mac | {"work/._attention.ipynb": "no"},
        "fred.zip": {"homework/work/attention.ipynb": "fred"},
        "ivan_attention.zip": {"ATTENTION.ipynb": "ivan"},
        "jo_attention (2).zip": {"attention.ipynb": "jo"},
        "max.zip": {"max_attention (1).ipynb": "max"},
        "kim.zip": {"my_attention.ipynb": "kim", ".ipynb_checkpoints/attention-1.ipynb": "no"},
        # Passed over: another chapter's, or nobody's.
        "ada_self_attention.ipynb": "no",
        "self_attention.ipynb": "no",
        "attention.ipynb": "no",
        "ada_attention.pdf": "no",
    }  # fmt: skip
    done = collect(tmp_path, files)
    assert done.returncode == 0, done.stderr
    assert handed_in(tmp_path) == {
        "ada": "ada", "karl": "karl", "lena": "lena", "Brown, Dan": "dan", "o_neil": "o_neil",
        "folder": "folder", "nora": "attention", "fred": "fred", "ivan": "ivan", "jo": "jo",
        "max": "max", "kim": "kim",
    }  # fmt: skip
    assert len(list(tmp_path.glob("submitted/*"))) == 12
    for name in ("ada_self_attention", "self_attention", "attention"):
        assert f"Skipped submission with no match information provided: {tmp_path}" in done.stderr
        assert f"/extracted/{name}.ipynb" in done.stderr


def test_a_damaged_or_hostile_archive_is_passed_over_by_name_and_stops_nobody(tmp_path):
    archive = tmp_path / "downloaded" / "attention" / "archive"
    (archive / "mallory").mkdir(parents=True)
    with zipfile.ZipFile(archive / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(3):
            file.writestr(f"{number}/attention.ipynb", bytes(60 << 20))
    with zipfile.ZipFile(archive / "lzma.zip", "w", zipfile.ZIP_LZMA) as file:
        file.writestr("attention.ipynb", "no")
    packed = bytearray((archive / "lzma.zip").read_bytes())
    packed[packed.index(b"attention.ipynb") + 19] = 255  # of its properties
    (archive / "lzma.zip").write_bytes(packed)
    (archive / "cut.zip").write_bytes((archive / "bomb.zip").read_bytes()[:-40])
    (archive / "none.zip").write_text("no zip")
    (archive / "endless.tgz").write_bytes(gzip.compress(_tar_without_end()))
    with zipfile.ZipFile(archive / "mallory" / "...zip", "w") as file:
        file.writestr("ada_attention.ipynb", "no")
    files = {
        "clash.zip": {"a.ipynb": "no", "a.ipynb/attention.ipynb": "no"},
        "twice.zip": {"attention.ipynb": "no", "./attention.ipynb": "no"},
        "empty.zip": {"notes.txt": "no"},
        "many.zip": {f"{number}.ipynb": "no" for number in range(101)},
        "out.zip": {"../../../attention.ipynb": "out", "/etc/x.ipynb": "no"},
        "win.zip": {"work\\attention.ipynb": "win"},
        "ada_attention.ipynb": "ada",
        "j.doe.zip": {"attention.ipynb": "doe"},
        "j.tarski.zip": {"attention.ipynb": "tarski"},
    }
    done = collect(tmp_path, files)
    assert done.returncode == 0, done.stderr
    assert handed_in(tmp_path) == {
        "ada": "ada", "out": "out", "win": "win", "j.doe": "doe", "j.tarski": "tarski",
    }  # fmt: skip
    for name in ("bomb", "lzma", "cut", "none", "clash", "twice", "empty", "many", "mallory/.."):
        line = rf"Skipped {tmp_path}/\S+/{re.escape(name)}\.\w+: "
        assert re.search(line, done.stderr), name
    assert re.search(r"Skipped submission with no match .*/endless\.tgz", done.stderr)
    unpacked = tmp_path / "downloaded" / "attention" / "extracted"
    assert sum(path.stat().st_size for path in unpacked.rglob("*") if path.is_file()) < 200 << 20


def _tar_without_end() -> bytes:
    """A tar file of a member with a length below 0, after which the same header comes again."""
    data = bytearray(tarfile.TarInfo("a.txt").tobuf(tarfile.GNU_FORMAT))
    member = tarfile.TarInfo("attention.ipynb")
    member.size = -512
    return bytes(data + member.tobuf(tarfile.GNU_FORMAT) + bytes(2048))


@pytest.mark.parametrize("chapter", ["self_attention", "translation"])
def test_a_zip_of_all_chapters_gives_each_its_own(chapter, tmp_path):
    work = {f"work/{name}.ipynb": name for name in cohort.chapters()}
    done = collect(tmp_path, {"nora.zip": work, f"ada_{chapter}.ipynb": "ada"}, chapter=chapter)
    assert done.returncode == 0, done.stderr
    found = {path: path.read_text() for path in (tmp_path / "submitted").glob("*/*/*")}
    place = tmp_path / "submitted"
    assert found == {
        place / f"nora/{chapter}/{chapter}.ipynb": chapter,
        place / f"ada/{chapter}/{chapter}.ipynb": "ada",
    }


def test_a_second_batch_loses_nobody(tmp_path):
    for name in ("nora", "fred"):
        archive = tmp_path / "downloaded/attention/archive"
        for path in archive.glob("*"):
            path.unlink()
        files = {f"{name}.zip": {"work/attention.ipynb": name}}
        done = collect(tmp_path, files, "--force")
        assert done.returncode == 0, done.stderr
    assert handed_in(tmp_path) == {"nora": "nora", "fred": "fred"}


def test_a_student_with_several_files_is_collected_and_named_and_stops_nobody(tmp_path):
    files = {
        "ada_attention.ipynb": "ada, early",
        "ada_attention (1).ipynb": "ada, late",
        "ben_attention.ipynb": "ben",
        "ben.zip": {"work/attention.ipynb": "ben"},
        "cem.zip": {"a/attention.ipynb": "cem, a", "b/attention.ipynb": "cem, b"},
        "eve/attention.ipynb": "eve, in a folder",
        "eve.zip": {"attention.ipynb": "eve, in a zip"},
        "dan_attention.ipynb": "dan",
    }
    done = collect(tmp_path, files)
    assert done.returncode == 0, done.stderr
    assert handed_in(tmp_path) == {"ben": "ben", "dan": "dan"}
    of = tmp_path / "submitted" / "ada" / "attention"
    late, early = of / "attention (1).ipynb", of / "attention (2).ipynb"
    assert (late.read_text(), early.read_text()) == ("ada, late", "ada, early")
    assert "ben has handed in the same file twice" in done.stderr
    for name, path in (("ada", "ada_attention (1)"), ("cem", "cem/b/attention")):
        line = rf"{name} has handed in 2 different files for attention: \S+/{re.escape(path)}"
        assert re.search(line, done.stderr), done.stderr
    done = autograde(tmp_path, "grade", "attention", "--trust-submissions")
    assert "found: attention (1).ipynb, attention (2).ipynb. Rename" in done.stdout
    assert "submissions: 5" in done.stdout
    found = tmp_path.glob("submitted/eve/attention/*")
    assert {path.read_text() for path in found} == {"eve, in a folder", "eve, in a zip"}
    # Taken out of the archive, or renamed in place, the one that counts is what counts.
    (tmp_path / "downloaded/attention/archive/ada_attention.ipynb").unlink()
    assert collect(tmp_path, {}, "--force").returncode == 0
    assert handed_in(tmp_path)["ada"] == "ada, late"
    assert "cem" not in handed_in(tmp_path)


def test_a_name_is_one_student_s_however_its_letters_are_written(tmp_path):
    done = collect(
        tmp_path, {"ren\u00e9_attention.ipynb": "one", "rene\u0301.zip": {"attention.ipynb": "one"}}
    )
    assert done.returncode == 0, done.stderr
    assert handed_in(tmp_path) == {"ren\u00e9": "one"}


def test_feedback_goes_back_by_the_exchange_through_which_a_submission_came(tmp_path):
    home = tmp_path / "home"
    notebook = home / "attention" / "attention.ipynb"
    theirs = ("--course=attention", f"--Exchange.root={tmp_path}/exchange",
              f"--Exchange.cache={tmp_path}/cache")  # fmt: skip

    def ok(*command):
        done = run([NBGRADER, *command], tmp_path)
        assert done.returncode == 0, done.stderr

    def student(*command):
        done = run([NBGRADER, *command, *theirs], tmp_path, course=home)
        assert done.returncode == 0, done.stderr

    home.mkdir()
    ok("release_assignment", "attention")
    student("fetch_assignment", "attention")
    notebook.write_text(RIGHT)
    student("submit", "attention")
    ok("collect", "attention")
    assert autograde(tmp_path, "grade", "attention", "--trust-submissions").returncode == 0
    ok("generate_feedback", "attention")
    ok("release_feedback", "attention")
    student("fetch_feedback", "attention")
    (page,) = home.glob("attention/feedback/*/attention.html")
    assert "additive_scores" in page.read_text()


@pytest.mark.parametrize("name", [" spaced ", "a_right ", "\tada", ".", "[a]"])
def test_a_folder_whose_name_is_none_for_a_student_says_why(name):
    assert "rename it and grade again" in hand_in.no_student(name, "attention")


# ---- a class with odd names and odd files


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """(its folder, what the grading said); Dan handed in two chapters."""
    grading = tmp_path_factory.mktemp("odd")
    odd = ("zipped", "misnamed", "nothing", "a_right", "a_right ")
    put([Student(name, {}) for name in (*FORMULAS, *odd, DAN, QUOTED)], grading)
    put([Student(DAN, {}, chapter="vectors")], grading)
    of = {name: grading / "submitted" / name / "attention" for name in odd}
    with zipfile.ZipFile(of["zipped"] / "attention.ipynb", "w") as file:
        file.writestr("attention.ipynb", RIGHT)
    (of["misnamed"] / "attention.ipynb").rename(of["misnamed"] / "attention (1).ipynb")
    (of["nothing"] / "attention.ipynb").unlink()
    # The slashes are what a shell's completion adds.
    done = autograde(grading, "grade", "attention/", "vectors/", "--trust-submissions")
    assert done.returncode == 1, done.stderr
    with Gradebook(f"sqlite:///{grading}/gradebook.db", "attention") as gradebook:
        gradebook.update_or_create_student("nothing", last_name="+1", email="a@b")
    return grading, done.stdout


@pytest.fixture(scope="module")
def rows(graded):
    """The rows of `nbgrader export`."""
    return exported(graded[0])


@pytest.mark.parametrize(
    "reason",
    [
        "attention.ipynb is a packed file (zip): unpack it",
        "found: attention (1).ipynb. Rename or unpack what is meant, and grade again",
        "attention.ipynb is missing; found: nothing\n",
        "not graded: the folder's name “a_right ” is none for a student",
    ],
)
def test_what_cannot_be_graded_says_what_to_do(graded, reason):
    assert reason in graded[1]


@pytest.mark.parametrize("text", ["9" * 33 + "h", "", "never", "2026-13-45", "\0"])
def test_whatever_a_student_writes_for_a_time_stops_nobody(text, tmp_path):
    put([Student("ada", {}, {}), Student("ben", {}, {})], tmp_path)
    (tmp_path / "submitted/ada/attention/timestamp.txt").write_text(text)
    done = autograde(tmp_path, "grade", "attention", "--trust-submissions")
    assert done.returncode == 0, done.stderr
    assert scores(tmp_path, "attention").keys() == {"ada", "ben"}


def test_a_slash_at_its_end_is_no_part_of_a_name(graded):
    trust = "--trust-submissions"
    again = autograde(graded[0], "grade", "attention/", "--student", "a_right/", trust)
    assert again.returncode == 0, again.stderr
    for command in (("replay", "a_right/", "attention/"), ("regrade", "vectors/", "--reason=x")):
        done = autograde(graded[0], *command, trust)
        assert done.returncode == 0, done.stderr
    assert "a_right/" not in scores(graded[0], "attention")


def test_the_export_holds_every_name_as_one_field_and_no_formula(rows):
    assert all(None not in row and None not in row.values() for row in rows)
    students = [*(f"'{name}" for name in FORMULAS), "zipped", "misnamed", "nothing", "a_right"]
    assert Counter(row["student_id"] for row in rows) == dict.fromkeys([*students, DAN, QUOTED], 2)
    told = {(row["last_name"], row["email"]) for row in rows if row["student_id"] == "nothing"}
    assert told == {("'+1", "a@b")}


def test_the_export_tells_nothing_handed_in_from_nothing_earned(rows):
    by = {(row["assignment"], row["student_id"]): row for row in rows}
    for key in ("raw_score", "late_submission_penalty", "score"):
        assert by["vectors", QUOTED][key] == ""
    assert by["attention", "zipped"]["score"] == "0.0"
    assert by["attention", DAN]["score"] == "16.0"
    assert float(by["vectors", DAN]["score"]) > 0


def test_the_export_is_of_the_chapters_and_students_that_are_named(graded, rows):
    some = exported(graded[0], "--assignment", "['vectors']", "--student", "['zipped']")
    assert [(row["assignment"], row["student_id"]) for row in some] == [("vectors", "zipped")]


def test_the_log_of_regrades_holds_no_formula_either(tmp_path):
    change = regrade.Change("now", "attention", FORMULAS[0], "attention", 1, -2, 3, "=1", "seed")
    regrade._log([change], tmp_path / "log.csv")
    with open(tmp_path / "log.csv", newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["student"], row["reason"], row["after"]) == (f"'{FORMULAS[0]}", "'=1", "-2")
