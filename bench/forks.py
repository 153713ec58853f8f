"""Forks without a wall, in a process that has imported no more than the warm one behind the wall.

How much a fork costs depends on how much memory there is. `python -m bench.forks` reads what to do
from stdin, as layers.py pickles it.
"""

import gc
import os
import pickle
import socket
import sys
from typing import Any

from autograde import shell, worker
from autograde.plain import read_frame


def warm(settings: dict[str, Any]) -> shell.Shell:
    """A shell as the warm process has it."""
    warmed_up = worker.warmed_up(settings)
    shell.rehearse(warmed_up)
    worker.seed()
    gc.collect()
    gc.freeze()
    return warmed_up


def serve(warmed_up: shell.Shell, asked: list[tuple[bytes, int]]) -> None:
    """Ask a fork for all steps of a submission: (the step's frames, how many results it has)."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        with theirs.makefile("rwb") as stream:
            worker.submission(shell.Notebook(warmed_up), stream, stream)
        os._exit(0)
    theirs.close()
    with ours, ours.makefile("rwb") as stream:
        for step, results in asked:
            stream.write(step)
            stream.flush()
            for _ in range(results):
                read_frame(stream, worker.MESSAGE)
    os.waitpid(child, 0)


if __name__ == "__main__":
    settings, asked, count = pickle.load(sys.stdin.buffer)
    warmed_up = warm(settings)
    for _ in range(count):
        serve(warmed_up, asked)
