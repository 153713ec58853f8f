"""The gradebook: ours equals nbgrader's row by row, and PostgreSQL's equals SQLite's."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import nbformat
import pytest
import sqlalchemy

from tests.demo_class import ALL, CLASS, FAST, Student, hand_in, scores
from tests.test_nbgrader import LIMITS, NBGRADER, grade, run

# What names a row may differ from one gradebook to the next; the rest may not.
OWN = {"id", "timestamp"}
STUDENTS = [student for student in CLASS if student.name not in ("damaged", "endless_loop")]
# What a cell shows may not depend on the process that ran it.
STUDENTS += [
    Student("prints_a_set", ALL, cell="print(set('abcdefgh'), {'q': {'k', 'v'}})"),
    Student(
        "draws_numbers",
        ALL,
        cell="import random, numpy as np\nprint(random.random(), np.random.rand())",
    ),
    Student("shows_an_object", ALL, cell="print(object)\nobject()"),
]


def rows(url):
    """Every table of a gradebook as a sorted list of rows, ids replaced by what they stand for."""
    engine = sqlalchemy.create_engine(url)
    tables = sqlalchemy.inspect(engine).get_table_names()
    found = {}
    with engine.connect() as connection:
        for table in sorted(tables):
            result = connection.execute(sqlalchemy.text(f'select * from "{table}"'))
            found[table] = [dict(row) for row in result.mappings()]
    engine.dispose()
    names = {row["id"]: row.get("name") or row.get("first_name") or ""
             for table in found.values() for row in table if "id" in row}  # fmt: skip
    return {
        table: sorted(
            repr({
                key: names.get(value, value) if key.endswith("_id") else
                # SQLite has no truth values.
                int(value) if isinstance(value, bool) else value
                for key, value in row.items()
                if key not in OWN
            })
            for row in content
        )
        for table, content in found.items()
    }  # fmt: skip


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    grading = tmp_path_factory.mktemp("ours")
    hand_in(STUDENTS, grading)
    done = grade(grading)
    assert done.returncode == 0, done.stdout + done.stderr
    return grading


@pytest.fixture(scope="module")
def theirs(ours, tmp_path_factory):
    """The same class, graded by `nbgrader autograde` with our step."""
    grading = tmp_path_factory.mktemp("theirs")
    hand_in(STUDENTS, grading)
    shutil.copy(ours / "course.key", grading)
    release = f"--CourseDirectory.release_directory={grading}/release"
    for command in (
        ["generate_assignment", "attention", release],
        ["autograde", "attention", f"--Grade.limits={LIMITS}"],
    ):
        done = run([NBGRADER, *command], grading)
        assert done.returncode == 0, done.stderr
    return grading


def test_every_row_is_what_nbgrader_would_have_written(ours, theirs):
    one, other = (rows(f"sqlite:///{grading}/gradebook.db") for grading in (ours, theirs))
    assert one.keys() == other.keys()
    for table in one:
        assert one[table] == other[table], table


def test_every_graded_notebook_is_what_nbgrader_would_have_written_cell_by_cell(ours, theirs):
    for path in ours.glob("autograded/*/*/*.ipynb"):
        one = nbformat.read(path, as_version=4)
        other = nbformat.read(theirs / path.relative_to(ours), as_version=4)
        assert one.metadata == other.metadata
        assert len(one.cells) == len(other.cells)
        for mine, its in zip(one.cells, other.cells, strict=True):
            # Where a student's object is shown, its address is shown too.
            assert {**mine, "outputs": []} == {**its, "outputs": []}
            assert [o.output_type for o in mine.get("outputs", [])] == [
                o.output_type for o in its.get("outputs", [])
            ]


@pytest.fixture(scope="module")
def postgres():
    """The address of a PostgreSQL server of Debian's, on loopback for as long as the tests run."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    assert programs, "PostgreSQL is missing. On Debian: sudo apt install postgresql"
    as_user: list[str] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = str(free.getsockname()[1])
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(folder, "postgres")
            as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        data = ["-D", f"{folder}/data"]
        start = [*as_user, programs[-1] / "initdb", *data, "-A", "trust", "-U", "course"]
        subprocess.run([*start, "-E", "UTF8"], check=True, capture_output=True)
        address = ["-h", "127.0.0.1", "-p", port]
        with subprocess.Popen(
            [*as_user, programs[-1] / "postgres", *data, *address, "-k", folder],
            stderr=subprocess.DEVNULL,
        ) as server:
            try:
                ready = [programs[-1] / "pg_isready", *address]
                while subprocess.run(ready, check=False, capture_output=True).returncode:
                    assert server.poll() is None, "PostgreSQL did not start"
                    time.sleep(0.1)
                yield f"postgresql+psycopg://course@127.0.0.1:{port}/postgres"
            finally:
                server.terminate()


def test_postgresql_holds_the_same_rows_as_sqlite(ours, postgres, tmp_path):
    hand_in(STUDENTS, tmp_path)
    shutil.copy(ours / "course.key", tmp_path)
    command = [sys.executable, "-m", "autograde", "grade", "attention", *FAST]
    done = run(command, tmp_path, GRADEBOOK=postgres)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / "gradebook.db").exists()
    one, other = rows(postgres), rows(f"sqlite:///{ours}/gradebook.db")
    for table in other:
        assert one[table] == other[table], table


def test_dask_gives_the_same_points_and_verdict_files(ours, tmp_path):
    hand_in(STUDENTS, tmp_path)
    shutil.copy(ours / "course.key", tmp_path)
    done = grade(tmp_path, "--dask", "local", "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert scores(tmp_path, "attention") == scores(ours, "attention")
    one, other = (
        {path.name: path.read_bytes() for path in (of / "verdicts").iterdir()}
        for of in (ours, tmp_path)
    )
    assert one == other


def test_a_dask_scheduler_that_does_not_answer_is_a_clear_fault_of_ours(tmp_path):
    hand_in(STUDENTS[:1], tmp_path)
    done = grade(tmp_path, "--dask", "tcp://127.0.0.1:1")
    assert done.returncode != 0
    assert "127.0.0.1:1" in done.stdout + done.stderr
    assert scores(tmp_path, "attention") == {}
