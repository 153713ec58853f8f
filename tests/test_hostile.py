"""Submissions that attack the grader: each file of tests/hostile states what it earns.

They are graded in one class, beside two students who are right; by root and by an ordinary user,
with bubblewrap and without it. A file's first line is its verdict, `# attention: 0`; a second one,
`# says: text`, is what the verdict must tell the learner. What follows is the code of its cells,
`# %%` between them; the one that defines `attention` is the answer, and no other function is
answered.
"""

import ctypes
import fcntl
import hashlib
import json
import os
import platform
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograde.wall import COURSE
from tests.demo_class import ALL, grade_id, notebook_of, scores

ATTACKS = sorted(Path(__file__).with_name("hostile").glob("*.py"))
HONEST = ("a_right", "z_right")  # graded among the first and among the last
USER = 1000
SHARED = "/tmp"  # by all runs on a machine
PORT = 48151  # that process_control_sockets listens on
LIMITS = ("--cell-seconds", "2", "--call-seconds", "1", "--cpu-seconds", "20", "--processes", "40")
LIMITS += ("--memory", str(512 << 20), "--disk", str(32 << 20), "--output", "20000")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the wall needs Linux")
GRADERS = [
    "root",
    "user",
    "user without bubblewrap",
    pytest.param("root without bubblewrap", marks=pytest.mark.proof),
]


@dataclass(frozen=True)
class Graded:
    """A class after it was graded."""

    code: int
    said: str
    grading: Path
    scores: dict[str, dict[str, float]]
    secrets: dict[str, str]  # where a secret lies -> what it is
    changed: set[str]  # files that are not as they were
    left: list[str]  # processes that are still there

    def text(self, student: str) -> str:
        """The graded notebook of a student."""
        path = self.grading / "autograded" / student / "attention" / "attention.ipynb"
        return path.read_text("utf-8")

    def verdict(self, student: str) -> str:
        """What a student reads below the test of `attention`."""
        cells = json.loads(self.text(student))["cells"]
        cell = next(cell for cell in cells if grade_id(cell) == "test_attention")
        return "".join(cell["outputs"][-2]["text"])


def test_corpus_covers_every_class():
    kinds = ("monkeypatch", "reference_theft", "disk_read", "ipython_hook", "protocol_forgery",
             "process_control", "disk_write", "network", "shadow_file", "semantic")  # fmt: skip
    for kind in kinds:
        assert sum(path.stem.startswith(kind) for path in ATTACKS) >= 2, kind
    assert all(path.stem.startswith(kinds) for path in ATTACKS)


@pytest.mark.parametrize("path", ATTACKS, ids=lambda path: path.stem)
def test_attack_earns_what_it_states(graded: Graded, path: Path):
    assert path.stem in graded.scores, graded.said
    points, says = stated(path)
    verdict = graded.verdict(path.stem)
    assert graded.scores[path.stem] == dict.fromkeys(ALL, 0.0) | {"attention": points}, verdict
    assert says in verdict


def test_honest_students_lose_nothing(graded: Graded):
    for student in HONEST:
        assert graded.scores[student] == ALL, graded.verdict(student)


def test_every_submission_is_graded(graded: Graded):
    assert graded.code == 0, graded.said
    assert "our fault" not in graded.said
    assert "Traceback" not in graded.said


def test_no_secret_is_told(graded: Graded):
    told = {path: path.read_bytes() for path in (graded.grading / "autograded").rglob("*.ipynb")}
    told |= {path: path.read_bytes() for path in (graded.grading / "verdicts").iterdir()}
    told[Path("the run")] = graded.said.encode()
    for place, secret in graded.secrets.items():
        found = [path for path, text in told.items() if secret.encode() in text]
        if place == "student":  # who keeps it in the graded notebook, and nobody else
            assert len(found) == 2
            assert f"/{HONEST[0]}/" in str(found[0])
        else:
            assert not found, f"the secret of {place} is in {found}"


