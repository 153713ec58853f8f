"""One submission's cells and calls, over as many processes as it needs."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograde.plain import STOPPED, Answer, Call, cut, frame, size
from autograde.sandbox import Ended, Limits, NoWall, Wall, Worker

RESTARTS = 10  # of a submission that ends its own process; a question may take two
KEPT = 32 << 20  # bytes of a notebook's outputs, and of the answers to a question
SPARE = 400_000  # bytes of a cell's outputs besides what the limit counts, such as names


@dataclass(frozen=True)
class Cell:
    """A code cell, the calls to make once it has run, and the number that tracebacks give it."""

    source: str
    calls: Sequence[Call] = ()
    number: int = 1


@dataclass(frozen=True)
class Ran:
    """What a cell gave.

    Attributes:
        outputs: as nbformat has them, but sent from inside the wall: nothing in them is sure.
        ended: why the cell was ended early; empty if it was not.
        answers: those to its calls.
    """

    outputs: list[Any]
    ended: str = ""
    answers: list[Answer] = field(default_factory=list)


def run(cells: list[Cell], wall: Wall | NoWall, limits: Limits = Limits()) -> list[Ran]:
    """Run a submission.

    A cell or call that ends the process costs only itself: the cells before it are run again in
    a new process, without it if it was a cell, and the rest goes on from there. What has used up
    the whole notebook's time leaves the rest unanswered.

    Raises:
        SandboxError: the grader failed.
    """
    submission = _Submission(cells, wall, limits)
    try:
        return [submission.result(index) for index in range(len(cells))]
    finally:
        submission.close()


class _Submission:
    """A submission in the process it has at the moment."""

    def __init__(self, cells: list[Cell], wall: Wall | NoWall, limits: Limits):
        self.cells, self.wall, self.limits = cells, wall, limits
        # A long call has time of its own, so that it takes none from the rest.
        long = [call.seconds for cell in cells for call in cell.calls]
        self.notebook_seconds = limits.notebook_seconds + sum(long)
        self.deadline = time.monotonic() + self.notebook_seconds
        self.worker: Worker | None = None
        self.starts = 0
        self.room = KEPT  # for outputs
        self.fatal: set[int] = set()  # cells that ended their process

    def result(self, index: int) -> Ran:
        """Run a cell and make its calls."""
        outputs: list[Any] = []
        try:
            outputs, ended = self._run(index)
        except Ended as end:
            ended = str(end)
        return Ran(self._within(outputs), ended, self._answers(index))

    def close(self) -> None:
        """End the process, if there is one."""
        worker, self.worker = self.worker, None
        if worker:
            worker.close()

    def _within(self, outputs: list[Any]) -> list[Any]:
        """A cell's first outputs, as many as a worker that nobody has tampered with would send."""
        room = min(self.room, 4 * self.limits.output + SPARE)
        for place, output in enumerate(outputs):
            taken = size(output)
            if taken > room:
                return outputs[:place]
            room -= taken
            self.room -= taken
        return outputs

    def _answers(self, index: int) -> list[Answer]:
        """The answers to a cell's calls, once that cell and all before it have run."""
        calls = self.cells[index].calls
        answers: list[Answer] = []
        room = KEPT
        together = True
        while len(answers) < len(calls):
            part = calls[len(answers) :] if together else calls[len(answers) : len(answers) + 1]
            try:
                for answer in self._called(index, part):
                    room -= size(answer.value)
                    if room < 0:
                        raise Ended(f"its answers together have more than {KEPT >> 20} MiB")
                    answers.append(answer)
            except Ended as end:
                self.close()
                if together and len(calls) - len(answers) > 1:
                    together = False  # one by one, nothing is lost but the one that ends it
                    continue
                answers.append(Answer(error=f"{STOPPED}: {end}"))
            if answers[-1].error.startswith(STOPPED):
                # What was stopped will not come back from the other calls either.
                answers += answers[-1:] * (len(calls) - len(answers))
        return answers

    def _called(self, index: int, calls: Sequence[Call]) -> Iterator[Answer]:
        """Make some of a cell's calls; after one that was stopped, no other."""
        step = frame({"calls": len(calls)}) + b"".join(call.frame for call in calls)
        seconds = max([self.limits.call_seconds, *(call.seconds for call in calls)])
        results = self._ask(index + 1, step, len(calls), seconds)
        for call, (result, stopped) in zip(calls, results, strict=False):
            answer = self._answer(call, result, stopped)
            yield answer
            if answer.error.startswith(STOPPED):
                if result["error"] != STOPPED:
                    self.close()  # it goes on with the other calls
                return

    def _answer(self, call: Call, result: dict, stopped: str) -> Answer:
        # Anything may stand anywhere, and an array is neither equal to a text nor unequal.
        error, changed = result.get("error"), result.get("changed")
        if not isinstance(error, str) or not isinstance(changed, list) or "value" not in result:
            raise Ended("its process sent something that is not an answer")
        if stopped:
            return Answer(error=f"{STOPPED}: {stopped}")
        if error.startswith("raised MemoryError"):
            error = f"needs more memory than the {self.limits.memory >> 20} MiB there are"
        theirs = {name for name in changed if isinstance(name, str)}
        changed = tuple(name for name in call.arguments if name in theirs)
        return Answer(result["value"], cut(error), changed)

    def _run(self, index: int) -> tuple[list[Any], str]:
        """The outputs of a cell, and why it was ended early."""
        seconds = self.limits.cell_seconds
        try:
            step = frame({"run": self.cells[index].source, "number": self.cells[index].number})
            ((result, stopped),) = self._ask(index, step, 1, seconds)
            outputs = result.get("outputs")
            if not isinstance(outputs, list):
                self.close()
                raise Ended("its process sent something that is not the outputs of a cell")
        except Ended:
            self.fatal.add(index)
            raise
        return outputs, stopped

    def _ask(
        self, before: int, step: bytes, results: int, seconds: float
    ) -> Iterator[tuple[dict, str]]:
        """Ask a process that has run the cells before a given one; a new one if there is none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ended(f"the notebook has used its {self.notebook_seconds:g} s")
        if self.worker is None:
            if self.starts > RESTARTS:
                raise Ended(f"the notebook ended its process {self.starts} times")
            self.starts += 1
            self.worker = self.wall.start()
            for index in range(before):
                if index not in self.fatal:
                    self._run(index)
        try:
            left = max(self.deadline - time.monotonic(), 0.1)
            yield from self.worker.ask(step, results, seconds, left)
        except Ended:
            self.close()
            raise
