"""Outside the wall: start workers, hand them a submission step by step, read what comes back.

A warm process (worker.py) waits inside bubblewrap, which gives it a root in which this repository,
homes and other submissions do not exist. It forks for each submission, and every fork shuts itself
in once more (confine.py). Everything that crosses is plain data in frames with a length cap, and
every step has a deadline.
"""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograde.plain import Answer, Call, cut, read_frame, write_frame

PACKAGE = Path(__file__).resolve().parent
COURSE = PACKAGE.parent
INSIDE = ("__init__.py", "plain.py", "confine.py", "shell.py", "worker.py")  # all that is let in
NOBODY = 65534  # the user that the wall's processes have when the grader is root
GRACE = 2.0  # seconds between asking code to stop and killing it
START = 120  # seconds for the warm process to import everything
RESTARTS = 5  # of a submission that ends its own process
RECEIVED = 64 << 20  # bytes of one message from a worker


class SandboxError(Exception):
    """The grader failed, not the learner: grade again, and take no points."""


def _limit(default: float, meaning: str) -> Any:
    return field(default=default, metadata={"help": meaning})


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    cell_seconds: float = _limit(30, "seconds that a cell may run")
    call_seconds: float = _limit(10, "seconds that a call of a tested function may take")
    notebook_seconds: float = _limit(180, "seconds that a whole notebook may take")
    cpu_seconds: int = _limit(180, "seconds of processor time")
    memory: int = _limit(2 << 30, "bytes of memory, of each process")
    disk: int = _limit(256 << 20, "bytes of files")
    processes: int = _limit(64, "processes and threads")
    output: int = _limit(200_000, "characters that a cell may show")

    def text(self) -> str:
        """One line for the head of a run."""
        return (
            f"limits: {self.cell_seconds:g} s a cell, {self.call_seconds:g} s a call, "
            f"{self.notebook_seconds:g} s and {self.cpu_seconds} CPU s a notebook, "
            f"{self.memory >> 20} MiB memory, {self.disk >> 20} MiB disk, "
            f"{self.processes} processes, {self.output:,} characters of output a cell"
        )


@dataclass(frozen=True)
class Ran:
    """What running a cell gave: nbformat outputs, and why it was ended early, if it was."""

    outputs: list[dict[str, Any]]
    ended: str = ""


class Worker:
    """One submission's process, wherever it runs, as two streams and a way to end it."""

    def __init__(self, reader, writer, interrupt, kill, close):
        self.reader, self.writer = reader, writer
        self.interrupt, self.kill, self.close = interrupt, kill, close

    def ask(self, step: dict[str, Any], seconds: float) -> tuple[dict[str, Any], bool]:
        """Send one step and wait for its result.

        Returns:
            (the result, whether it had to be interrupted).

        Raises:
            Ended: the process is gone, by itself or because it did not stop in time.
            SandboxError: the worker could not shut itself in.
        """
        late, lock, done = [], threading.Lock(), False

        def stop(end):
            with lock:
                if not done:
                    late.append(True)
                    end()

        timers = [
            threading.Timer(seconds, stop, [self.interrupt]),
            threading.Timer(seconds + GRACE, stop, [self.kill]),
        ]
        for timer in timers:
            timer.daemon = True
            timer.start()
        try:
            write_frame(self.writer, step)
            result = read_frame(self.reader, RECEIVED)
            if not isinstance(result, dict):
                raise ValueError(f"a {type(result).__name__} instead of a result")
        except (EOFError, OSError) as error:
            raise Ended(_late(seconds) if late else "its process ended") from error
        except ValueError as error:
            raise Ended(f"its process sent {error}") from error
        finally:
            with lock:
                done = True
            for timer in timers:
                timer.cancel()
        if "failed" in result and "run" in step:
            raise SandboxError(f"a submission could not be shut in: {result['failed']}")
        if "ended" in result:
            raise Ended(_late(seconds) if late else _how(result["ended"]))
        return result, bool(late)


class Ended(Exception):
    """A submission's process is gone; the text says why."""


