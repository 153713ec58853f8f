"""The class at a glance: a line a student, what the class got, and which mistakes were made."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import nbformat

from autograde import notebook
from autograde.cohort import Task, seed_id
from autograde.grader import Graded
from autograde.plain import cut

MOST = 5  # mistakes that are listed


@dataclass(frozen=True)
class Row:
    """What became of one student's submission.

    Attributes:
        points: function -> points; empty if it could not be graded, through our fault.
        hints: function -> what to mend first, where something was wrong.
        remarks: what else the instructor should know.
        graded: whether there was a notebook, and it was graded.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    graded: bool = False


def row(result: Graded | Exception, worth: Mapping[str, float]) -> Row:
    """The row of a graded submission, or of the fault of ours that kept it from being graded."""
    if not isinstance(result, Graded):
        return Row(remarks=(f"not graded, our fault: {result}",))
    points = {name: result.verdicts[name].fraction * worth[name] for name in worth}
    hints = {name: verdict.hint for name, verdict in result.verdicts.items() if verdict.hint}
    return Row(points, hints if result.readable else {}, result.remarks, result.readable)


def complete(rows: Mapping[str, Row]) -> bool:
    """Whether there was something to grade, and all of it was."""
    return bool(rows) and all(row.graded for row in rows.values())


def table(task: Task, rows: Mapping[str, Row]) -> str:
    """The class as text, in the order of the names."""
    worth = notebook.points(nbformat.reads(task.exercise, as_version=4))
    heads = [f"{name}/{points:g}" for name, points in worth.items()]
    width = max([len(student) for student in rows] + [7])

    def line(name: str, points: Mapping[str, float], rest: str = "") -> str:
        cells = [f"{points[of]:{len(head)}.3g}" for of, head in zip(worth, heads, strict=True)]
        return f"{name:{width}}  {sum(points.values()):6.4g}  {'  '.join(cells)}  {rest}".rstrip()

    lines = [f"\n{task.chapter} (seed {seed_id(task.seed)})"]
    lines.append(f"{'student':{width}}  of {sum(worth.values()):3g}  {'  '.join(heads)}")
    for student, of in sorted(rows.items()):
        rest = _line("; ".join(of.remarks))
        lines.append(line(student, of.points, rest) if of.points else f"{student:{width}}  {rest}")
    with_points = [of.points for of in rows.values() if of.points]
    if with_points:
        means = {name: sum(of[name] for of in with_points) / len(with_points) for name in worth}
        lines.append(line("mean", means))
    graded = sum(of.graded for of in rows.values())
    lines.append(f"{len(rows)} submissions, {len(rows) - graded} not graded")
    hints = Counter(pair for of in rows.values() for pair in of.hints.items())
    if hints:
        lines.append("what went wrong most:")
    lines += [f"  {n} × {name}: {_line(hint)}" for (name, hint), n in hints.most_common(MOST)]
    return "\n".join(lines)


def _line(text: str) -> str:
    """A student may have written some of it: one line, and nothing that moves the cursor."""
    return cut("".join(char if char.isprintable() else " " for char in text), 400)
