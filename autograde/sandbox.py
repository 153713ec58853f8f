"""Outside the wall: start workers, hand them one step at a time, read what comes back.

A warm process (warm.py) waits behind the wall (wall.py). It forks for each submission, and
every fork shuts itself in once more (confine.py). Everything that crosses is plain data in frames
with a length cap, and every step has a deadline.
"""

import json
import math
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any, BinaryIO, cast

from autograde.plain import STOPPED, read_frame, size
from autograde.wall import COURSE, SandboxError, environment, no_wall, walled_python

GRACE = 3.0  # seconds between asking code to stop and killing it
PATIENCE = 5  # how many times its limit a step may last while others keep it from running
TICK = 0.1  # seconds between looks at what is running
START = 120  # seconds for the warm process to import everything
RECEIVED = 8 << 20  # bytes of one message from a worker
HELD = 32 << 20  # bytes of results that wait for the next one
BUFFER = 1 << 18  # bytes that are received at once


def _limit(default: float, meaning: str, least: float) -> Any:
    return field(default=default, metadata={"help": meaning, "least": least})


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    Raises:
        ValueError: a limit is so low that no submission could run.
    """

    cell_seconds: float = _limit(30, "seconds that a cell may run", 0.1)
    call_seconds: float = _limit(10, "seconds that a call of a tested function may take", 0.1)
    notebook_seconds: float = _limit(180, "seconds that a whole notebook may take", 1)
    cpu_seconds: int = _limit(180, "seconds of processor time, of all processes together", 1)
    memory: int = _limit(2 << 30, "bytes of memory, of each process and of all together", 128 << 20)
    disk: int = _limit(256 << 20, "bytes of files", 1 << 20)
    processes: int = _limit(64, "processes and threads", 1)
    output: int = _limit(200_000, "characters that a cell may show", 1)

    def __post_init__(self) -> None:
        for limit in fields(self):
            value, least = getattr(self, limit.name), limit.metadata["least"]
            if not least <= value < math.inf:
                raise ValueError(f"{limit.name} is {value:,}; at least {least:,} is needed")

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
        end: how to end it, and all it started, for good.
        gone: whether the warm process that it comes from has ended.
    """

    def __init__(
        self,
        pid: int,
        reader: BinaryIO,
        writer: BinaryIO,
        send: Callable[[int], None],
        end: Callable[[], None],
        gone: Callable[[], bool] = lambda: False,
    ):
        self.reader, self.writer, self.end, self.gone = reader, writer, end, gone
        self.watch = _Watch(pid, reader, send)

    def ask(
        self, step: bytes, results: int, seconds: float, left: float
    ) -> Iterator[tuple[dict, str]]:
        """Send one step and wait for its results.

        Args:
            step: what to do, as frames.
            results: how many there will be.
            seconds: that each may take.
            left: the seconds that all may take, even on a machine that keeps them waiting.

        Yields:
            (a result, why it had to be interrupted or ""). After one that was, no other comes.

        Raises:
            Ended: the process is gone, by itself or because it did not stop in time.
            SandboxError: it is gone because the warm process is.
        """
        last = time.monotonic() + left
        held: list[dict] = []
        for number in range(results):
            with self.watch.over(seconds, last):
                try:
                    if number == 0:
                        self.writer.write(step)
                        self.writer.flush()
                    result = read_frame(self.reader, RECEIVED)
                    if not isinstance(result, dict):
                        raise ValueError(f"a {type(result).__name__} instead of a result")
                except (EOFError, OSError) as error:
                    if self.gone():
                        raise SandboxError("the warm process behind the wall is gone") from error
                    result = {"ended": None}
                except ValueError as error:
                    raise Ended(f"its process sent {error}") from error
            late = _late(seconds, last) if self.watch.stopped else ""
            if "ended" in result:
                raise Ended(late or _how(result["ended"]))
            if late and results > 1 and not _was_stopped(result):
                held.append(result)  # it was on its way, or it is late: what comes next will tell
                if size(held) > HELD:
                    raise Ended(late)
                continue
            self.watch.rest()
            yield from ((before, "") for before in held)
            yield result, late
            if late:
                return
        if held:
            raise Ended(late)

    def close(self) -> None:
        """End the process, and all it started."""
        self.watch.close()
        self.end()


def _was_stopped(result: dict) -> bool:
    """Whether a result is that of a call which was interrupted."""
    error = result.get("error")  # where an array may stand too
    return isinstance(error, str) and error == STOPPED


