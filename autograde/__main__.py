"""The command line: python -m autograde."""

import argparse
import os
import sys
from dataclasses import fields
from functools import partial
from pathlib import Path

import nbformat

from autograde import cohort, executors, grader, notebook, report, sandbox
from autograde.check import PRACTICE

GRADE_HELP = """\
Grade what students handed in for one or more chapters.

Submissions are read from grading/submitted/STUDENT/CHAPTER/CHAPTER.ipynb. Each runs behind a wall,
its answers are compared with the reference outside of it, and the points and hints are recorded
where nbgrader keeps them: `nbgrader export`, `formgrader` and `generate_feedback` work from there.
A run that was cut short goes on where it stopped.

Exit code: 0 when every submission was graded, 1 when one could not be (its row says why),
2 when nothing could be.
"""
CHECK_HELP = """\
Check your own notebook before you hand it in.

Runs your cells on this computer and then the same checks that grade it, with practice inputs.
Grading draws other inputs, so a pass here is a good sign and not yet a mark.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m autograde", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    raw = argparse.RawDescriptionHelpFormatter

    grade_parser = commands.add_parser(
        "grade", help="grade a class", description=GRADE_HELP, formatter_class=raw
    )
    grade_parser.add_argument("chapters", nargs="+", metavar="CHAPTER", help="such as attention")
    grade_parser.add_argument(
        "--student", action="append", metavar="NAME", help="only this one; may be repeated"
    )
    grade_parser.add_argument(
        "--workers", type=_positive, default=os.cpu_count(), metavar="N",
        help="how many to grade at once (default: the processors, %(default)s)",
    )  # fmt: skip
    grade_parser.add_argument(
        "--dask", metavar="ADDRESS",
        help="grade on a Dask cluster: its scheduler's address, or “local” to start one here",
    )  # fmt: skip
    grade_parser.add_argument(
        "--again", action="store_true", help="grade also what was graded before"
    )
    grade_parser.add_argument(
        "--trust-submissions", action="store_true",
        help="without the wall: the code of every submission may then do all that you may do",
    )  # fmt: skip
    limits = grade_parser.add_argument_group("what a submission may use")
    for limit in fields(sandbox.Limits):
        limits.add_argument(
            f"--{limit.name.replace('_', '-')}", type=limit.type, default=limit.default,
            metavar="N", help=f"{limit.metadata['help']} (default {limit.default:,})",
        )  # fmt: skip
    grade_parser.set_defaults(run=grade)

    check_parser = commands.add_parser(
        "check", help="check your own notebook", description=CHECK_HELP, formatter_class=raw
    )
    check_parser.add_argument("notebook", type=Path, metavar="NOTEBOOK")
    check_parser.set_defaults(run=check)

    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except (sandbox.SandboxError, notebook.Unreadable, OSError, RuntimeError, LookupError) as error:
        print(f"autograde: {error}", file=sys.stderr)
        return 2


def grade(options: argparse.Namespace) -> int:
    """`python -m autograde grade`: all submissions of some chapters."""
    from autograde import grading  # nbgrader takes a second to import; `check` needs none of it

    for chapter in options.chapters:
        _known(chapter)
    limits = sandbox.Limits(**{f.name: getattr(options, f.name) for f in fields(sandbox.Limits)})
    if options.trust_submissions:
        print("no wall: submissions are trusted with all that you may do")
    else:
        sandbox.Wall().close()  # one clear message now, not one for every submission
        print("wall: up")
    print(limits.text(), flush=True)
    if options.dask:
        place = partial(executors.dask, options.dask, options.workers)
    else:
        place = partial(executors.local, options.workers)
    complete = True
    for chapter in options.chapters:
        task = cohort.task(chapter, limits, options.trust_submissions)
        rows = grading.grade(task, place, options.student, options.again)
        print(report.table(task, rows))
        complete = complete and report.complete(rows)
    return 0 if complete else 1


def _known(chapter: str) -> None:
    chapters = sorted(path.name for path in (cohort.COURSE / "exercises").iterdir())
    if chapter not in chapters:
        raise LookupError(f"there is no chapter “{chapter}”; there are: {', '.join(chapters)}")


def check(options: argparse.Namespace) -> int:
    """`python -m autograde check`: one's own notebook, on one's own computer."""
    submitted = notebook.parse(notebook.read(options.notebook))
    chapter = options.notebook.stem
    path = cohort.exercise_path(chapter)
    if not path.exists():
        known = sorted(path.name for path in (cohort.COURSE / "exercises").iterdir())
        raise LookupError(
            f"{options.notebook.name} is no exercise of this course; "
            f"the file's name should be one of: {', '.join(f'{name}.ipynb' for name in known)}"
        )
    exercise = nbformat.read(path, as_version=4)
    limits = sandbox.Limits()
    wall = sandbox.NoWall(notebook.modules(exercise), limits)
    graded = grader.grade(submitted, exercise, chapter, PRACTICE, wall, limits)
    worth = notebook.points(exercise)
    for remark in graded.remarks:
        print(f"note: {remark}")
    for _, cell, name in notebook.code(graded.nb):
        if name:
            # The verdict is the last output but one; before it stands what the cell showed.
            *shown, verdict, _ = cell.outputs
            example = "".join(output.get("text", "") for output in shown).strip()
            print(f"\n{name}: " + verdict.text.strip().replace("\n", "\n  "))
            if example:
                print(f"  the visible example: {example.splitlines()[-1]}")
    right = sum(verdict.fraction == 1 for verdict in graded.verdicts.values())
    print(
        f"\n{right} of {len(worth)} functions pass with practice inputs. "
        "Grading uses other inputs, which are hidden."
    )
    return 0 if right == len(worth) else 1


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


if __name__ == "__main__":
    sys.exit(main())