def test_nothing_gets_through(graded: Graded):
    for path in ATTACKS:  # those that find a way say so
        cells = json.loads(graded.text(path.stem))["cells"]
        outputs = json.dumps([cell.get("outputs") for cell in cells])
        assert "got through" not in outputs, f"{path.stem}: {outputs}"


def test_nothing_is_changed(graded: Graded):
    assert not graded.changed


def test_nothing_survives(graded: Graded):
    assert not graded.left
    for path in ("/tmp/harm", "/tmp/hostile.sock", "/dev/hostile.sock", "/dev/shm/hostile.sock"):
        assert not os.path.lexists(path)
    assert "hostile" not in Path("/proc/net/unix").read_text()
    listening = f":{PORT:04X} 00000000:0000 0A"
    assert listening not in Path("/proc/net/tcp").read_text()


def test_another_run_on_this_machine_waits(graded: Graded):
    folder = os.open(SHARED, os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(folder)


def test_notebooks_stay_small(graded: Graded):
    for path in ATTACKS:
        assert len(graded.text(path.stem)) < 1_000_000, path.stem


def test_students_write_no_line_of_the_report(graded: Graded):
    assert "\x1b" not in graded.said.replace("\x1b[A", "")  # that one moves the progress bar
    rows = [line.split()[0] for line in graded.said.splitlines() if line.strip()]
    assert rows.count("a_right") == rows.count("z_right") == 1
    assert max(map(len, graded.said.splitlines())) < 1_000


# ---- the class


@pytest.fixture(scope="module", params=GRADERS)
def graded(request) -> Iterator[Graded]:
    """All attacks and two honest students in one class."""
    who, _, without = request.param.partition(" without ")
    if who == "root" and os.geteuid() != 0:
        pytest.skip("the tests do not run as root")
    if not without and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    with _alone(), tempfile.TemporaryDirectory(prefix="hostile-") as name:
        os.chmod(name, 0o755)
        yield _grade_class(Path(name), who == "user", "/nowhere" if without else os.environ["PATH"])


@contextmanager
def _alone() -> Iterator[None]:
    """No other run on this machine: attacks leave the same names and listen on the same port."""
    folder = os.open(SHARED, os.O_RDONLY)  # whoever runs the tests may lock it, and leaves no file
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _grade_class(place: Path, by_user: bool, path: str) -> Graded:
    hidden = {
        name: f"canary-{name}-{secrets.token_hex(4)}"
        for name in ("home", "course", "environment", "student", "keyring")
    }
    grading, home = place / "grading", place / "home"
    _hand_in(grading, hidden["student"])
    (grading / "course.key").write_text(hidden["course"])
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text(hidden["home"])
    marker = f"{60 + secrets.randbelow(10**6) / 10**6:.6f}"  # names the processes of this run
    command = ["env", f"PATH={path}", sys.executable, "-m", "autograde", "grade", "attention"]
    command += ["--workers", "2", *LIMITS, "--notebook-seconds", marker]
    if by_user and os.geteuid() == 0:
        for owned in (place, *place.rglob("*")):
            os.chown(owned, USER, USER)
        command = as_user(command, place)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GRADING": str(grading),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COURSE_TOKEN": hidden["environment"],
    }
    watched = (COURSE, home, grading / "submitted", grading / "course.key")
    before = _digests(*watched)
    run = subprocess.run(
        command, cwd=COURSE, env=environment, capture_output=True, text=True, timeout=900,
        preexec_fn=lambda: _keep_in_keyring(hidden["keyring"]), check=False,
    )  # fmt: skip
    after = _digests(*watched)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    left = [line for line in _command_lines() if marker in line or "hostile_left" in line]
    return Graded(
        run.returncode,
        run.stdout + run.stderr,
        grading,
        scores(grading, "attention"),
        hidden,
        changed,
        left,
    )


