"""The class at a glance: a line a student, what the class got, and which mistakes were made."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import nbformat
import numpy as np

from autograde import notebook
from autograde.check import Check
from autograde.cohort import Task, seed_id
from autograde.grader import Graded
from autograde.plain import UNDEFINED, Answer, cut

MOST = 5  # mistakes that are listed


@dataclass(frozen=True)
class Row:
    """What became of one student's submission.

    Attributes:
        points: function -> points; empty if it could not be graded, through our fault.
        hints: function -> what to mend first, where something was wrong.
        remarks: what else the instructor should know.
        graded: whether there was a notebook, and it was graded.
        earlier: whether it keeps what other checks or limits than the present ones gave.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    graded: bool = False
    earlier: bool = False


def row(
    result: Graded | Exception,
    worth: Mapping[str, float],
    by_hand: Mapping[str, float],
    method: str,
) -> Row:
    """The row of a graded submission, or of the fault of ours that kept it from being graded.

    Args:
        result: what became of it.
        worth: function -> what its exercise is worth.
        by_hand: function or other answer -> the points that the gradebook counts instead of ours.
        method: by which results are made now, as cohort.method names it.
    """
    if not isinstance(result, Graded):
        return Row(remarks=(f"not graded, our fault: {result}",))
    ours = {name: result.verdicts[name].fraction * worth[name] for name in worth}
    points = {name: by_hand.get(name, of) for name, of in ours.items()}
    hints = {name: verdict.hint for name, verdict in result.verdicts.items() if verdict.hint}
    marks = tuple(
        f"by hand: {name} {of:g}" + (f", not {ours[name]:.3g}" if name in ours else "")
        for name, of in by_hand.items()
    )
    remarks = (*marks, *result.remarks)
    earlier = result.origin is not None and result.origin.method != method
    return Row(points, hints if result.readable else {}, remarks, result.readable, earlier)


def complete(rows: Mapping[str, Row]) -> bool:
    """Whether there was something to grade, and all of it was."""
    return bool(rows) and all(row.graded for row in rows.values())


def table(task: Task, rows: Mapping[str, Row]) -> str:
    """The class as text, in the order of the names."""
    exercise = nbformat.reads(task.exercise, as_version=4)
    worth = notebook.points(exercise)
    heads = [f"{name}/{points:g}" for name, points in worth.items()]
    width = min(max([len(student) for student in rows] + [7]), 30)

    def line(name: str, points: Mapping[str, float], rest: str = "") -> str:
        cells = [f"{points[of]:{len(head)}.3g}" for of, head in zip(worth, heads, strict=True)]
        return f"{name:{width}}  {sum(points.values()):6.4g}  {'  '.join(cells)}  {rest}".rstrip()

    lines = [f"\n{task.chapter} (seed {seed_id(task.seed)})"]
    lines.append(f"{'student':{width}}  of {sum(worth.values()):3g}  {'  '.join(heads)}")
    for student, of in sorted(rows.items()):
        rest = _line("; ".join(of.remarks))
        name = _line(student)
        lines.append(line(name, of.points, rest) if of.points else f"{name:{width}}  {rest}")
    with_points = [of.points for of in rows.values() if of.points]
    if with_points:
        means = {name: sum(of[name] for of in with_points) / len(with_points) for name in worth}
        lines.append(line("mean", means))
    lines.append(counts(rows, "not graded: {} (no points, in no mean)"))
    for name, points in notebook.by_hand(exercise).items():
        lines.append(f"{name}: {points:g} more points, given by hand (nbgrader's formgrader)")
    hints = Counter(pair for of in rows.values() for pair in of.hints.items())
    if hints:
        lines.append("what went wrong most:")
    lines += [f"  {n} × {name}: {_line(hint)}" for (name, hint), n in hints.most_common(MOST)]
    earlier = sum(of.earlier for of in rows.values())
    if earlier:
        lines.append(
            f"{earlier} keep the points that other checks or limits gave. To grade them by the "
            "present ones, and log what changes:\n"
            f'  .venv/bin/python -m autograde regrade {task.chapter} --reason "…"'
        )
    return "\n".join(lines)


def counts(rows: Mapping[str, Row], without: str) -> str:
    """How many submissions there are, and what became of them.

    Args:
        rows: of the class.
        without: what to say, with their number, of those that have no points.
    """
    graded = sum(of.graded for of in rows.values())
    with_points = sum(bool(of.points) for of in rows.values())
    line = f"submissions: {len(rows)}, graded: {graded}"
    if with_points > graded:
        line += f", unreadable: {with_points - graded} (0 points, also in the mean)"
    if len(rows) > with_points:
        line += ", " + without.format(len(rows) - with_points)
    return line


def rest(rows: Mapping[str, Row]) -> str:
    """A line for each submission that was not graded, in the order of the names."""
    found = [(name, "; ".join(of.remarks)) for name, of in rows.items() if not of.graded]
    return "\n".join(f"{_line(name)}: {_line(remarks)}" for name, remarks in sorted(found))


def replay(check: Check, answers: list[Answer], seed: str, everything: bool) -> str:
    """What a function was given, returned and should have returned, call by call.

    Args:
        check: of the function.
        answers: its answers to the calls of this seed.
        seed: of the hidden inputs.
        everything: whether to show every call, instead of the first wrong one of each case.
    """
    verdict = check.judge(answers, seed)
    faults = {case: _line(fault) for case, fault in verdict.faults.items()}
    verdict = replace(verdict, hint=_line(verdict.hint), faults=faults)
    lines = [f"{check.name}: {verdict.text()}"]
    wrong = check.faults(answers, seed)
    calls = zip(check.calls(seed), check.expected(seed), answers, wrong, strict=True)
    shown = set()
    for number, (call, (case, right), given, fault) in enumerate(calls, start=1):
        if not everything and (not fault or case in shown):
            continue
        shown.add(case)
        lines.append(f"\ncall {number}, {case}: {_line(fault) or 'right'}")
        if given.error.startswith(UNDEFINED.error):
            continue
        lines += [f"  {name} = {_value(value)}" for name, value in call.arguments.items()]
        lines.append(f"  returned {_line(given.error) if given.error else _value(given.value)}")
        lines.append(f"  expected {_value(right)}")
    return "\n".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=6, threshold=200, separator=", ")
        return f"array {value.shape} {value.dtype}\n{text}".replace("\n", "\n    ")
    if isinstance(value, list):
        return "(" + ", ".join(map(_value, value)) + ")"
    return _line(repr(value))


def still(text: str) -> str:
    """Text that a student may have had a part in, without what moves the cursor but line ends."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


def _line(text: str) -> str:
    """The same in one line, which is cut."""
    return cut(still(text).replace("\n", " "), 400)
