"""Inside the wall: run a submission's cells and make the calls that are asked for.

A fork of the warm process (warm.py) does this; or, without any wall, a process of its own that
serves one submission and ends. Neither holds a check, a reference or an expected value: what is
not here cannot be taken.

What comes in: {"run": source, "number": of the cell}, or {"calls": how many} and then each,
{"function": …, "arguments": {…}, "probe": source}.
What goes out: {"outputs": […]}, or for each call {"value": …, "error": …, "changed": […]}, up to
one that was stopped. What is asked for in one step may come together, so if the process ends in a
step, results of it can be lost.
"""

import importlib
import json
import os
import random
import signal
import sys
from functools import partial
from time import monotonic
from typing import Any, BinaryIO

import numpy as np

from autograde import shell
from autograde.plain import STOPPED, frame, read_frame

MESSAGE, THINGS = 256 << 20, 1_000_000  # bytes and things of a message from the trusted side
TOGETHER = 0.005  # seconds that a result waits at most before another call is made


def main() -> None:
    """`worker SETTINGS`: serve one submission on stdin and stdout; the settings are JSON."""
    notebook_shell = warmed_up(json.loads(sys.argv[1]))
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    seed()
    submission(shell.Notebook(notebook_shell), reader, writer)


def seed() -> None:
    """Whoever forgets to seed gets the same numbers in every run and process.

    Python's own generator is not among those seeded: each fork gives it another seed.
    """
    np.random.seed(0)  # noqa: NPY002 - the learner's, not ours
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


def warmed_up(settings: dict[str, Any]) -> shell.Shell:
    """A shell, with all that is slow to import imported."""
    notebook_shell = shell.start(settings["output"])
    for module in settings["preload"]:
        importlib.import_module(module)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    return notebook_shell


def submission(notebook: shell.Notebook, reader: BinaryIO, writer: BinaryIO) -> None:
    """Do what is asked, step by step, until the other side closes the stream."""
    random.seed(0)  # as seed() does for the others
    # An interrupt is for the learner's code, never for a frame that is half written.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    results = _Results(writer)
    while True:
        try:
            step = read_frame(reader, MESSAGE, THINGS)
        except EOFError:
            return
        if "run" in step:
            parts = [partial(_run, notebook, step)]
        else:
            calls = [read_frame(reader, MESSAGE, THINGS) for _ in range(step["calls"])]
            parts = [partial(_call, notebook, call) for call in calls]
        for part in parts:
            results.interrupted = False
            try:
                signal.signal(signal.SIGINT, results.interrupt)
                result = part()
            except KeyboardInterrupt:  # or the learner's code has raised it
                results.interrupted, result = True, {"outputs": []}
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if results.interrupted:  # even if the learner's code took no notice
                result |= {"value": None, "error": STOPPED, "changed": []}
            results.add(result)
            if results.interrupted:
                break
        results.send()


def _run(notebook: shell.Notebook, cell: dict[str, Any]) -> dict[str, Any]:
    return {"outputs": notebook.run(cell["run"], cell["number"])}


def _call(notebook: shell.Notebook, call: dict[str, Any]) -> dict[str, Any]:
    given = notebook.call(call["function"], call["arguments"], call["probe"])
    return {"value": given.value, "error": given.error, "changed": list(given.changed)}


class _Results:
    """Results on their way. Those that come fast travel together, since each message wakes the
    other side, which costs more than many a call.
    """

    def __init__(self, writer: BinaryIO):
        self.writer = writer
        self.frames: list[bytes] = []
        self.sent = monotonic()
        self.interrupted = False

    def add(self, result: dict[str, Any]) -> None:
        """Let a result travel with the next ones, or now if some have waited long enough."""
        self.frames.append(frame(result))
        if monotonic() - self.sent > TOGETHER:
            self.send()

    def send(self) -> None:
        """Let everything go that waits."""
        self.writer.write(b"".join(self.frames))
        self.writer.flush()
        self.frames.clear()
        self.sent = monotonic()

    def interrupt(self, *_: Any) -> None:
        """Stop what is running, as SIGINT does; the next signal may be the one that kills."""
        self.interrupted = True
        self.send()
        raise KeyboardInterrupt


if __name__ == "__main__":
    main()