def as_user(command: list[str], place: Path) -> list[str]:
    """Root's command to run another as an ordinary user.

    Python or the checkout may lie in a folder that is closed to others, such as root's home. So in
    a mount namespace of its own an open, empty folder covers that one, and only what is needed is
    shown in it again.
    """
    lines, shown = [], []
    for path in map(Path, dict.fromkeys((sys.prefix, sys.base_prefix, str(COURSE)))):
        closed = [part for part in reversed(path.parents) if not part.stat().st_mode & 1]
        if closed:
            shown.append((path, closed[0], place / f"shown-{len(shown)}"))
    for path, _, stage in shown:
        lines += [f"mkdir {stage}", f"mount --bind {shlex.quote(str(path))} {stage}"]
    for folder in {folder for _, folder, _ in shown}:
        lines.append(f"mount -t tmpfs -o mode=755 open {shlex.quote(str(folder))}")
    for path, _, stage in shown:
        quoted = shlex.quote(str(path))
        lines += [f"mkdir -p {quoted}", f"mount --bind {stage} {quoted}"]
    lines.append(f'exec setpriv --reuid={USER} --regid={USER} --clear-groups --inh-caps=-all "$@"')
    script = "\n".join(lines)
    return ["unshare", "--mount", "--propagation", "private", "sh", "-euc", script, "sh", *command]


def stated(path: Path) -> tuple[float, str]:
    """(the points, what the verdict says) of an attack."""
    head = re.match(r"# attention: (\S+)\n(?:# says: (.*)\n)?", path.read_text("utf-8"))
    assert head, f"{path.name} does not state its verdict"
    return float(head[1]), head[2] or ""


def _hand_in(grading: Path, secret: str) -> None:
    for name in HONEST:
        comment = f"# by {name}, {secret if name == HONEST[0] else ''}"
        hand_in(grading, name, notebook_of("attention", {}), comment)
    for path in ATTACKS:
        hand_in(grading, path.stem, attack_of(path))


def hand_in(grading: Path, student: str, nb: dict, comment: str = "") -> None:
    """Hand in a notebook, with a cell for a comment of the student's own."""
    folder = grading / "submitted" / student / "attention"
    folder.mkdir(parents=True)
    nb["cells"][:0] = [_code(comment)] if comment else []
    (folder / "attention.ipynb").write_text(json.dumps(nb), "utf-8")


def attack_of(path: Path) -> dict:
    """The exercise with an attack's cells around its answer."""
    nb = notebook_of("attention", dict.fromkeys(ALL))
    cells = path.read_text("utf-8").split("# %%\n")
    place = next(i for i, cell in enumerate(nb["cells"]) if grade_id(cell) == "attention")
    answer = next((i for i, cell in enumerate(cells) if "def attention(" in cell), len(cells))
    others = [_code(source) for source in cells]
    if answer < len(cells):
        nb["cells"][place]["source"] = cells[answer]
    nb["cells"][place + 2 : place + 2] = others[answer + 1 :]
    nb["cells"][place:place] = others[:answer]
    return nb


def _code(source: str) -> dict:
    empty = {"outputs": [], "execution_count": None, "metadata": {}}
    return {"cell_type": "code", "source": source, "id": secrets.token_hex(4)} | empty


def _digests(*places: Path) -> dict[str, str]:
    """A hash of every file, but for those that tools of developers write."""
    found = {}
    for place in places:
        for path in (place, *sorted(place.rglob("*"))):
            parts = path.relative_to(COURSE).parts if path.is_relative_to(COURSE) else ()
            if any(
                part[0] == "." or part in ("_build", "grading", "__pycache__") for part in parts
            ):
                continue
            if path.is_file():
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def _command_lines() -> list[str]:
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines.append((folder / "cmdline").read_text() + (folder / "comm").read_text())
        except OSError:
            pass
    return lines


def _keep_in_keyring(secret: str) -> None:
    """Put a secret where Kerberos may put one: into the kernel's keyring of the session."""
    call = {"x86_64": (250, 248), "aarch64": (219, 217)}.get(platform.machine())
    if call:
        libc = ctypes.CDLL(None)
        libc.syscall(call[0], 1, None)  # a session keyring of its own
        libc.syscall(call[1], b"user", b"token", secret.encode(), len(secret), -3)
