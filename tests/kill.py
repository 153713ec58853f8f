"""Proof that nothing is lost when a run is killed: `python -m tests.kill [RUNS] [SEED]`.

A class is graded once in peace. Then, as often as is asked for, it is graded from nothing, and at
a random moment SIGKILL ends the leading process, all processes of the run, or one worker. If that
ended the run, it is started once more. Afterwards no verdict may be missing, doubled or different,
the gradebook must be whole, and no process may be left. The same follows with a worker of Dask,
once for every ten runs.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograde.wall import COURSE
from tests.demo_class import CLASS, FAST, hand_in, scores

STUDENTS = [student for student in CLASS if student.name not in ("endless_loop", "eats_memory")]
VICTIMS = ("the leader", "all", "a worker")
DASK = ("--dask", "local")
HANGS = 600  # seconds after which a run does not come to its end by itself


def start(grading: Path, *more: str) -> subprocess.Popen:
    """Begin to grade the class, as the leader of a process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "autograde", "grade", "attention", "--workers", "2", *FAST, *more],
        cwd=COURSE,
        env=os.environ | {"GRADING": str(grading)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def prepare(grading: Path, key: Path | None) -> None:
    """A class that has handed in, with the course key of another run."""
    hand_in(STUDENTS, grading)
    if key:
        shutil.copy(key, grading)


def verdicts(grading: Path) -> dict[str, str]:
    """Name of a verdict file -> what it says."""
    return {
        path.name: json.dumps(json.loads(path.read_text("utf-8"))["metadata"]["autograde"])
        for path in (grading / "verdicts").glob("*.ipynb")
    }


def workers(leader: int) -> list[int]:
    """The processes that grade, of a run's leader."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_text()
            group = os.getpgid(int(folder.name))
        except (OSError, ValueError):
            continue
        if group == leader and "spawn_main" in line:
            found.append(int(folder.name))
    return sorted(found)


def left(group: int) -> list[str]:
    """What is still there of a run, some seconds after it."""
    for _ in range(100):
        there = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.getpgid(int(folder.name)) == group:
                    there.append((folder / "cmdline").read_text().replace("\0", " "))
            except (OSError, ValueError):
                continue
        if not any(there):
            return []
        time.sleep(0.1)
    return there


def ended(run: subprocess.Popen) -> int:
    """How a run ends, one that hangs by our hand."""
    try:
        return run.wait(HANGS)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        raise SystemExit(f"a run has not ended after {HANGS} s") from None


def faults(grading: Path, peace: Path) -> list[str]:
    """How a class that was disturbed differs from the one graded in peace."""
    found = []
    if verdicts(grading) != verdicts(peace):
        found.append("the verdicts differ")
    if scores(grading, "attention") != scores(peace, "attention"):
        found.append("the gradebook's points differ")
    with sqlite3.connect(grading / "gradebook.db") as gradebook:
        (said,) = gradebook.execute("pragma integrity_check").fetchone()
        if said != "ok":
            found.append(f"integrity_check says {said}")
    return found


def disturb(grading: Path, peace: Path, victim: str, moment: float, *more: str) -> list[str]:
    """Grade a class, kill, go on if need be; return what is wrong then.

    A worker is killed at the moment, or as soon as there is one.
    """
    prepare(grading, peace / "course.key")
    run = start(grading, *more)
    time.sleep(moment)
    if victim == "all":
        os.killpg(run.pid, signal.SIGKILL)
    elif victim == "the leader":
        run.kill()
    else:
        while not (of := workers(run.pid)) and run.poll() is None:
            time.sleep(0.05)
        if of:
            os.kill(random.choice(of), signal.SIGKILL)
    code = ended(run)
    group = left(run.pid)
    if code != 1:  # the class has a damaged submission: 1 is a whole run
        code = ended(start(grading, *more))
        if code != 1:
            return [f"the second run ended with {code}"]
    return [f"still running: {line}" for line in group] + faults(grading, peace)


def main() -> int:
    """Print a line for each run; return how many went wrong."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    random.seed(seed)
    print(f"{runs} runs, seed {seed}", flush=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        peace = Path(name, "peace")
        length = {}
        for more in ((), DASK):
            grading = peace if more == () else Path(name, "dask")
            prepare(grading, None if more == () else peace / "course.key")
            begin = time.monotonic()
            start(grading, *more).wait()
            length[more] = time.monotonic() - begin
            count, found = len(verdicts(grading)), "; ".join(faults(grading, peace))
            wrong += bool(found)
            how = f"in peace {' '.join(more)}: {length[more]:.1f} s"
            print(f"{how}, {count} verdict files {found}", flush=True)
        plans = [(victim, ()) for victim in random.choices(VICTIMS, k=runs)]
        plans += [("a worker", DASK)] * max(1, runs // 10)
        for number, (victim, more) in enumerate(plans):
            moment = random.uniform(0, length[more])
            grading = Path(name, str(number))
            found = disturb(grading, peace, victim, moment, *more)
            wrong += bool(found)
            result = "; ".join(found) or "nothing lost"
            killed = f"{victim:10} {' '.join(more):12} after {moment:5.2f} s"
            print(f"{number + 1:3}  {killed}: {result}", flush=True)
            shutil.rmtree(grading)
    print(f"killed {len(plans)} wrong {wrong}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