class _Watch:
    """Interrupts what takes longer than it may, and kills what does not stop then."""

    def __init__(self, pid: int, reader: BinaryIO, send: Callable[[int], None]):
        self.pid, self.reader, self.send = pid, reader, send
        self.lock, self.closed = threading.Lock(), threading.Event()
        self.due, self.stopped = math.inf, False
        self.used: float | None = None  # CPU seconds at the first look
        # One thread for all steps: most are over long before a thread of their own would start.
        threading.Thread(target=self._run, daemon=True).start()

    @contextmanager
    def over(self, seconds: float, last: float) -> Iterator[None]:
        """Watch over something that may take some seconds, and in any case end at a moment.

        What comes after an interrupt has no time of its own, until `rest`.
        """
        now = time.monotonic()
        with self.lock:
            if not self.stopped:
                self.seconds = min(seconds, last - now)
                self.last = min(last, now + PATIENCE * self.seconds) - self.seconds
                self.due, self.used = now + self.seconds, None
        try:
            yield
        finally:
            with self.lock:
                if not self.stopped:
                    self.due = math.inf

    def rest(self) -> None:
        """What was interrupted is over; what comes next has a time of its own."""
        with self.lock:
            self.due, self.stopped = math.inf, False

    def close(self) -> None:
        """Watch no more."""
        self.closed.set()

    def _run(self) -> None:
        while not self.closed.wait(TICK):
            with self.lock:
                if self.due < math.inf:
                    self._look(time.monotonic())

    def _look(self, now: float) -> None:
        used, running = _used(self.pid)
        self.used = used if self.used is None else self.used
        if now < self.due:
            return
        if self.stopped:
            self.send(signal.SIGKILL)
            self.due = math.inf
            return
        # Is it only the machine that is slow?
        starved = running and used - self.used < self.seconds / 2
        if (starved or _readable(self.reader)) and now < self.last:
            self.due = now + self.seconds
            return
        self.stopped = True
        self.send(signal.SIGINT)
        self.due = now + GRACE


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


class Wall:
    """A warm process behind the wall, which forks for every submission.

    Args:
        preload: modules to import once instead of once a submission.
        limits: what a submission may use.
        processor: the one on which submissions run; any, if none is given.

    Raises:
        SandboxError: there can be no wall here; the message says why and what to do.
    """

    def __init__(
        self,
        preload: tuple[str, ...] = (),
        limits: Limits = Limits(),
        processor: int | None = None,
    ):
        behind = walled_python()
        if processor is None:
            processor = random.choice(sorted(os.sched_getaffinity(0)))
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        more = {"preload": list(preload), "processor": processor}
        settings = json.dumps(asdict(limits) | more)
        command = [*behind, str(theirs.fileno()), settings]
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
        self.turn = threading.Lock()  # it serves one submission at a time
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
        """A fork for one submission, once the one before has ended."""
        self.turn.acquire()
        try:
            return self._start()
        except BaseException:
            self.turn.release()
            raise

    def _start(self) -> Worker:
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self.control, [b"submission"], [theirs.fileno()])
        except OSError as error:
            raise SandboxError(f"the warm process behind the wall is gone: {error}") from error
        theirs.close()
        ours.settimeout(START)
        reader = cast(BinaryIO, ours.makefile("rb", BUFFER))
        writer = ours.makefile("wb")
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

        def end() -> None:
            send(signal.SIGKILL)
            # It was the first process of its namespace: when it is dead, all it started is.
            dead = select.select([process], [], [], START)[0]
            os.close(process)
            for stream in (reader, writer):
                with suppress(OSError):  # what could not be sent will not be
                    stream.close()
            ours.close()
            self.turn.release()
            if not dead:
                raise SandboxError("a submission's process would not die")

        with open(f"/proc/self/fdinfo/{process}") as file:
            pid = next(int(line.split()[1]) for line in file if line.startswith("Pid:"))

        def gone() -> bool:
            return bool(select.select([self.control], [], [], 0.2)[0])

        return Worker(pid, reader, writer, send, end, gone)

    def close(self) -> None:
        """End the warm process, and with it everything behind the wall."""
        self.control.close()
        try:
            self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


def own_processor() -> int:
    """A processor that this process claims for as long as it lives; any, if all are claimed.

    However many processes a submission starts, they are all on this one, so that it slows down
    nobody else's, whose time is measured too.
    """
    return _claim()[1]


@lru_cache
def _claim() -> tuple[socket.socket, int]:
    """(what holds the claim, the processor)."""
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
            [sys.executable, "-m", "autograde.worker", self.settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | environment() | {"PYTHONPATH": str(COURSE)},
            start_new_session=True,
        )
        reader, writer = cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin)

        def end() -> None:
            process.kill()
            process.wait()
            for stream in (reader, writer):
                with suppress(OSError):
                    stream.close()

        return Worker(process.pid, reader, writer, process.send_signal, end)

    def close(self) -> None:
        """Nothing waits between submissions."""


def _late(seconds: float, last: float) -> str:
    """Why something was stopped that might take some seconds, and in no case go beyond a moment."""
    if time.monotonic() < last:
        return f"it ran longer than {seconds:g} s"
    return "the notebook's time was used up"


def _how(code: Any) -> str:
    """How a process ended, of its exit code or minus its signal; None if that is not known."""
    if code is None:
        return "its process ended"
    if not isinstance(code, int):  # the submission may have said it itself
        return "its process sent something that is no exit code"
    if code == -signal.SIGKILL:
        return "it was killed: it used up its CPU time or memory"
    if code < 0:
        try:
            return f"its process crashed ({signal.Signals(-code).name})"
        except ValueError:
            return f"its process crashed (signal {-code})"
    return f"it ended its own process (exit code {code})"