class Wall:
    """A warm process inside bubblewrap, which forks for every submission.

    Args:
        preload: modules to import once instead of once a submission.
        limits: what a submission may use.

    Raises:
        SandboxError: there can be no wall here; the message says why and what to do.
    """

    def __init__(self, preload: tuple[str, ...] = (), limits: Limits = Limits()):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        settings = json.dumps(asdict(limits) | {"preload": list(preload)})
        command = [*_walled_python(), "serve", str(theirs.fileno()), settings]
        self.process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": os.defpath},
        )
        theirs.close()
        self.control = ours
        self.lock = threading.Lock()
        ours.settimeout(START)
        try:
            ready = ours.recv(16)
        except TimeoutError:
            ready = b""
        if ready != b"ready":
            self.process.kill()
            said = self.process.communicate()[0].decode("utf-8", "replace").strip()
            raise SandboxError(_no_wall(said))

    def start(self) -> Worker:
        """A fork for one submission."""
        ours, theirs = socket.socketpair()
        with self.lock:
            try:
                socket.send_fds(self.control, [b"submission"], [theirs.fileno()])
            except OSError as error:
                raise SandboxError(f"the warm process behind the wall is gone: {error}") from error
        theirs.close()
        ours.settimeout(START)
        message, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        ours.settimeout(None)
        stream = ours.makefile("rwb")
        if message != b"p" or not descriptors:
            said = read_frame(stream, RECEIVED) if message == b"x" else "it did not start"
            raise SandboxError(_no_wall(f"a submission could not be shut in: {said}"))
        process = descriptors[0]

        def send(number: int) -> None:
            try:
                signal.pidfd_send_signal(process, number)
            except ProcessLookupError:
                pass

        def close() -> None:
            send(signal.SIGKILL)
            # It was the first process of its namespace: when it is dead, all it started is.
            if not select.select([process], [], [], START)[0]:
                raise SandboxError("a submission's process would not die")
            os.close(process)
            stream.close()
            ours.close()

        return Worker(
            stream, stream, lambda: send(signal.SIGINT), lambda: send(signal.SIGKILL), close
        )

    def close(self) -> None:
        """End the warm process, and with it everything behind the wall."""
        self.control.close()
        try:
            self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


class NoWall:
    """One ordinary process for every submission: for code that is trusted, such as one's own."""

    def __init__(self, preload: tuple[str, ...] = (), limits: Limits = Limits()):
        self.settings = json.dumps(asdict(limits) | {"preload": list(preload)})

    def start(self) -> Worker:
        """A process for one submission."""
        process = subprocess.Popen(
            [sys.executable, "-m", "autograde.worker", "once", self.settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | _environment() | {"PYTHONPATH": str(COURSE)},
            start_new_session=True,
        )

        def close() -> None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                try:
                    stream.close()
                except OSError:
                    pass

        return Worker(
            process.stdout,
            process.stdin,
            lambda: process.send_signal(signal.SIGINT),
            process.kill,
            close,
        )

    def close(self) -> None:
        """Nothing waits between submissions."""


def run(
    steps: list[str | list[Call]], wall: Wall | NoWall, limits: Limits = Limits()
) -> list[Ran | list[Answer]]:
    """Run a submission: a text is a cell's source, a list the calls to make at that point.

    A cell or call that ends the process costs only itself: the others are run again in a new
    process without it. What has used up the whole notebook's time leaves the rest unanswered.

    Returns:
        For each step what it gave, in the same order.

    Raises:
        SandboxError: the grader failed.
    """
    submission = _Submission(steps, wall, limits)
    try:
        return [submission.result(index) for index in range(len(steps))]
    finally:
        submission.close()


class _Submission:
    """The steps of one notebook, over as many processes as it needs."""

    def __init__(self, steps, wall, limits):
        self.steps, self.wall, self.limits = steps, wall, limits
        self.deadline = time.monotonic() + limits.notebook_seconds
        self.worker: Worker | None = None
        self.starts = 0
        self.fatal: set[int] = set()  # cells that ended their process

    def result(self, index: int) -> Ran | list[Answer]:
        step = self.steps[index]
        if isinstance(step, str):
            try:
                return self._cell(index)
            except Ended as end:
                return Ran([], str(end))
        answers = []
        for call in step:
            if answers and answers[-1].error.startswith("was stopped"):
                answers.append(answers[-1])  # it will not come back from the other calls either
                continue
            try:
                answers.append(self._call(index, call))
            except Ended as end:
                answers.append(Answer(error=f"was stopped: {end}"))
        return answers

    def close(self) -> None:
        if self.worker:
            self.worker.close()
        self.worker = None

    def _cell(self, index: int) -> Ran:
        source = self.steps[index]
        try:
            result, late = self._ask(index, {"run": source}, self.limits.cell_seconds)
        except Ended:
            self.fatal.add(index)
            raise
        outputs = result.get("outputs")
        if not isinstance(outputs, list):
            self.fatal.add(index)
            self.close()
            raise Ended("its process sent something that is not the outputs of a cell")
        return Ran(outputs, _late(self.limits.cell_seconds) if late else "")

    def _call(self, index: int, call: Call) -> Answer:
        seconds = self.limits.call_seconds
        step = {"call": call.function, "arguments": call.arguments}
        result, late = self._ask(index, step, seconds)
        if late:
            return Answer(error=f"was stopped: {_late(seconds)}")
        error, changed = result.get("error"), result.get("changed")
        if not isinstance(error, str) or not isinstance(changed, list) or "value" not in result:
            raise Ended("its process sent something that is not an answer")
        if error.startswith("raised MemoryError"):
            error = f"needs more memory than the {self.limits.memory >> 20} MiB there are"
        return Answer(result["value"], cut(error), tuple(map(str, changed)))

    def _ask(self, index: int, step: dict, seconds: float) -> tuple[dict, bool]:
        """Ask the process that has run all cells before `index`, starting it if need be."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ended(f"the notebook has used its {self.limits.notebook_seconds:g} s")
        if self.worker is None:
            if self.starts > RESTARTS:
                raise Ended(f"the notebook ended its process {self.starts} times")
            self.starts += 1
            self.worker = self.wall.start()
            for earlier in range(index):
                if isinstance(self.steps[earlier], str) and earlier not in self.fatal:
                    self._cell(earlier)
        try:
            return self.worker.ask(step, min(seconds, max(left, 0.1)))
        except Ended:
            self.close()
            raise


def _late(seconds: float) -> str:
    return f"it ran longer than {seconds:g} s"


def _how(code: Any) -> str:
    """How a process ended, of its exit code or minus its signal."""
    if code == -signal.SIGKILL:
        return "it was killed: it used up its CPU time or memory"
    if isinstance(code, int) and code < 0:
        try:
            return f"its process crashed ({signal.Signals(-code).name})"
        except ValueError:
            return f"its process crashed (signal {-code})"
    return f"it ended its own process (exit code {cut(str(code), 20)})"


def _environment() -> dict[str, str]:
    """What a worker needs to know: one thread each, and figures as in a notebook."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return dict.fromkeys(threads, "1") | {
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
    }


