"""Inside the wall: run a submission's cells and make the calls that are asked for.

A fork of the warm process (warm.py) does this; or, without any wall, a process of its own that
serves one submission and ends. Neither holds a check, a reference or an expected value: what is
not here cannot be taken.

What comes in: {"run": source, "number": of the cell}, or
{"calls": [{"function": …, "arguments": {…}, "probe": source}]}.
What goes out: {"outputs": […]}, or for each call {"value": …, "error": …, "changed": […]}, up to
one that was stopped.
"""

import importlib
import json
import os
import random
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from autograde import shell
from autograde.plain import STOPPED, read_frame, write_frame

MESSAGE, THINGS = 256 << 20, 1_000_000  # bytes and things of a message from the trusted side


def main() -> None:
    """`worker SETTINGS`: serve one submission on stdin and stdout; the settings are JSON."""
    notebook_shell = warmed_up(json.loads(sys.argv[1]))
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    submission(shell.Notebook(notebook_shell), reader, writer)


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
    # Whoever forgot to seed gets the same numbers in every run and process.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the learner's, not ours
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
    # An interrupt is for the learner's code, never for a frame that is half written.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            step = read_frame(reader, MESSAGE, THINGS)
        except EOFError:
            return
        for part in _parts(notebook, step):
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                result = part()
            except KeyboardInterrupt:
                result = {"outputs": [], "value": None, "error": STOPPED, "changed": []}
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            write_frame(writer, result)
            if result.get("error") == STOPPED:
                break


def _parts(notebook: shell.Notebook, step: dict[str, Any]) -> list[Callable[[], dict[str, Any]]]:
    """What there is to do, each part with a result of its own."""

    def run() -> dict[str, Any]:
        return {"outputs": notebook.run(step["run"], step["number"])}

    def call(function: str, arguments: dict[str, Any], probe: str) -> dict[str, Any]:
        given = notebook.call(function, arguments, probe)
        return {"value": given.value, "error": given.error, "changed": list(given.changed)}

    return [run] if "run" in step else [partial(call, **of) for of in step["calls"]]


if __name__ == "__main__":
    main()
