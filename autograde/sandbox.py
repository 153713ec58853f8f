"""Outside the wall: start workers, hand them one step at a time, read what comes back.

A warm process (worker.py) waits inside bubblewrap (wall.py). It forks for each submission, and
every fork shuts itself in once more (confine.py). Everything that crosses is plain data in frames
with a length cap, and every step has a deadline.
"""

import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO, cast

from autograde.plain import cut, read_frame, write_frame
from autograde.wall import COURSE, SandboxError, environment, no_wall, walled_python

GRACE = 3.0  # seconds between asking code to stop and killing it
PATIENCE = 5  # how many times its limit a step may last while others keep it from running
START = 120  # seconds for the warm process to import everything
RECEIVED = 8 << 20  # bytes of one message from a worker


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


class Ended(Exception):
    """A submission's process is gone; the text says why."""


class Worker:
    """One submission's process, wherever it runs, as two streams and a way to end it.

    Args:
        pid: its number for this process's own eyes.
        reader: what it says.
        writer: what it is told.
        send: how to send it a signal.
        close: how to end it, and all it started, for good.
        gone: whether the warm process that it comes from has ended.
    """

    def __init__(
        self,
        pid: int,
        reader: BinaryIO,
        writer: BinaryIO,
        send: Callable[[int], None],
        close: Callable[[], None],
        gone: Callable[[], bool] = lambda: False,
    ):
        self.pid, self.reader, self.writer = pid, reader, writer
        self.send, self.close, self.gone = send, close, gone

    def ask(self, step: dict[str, Any], seconds: float, left: float) -> tuple[dict, bool]:
        """Send one step and wait for its result.

        Args:
            step: what to do.
            seconds: that it may take.
            left: the seconds that it may take even on a machine that keeps it waiting.

        Returns:
            (the result, whether it had to be interrupted).

        Raises:
            Ended: the process is gone, by itself or because it did not stop in time.
            SandboxError: it is gone because the warm process is.
        """
        lock, stopped, done = threading.Lock(), False, False
        before, _ = _used(self.pid)
        seconds = min(seconds, left)
        last = time.monotonic() + min(left, PATIENCE * seconds) - seconds

        def expire() -> None:
            """Interrupt the step, unless it is only the machine that is slow."""
            nonlocal stopped
            with lock:
                if done:
                    return
                now, running = _used(self.pid)
                starved = running and now - before < seconds / 2
                if (starved or _readable(self.reader)) and time.monotonic() < last:
                    timers.append(_timer(seconds, expire))
                    return
                stopped = True
                self.send(signal.SIGINT)
                timers.append(_timer(GRACE, end))

        def end() -> None:
            with lock:
                if not done:
                    self.send(signal.SIGKILL)

        timers = [_timer(seconds, expire)]
        try:
            write_frame(self.writer, step)
            result = read_frame(self.reader, RECEIVED)
            if not isinstance(result, dict):
                raise ValueError(f"a {type(result).__name__} instead of a result")
        except (EOFError, OSError) as error:
            if self.gone():
                raise SandboxError("the warm process behind the wall is gone") from error
            raise Ended(late(seconds) if stopped else "its process ended") from error
        except ValueError as error:
            raise Ended(f"its process sent {error}") from error
        finally:
            with lock:
                done = True
            for timer in timers:
                timer.cancel()
        if "ended" in result:
            raise Ended(late(seconds) if stopped else _how(result["ended"]))
        return result, stopped


def _used(pid: int) -> tuple[float, bool]:
    """(CPU seconds that a process has used, whether it would use more if it were let)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, *numbers = file.read().rpartition(b")")[2].split()
    except OSError:  # it is gone, or this is not Linux
        return 0.0, False
    return sum(map(int, numbers[10:12])) / os.sysconf("SC_CLK_TCK"), state in (b"R", b"D")


def _readable(stream: BinaryIO) -> bool:
    """Whether something has come that was not read yet, because this process was kept waiting."""
    try:
        return bool(select.select([stream], [], [], 0)[0])
    except (OSError, ValueError):  # Windows knows this of sockets only
        return False


def _timer(seconds: float, function: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer


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
        self.claim, processor = _claim_processor()
        more = {"preload": list(preload), "processor": processor}
        settings = json.dumps(asdict(limits) | more)
        command = [*walled_python(), "serve", str(theirs.fileno()), settings]
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
            raise SandboxError(no_wall(said))

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
        reader, writer = ours.makefile("rb"), ours.makefile("wb")
        try:
            _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
            said = read_frame(reader, RECEIVED)
        except (OSError, EOFError, ValueError) as error:
            said, descriptors = f"it did not start ({error})", []
        if said != "ready":
            for descriptor in descriptors:
                os.close(descriptor)
            ours.close()
            raise SandboxError(no_wall(f"a submission could not be shut in: {said}"))
        ours.settimeout(None)
        process = descriptors[0]

        def send(number: int) -> None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, number)

        def close() -> None:
            send(signal.SIGKILL)
            # It was the first process of its namespace: when it is dead, all it started is.
            if not select.select([process], [], [], START)[0]:
                raise SandboxError("a submission's process would not die")
            os.close(process)
            for stream in (reader, writer):
                with suppress(OSError):  # what could not be sent will not be
                    stream.close()
            ours.close()

        with open(f"/proc/self/fdinfo/{process}") as file:
            pid = next(int(line.split()[1]) for line in file if line.startswith("Pid:"))

        def gone() -> bool:
            return bool(select.select([self.control], [], [], 0.2)[0])

        return Worker(pid, reader, writer, send, close, gone)

    def close(self) -> None:
        """End the warm process, and with it everything behind the wall."""
        self.control.close()
        try:
            self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        self.claim.close()


def _claim_processor() -> tuple[socket.socket, int]:
    """(what holds the claim, a processor): one that no other wall on this computer has, if any.

    However many processes a submission starts, they are all on this one, so that it slows down
    nobody else's, whose time is measured too.
    """
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    processors = sorted(os.sched_getaffinity(0))
    for processor in processors:
        with suppress(OSError):
            claim.bind(f"\0autograde processor {processor}")  # freed when the process ends
            return claim, processor
    return claim, random.choice(processors)


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
            env=os.environ | environment() | {"PYTHONPATH": str(COURSE)},
            start_new_session=True,
        )
        reader, writer = cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin)

        def close() -> None:
            process.kill()
            process.wait()
            for stream in (reader, writer):
                with suppress(OSError):
                    stream.close()

        return Worker(process.pid, reader, writer, process.send_signal, close)

    def close(self) -> None:
        """Nothing waits between submissions."""


def late(seconds: float) -> str:
    """Why something was stopped."""
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