def _walled_python() -> list[str]:
    """The command that starts `python -m autograde.worker` inside bubblewrap."""
    bwrap = shutil.which("bwrap")
    if sys.platform != "linux":
        raise SandboxError(_no_wall(f"{sys.platform} has no user namespaces"))
    if not bwrap:
        raise SandboxError(_no_wall("bubblewrap is not installed (Debian: apt install bubblewrap)"))
    python = [Path(sys.prefix), Path(sys.base_prefix), Path(sysconfig.get_path("stdlib"))]
    folders = [path for path in dict.fromkeys(python) if not path.is_relative_to("/usr")]
    modules = [PACKAGE / name for name in INSIDE]
    root = os.geteuid() == 0
    sources = [f"/run/{i}" if root else str(p) for i, p in enumerate([*folders, *modules])]
    shown = [*map(str, folders), *(f"/grader/autograde/{name}" for name in INSIDE)]
    command = [bwrap, "--unshare-all", "--clearenv", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            command += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            command += ["--ro-bind", str(path), str(path)]
    for path in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/fonts"):
        command += ["--ro-bind-try", path, path]
    for folder in ("/usr", *folders):
        if COURSE.is_relative_to(folder):
            command += ["--tmpfs", str(COURSE)]  # never seen, wherever it lies
    for source, target in zip(sources, shown, strict=True):
        command += ["--ro-bind", source, target]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp"]
    environment = _environment() | {"HOME": "/tmp", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
                                    "PYTHONPATH": "/grader"}  # fmt: skip
    for name, value in environment.items():
        command += ["--setenv", name, value]
    command += ["--remount-ro", "/", "--", sys.executable, "-m", "autograde.worker"]
    return _as_nobody([*folders, *modules], command) if root else command


def _as_nobody(paths: list[Path], command: list[str]) -> list[str]:
    """Run a command as nobody, who finds the paths at /run/0, /run/1, …

    Root's own folders are often closed to others, so they are shown to nobody in a mount
    namespace of their own. Had bubblewrap root's rights, the kernel would refuse /proc to the
    forks, since bubblewrap would have covered parts of it.
    """
    script = """
        mount -t tmpfs -o mode=755 staging /run
        n=0
        while [ "$1" != -- ]; do
            if [ -d "$1" ]; then mkdir /run/$n; else : > /run/$n; fi
            mount --bind "$1" /run/$n
            n=$((n + 1))
            shift
        done
        shift
        exec setpriv --reuid=%d --regid=%d --clear-groups --inh-caps=-all "$@"
    """ % (NOBODY, NOBODY)
    start = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", script, "sh"]
    return [*start, *map(str, paths), "--", *command]


def _no_wall(reason: str) -> str:
    return (
        f"the wall around submissions is not available: {reason}\n"
        "It needs Linux, bubblewrap, and a kernel that lets users make namespaces "
        "(sysctl kernel.unprivileged_userns_clone=1, "
        "kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0; "
        "in a container, a profile that allows them). "
        "To grade without it, only for code that you trust: --trust-submissions"
    )
