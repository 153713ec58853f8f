"""The command line: python -m autograde."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from functools import partial
from pathlib import Path
from typing import Any

import nbformat

from autograde import checks, cohort, executors, grader, hand_in, notebook, report, sandbox
from autograde.check import PRACTICE

TOP_HELP = """\
Grade notebooks, or check your own.

COMMAND --help says more of each. A class lies in the folder grading/; to have another, set GRADING,
such as GRADING=grading/2027, in the environment of every command, nbgrader's too. The gradebook is
a file in it, or where GRADEBOOK says: postgresql+psycopg://user:password@host/database. The hidden
inputs come from course.key in that folder, made on first use: keep it, and do not publish it.
"""
GRADE_HELP = """\
Grade what students handed in for one or more chapters.

Submissions are read from grading/submitted/STUDENT/CHAPTER/CHAPTER.ipynb. Each runs behind a wall,
its answers are compared with the reference outside of it, and the points and hints are recorded
where nbgrader keeps them: `nbgrader export`, `formgrader` and `generate_feedback` work from there.
A run that was cut short, by Ctrl-C too, goes on where it stopped. Who has been graded keeps that
verdict even if checks or limits changed since: `regrade` changes it, and logs that.

Exit code: 0 when every submission was graded; 1 when one was unreadable (it gets 0 points) or not
graded (it gets none), as its row says; 2 when nothing was graded, as one line on stderr says; 130
after Ctrl-C.
"""
REGRADE_HELP = """\
Grade a class again after a check was mended.

Only notebooks whose verdict depends on what changed are run. Old and new points are shown side by
side and logged in grading/regrades.csv with the reason. Points given by hand and comments stay.
Who was never graded, or handed in again since, is left out and named: `grade` is for that.

Exit code: 0 when all was graded, whether or not points changed; 1 when something was unreadable or
left as it was, as its line says; 2 when nothing was graded, as one line on stderr says; 130 after
Ctrl-C.
"""
REPLAY_HELP = """\
Show an instructor exactly what a submission was given and returned, case by case.

The hidden inputs are those of the grading, so this is nothing to hand on to students. Give it the
limits that you graded with.

Exit code: 0 when the submission ran, whatever it earns; 2 when it could not.
"""
CHECK_HELP = """\
Check your own notebook before you hand it in.

Runs your cells on this computer and then the same checks that grade it, with practice inputs.
Grading draws other inputs, so a pass here is a good sign and not yet a mark. There is no wall: only
check what you wrote or trust.

Exit code: 0 when every function passes, 1 when one does not, 2 when nothing could be checked.
"""


SIZES = ("memory", "disk")  # the limits in bytes


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m autograde", description=TOP_HELP, formatter_class=raw
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    grade_parser = commands.add_parser(
        "grade", help="grade a class", description=GRADE_HELP, formatter_class=raw
    )
    grade_parser.add_argument(
        "chapters", nargs="*", type=_name, metavar="CHAPTER",
        help="such as attention; none means all that have submissions",
    )  # fmt: skip
    grade_parser.add_argument(
        "--student", action="append", type=_name, metavar="NAME",
        help="only this one; may be repeated",
    )  # fmt: skip
    grade_parser.add_argument(
        "--again",
        action="store_true",
        help="grade also what was graded before; no log says what changed",
    )
    _add_grading(grade_parser)
    grade_parser.set_defaults(run=grade)

    regrade_parser = commands.add_parser(
        "regrade",
        help="grade a class again after a check was mended",
        description=REGRADE_HELP,
        formatter_class=raw,
    )
    regrade_parser.add_argument("chapter", type=_name, metavar="CHAPTER", help="such as attention")
    regrade_parser.add_argument(
        "--question", action="append", metavar="NAME", help="only this function; may be repeated"
    )
    regrade_parser.add_argument("--reason", required=True, type=_reason, help="why, for the log")
    regrade_parser.add_argument(
        "--never-lower", action="store_true", help="keep old points where new ones are fewer"
    )
    _add_grading(regrade_parser)
    regrade_parser.set_defaults(run=regrade)

    replay_parser = commands.add_parser(
        "replay",
        help="see what a submission was given and returned",
        description=REPLAY_HELP,
        formatter_class=raw,
    )
    replay_parser.add_argument(
        "student", type=_name, metavar="STUDENT", help="the name of a folder in grading/submitted"
    )
    replay_parser.add_argument("chapter", type=_name, metavar="CHAPTER", help="such as attention")
    replay_parser.add_argument(
        "--question", action="append", metavar="NAME", help="only this function; may be repeated"
    )
    replay_parser.add_argument(
        "--all",
        action="store_true",
        help="every call; without it, the first wrong one of each case",
    )
    _add_running(replay_parser)
    replay_parser.set_defaults(run=replay)

    check_parser = commands.add_parser(
        "check", help="check your own notebook", description=CHECK_HELP, formatter_class=raw
    )
    check_parser.add_argument(
        "notebook", type=Path, metavar="NOTEBOOK", help="such as work/attention.ipynb"
    )
    check_parser.set_defaults(run=check)

    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except KeyboardInterrupt as stop:
        how_far = f"; {stop}. Run the same command again to go on" if str(stop) else ""
        print(f"autograde: stopped{how_far}", file=sys.stderr)
        return 130
    except (sandbox.SandboxError, notebook.Unreadable, OSError, RuntimeError, LookupError) as error:
        print(f"autograde: {report.still(str(error))}", file=sys.stderr)
        return 2


def _add_grading(parser: argparse.ArgumentParser) -> None:
    """The options of every command that grades a class."""
    parser.add_argument(
        "--workers", type=_positive, default=os.cpu_count(), metavar="N",
        help="how many to grade at once (default: the processors, %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--dask", metavar="ADDRESS",
        help="grade on a Dask cluster: its scheduler's address, or “local” to start one here",
    )  # fmt: skip
    _add_running(parser)


def _add_running(parser: argparse.ArgumentParser) -> None:
    """The options of every command that runs submissions."""
    parser.add_argument(
        "--trust-submissions", action="store_true",
        help="without the wall: the code of every submission may then do all that you may do",
    )  # fmt: skip
    limits = parser.add_argument_group(
        "what a submission may use", "Bytes may be written as 512M or 2G."
    )
    for limit in fields(sandbox.Limits):
        value: Any = limit.default
        default = f"{value >> 20}M" if limit.name in SIZES else f"{value:,}"
        limits.add_argument(
            f"--{limit.name.replace('_', '-')}", type=partial(_amount, limit),
            default=limit.default, metavar="N",
            help=f"{limit.metadata['help']} (default {default})",
        )  # fmt: skip


def _amount(limit: Field, text: str) -> float:
    """The value of a limit as it is written, K, M and G standing for powers of 1024."""
    number, unit = text, 0
    if limit.name in SIZES:
        found = re.fullmatch(r"(\d+)([KMG]?)i?B?", text, re.IGNORECASE)
        if not found:
            raise argparse.ArgumentTypeError(f"“{text}” is no size, such as 512M or 2G")
        number, unit = found[1], " KMG".index(found[2].upper() or " ")
    try:
        kind: Any = limit.type  # int or float
        value = kind(number) * 1024**unit
        sandbox.Limits(**{limit.name: value})
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return value


def _limits(options: argparse.Namespace) -> sandbox.Limits:
    return sandbox.Limits(**{f.name: getattr(options, f.name) for f in fields(sandbox.Limits)})


def _prepare(options: argparse.Namespace) -> tuple[sandbox.Limits, Callable]:
    """Say how submissions will run; return their limits and what makes a place to grade in."""
    limits = _limits(options)
    if options.trust_submissions:
        print("no wall: submissions are trusted with all that you may do")
    else:
        sandbox.Wall().close()  # one clear message now, not one for every submission
        print("wall: up")
    print(limits.text(), flush=True)
    if options.dask:
        return limits, partial(executors.dask, options.dask, options.workers)
    return limits, partial(executors.local, options.workers)


def grade(options: argparse.Namespace) -> int:
    """`python -m autograde grade`: all submissions of some chapters."""
    from autograde import grading  # nbgrader takes a second to import; `check` needs none of it

    for chapter in options.chapters:
        _known(chapter)
        hand_in.students(chapter, options.student)
    chapters = options.chapters or hand_in.chapters(options.student)
    limits, place = _prepare(options)
    complete = True
    for chapter in chapters:
        task = cohort.task(chapter, limits, options.trust_submissions)
        rows = grading.grade(task, place, options.student, options.again)
        print(report.table(task, rows))
        complete = complete and report.complete(rows)
    return 0 if complete else 1


def regrade(options: argparse.Namespace) -> int:
    """`python -m autograde regrade`: a class again, and what changed."""
    from autograde import regrade as again

    questions = tuple(_known(options.chapter, options.question or []))
    again.students(options.chapter)
    limits, place = _prepare(options)
    task = cohort.task(options.chapter, limits, options.trust_submissions, questions)
    done = again.regrade(task, place, options.reason, options.never_lower)
    if done.changes or done.spared:
        print(again.table(done.changes + done.spared))
    if not report.complete(done.rows):
        print(report.rest(done.rows))
    print(report.counts(done.rows, "left as they were: {}"))
    spared = f", kept as they were: {len(done.spared)}" if done.spared else ""
    logged = f"logged in {again.LOG}" if done.changes else "no points changed"
    print(f"changes: {len(done.changes)}{spared}; {logged}")
    if done.hints:
        whose = f"{len(done.hints)} student" + "s" * (len(done.hints) > 1)
        print(f"hints changed for {whose} with the same points")
    if done.changes or done.hints:
        print(f"make feedback again: nbgrader generate_feedback {options.chapter} --force")
    return 0 if report.complete(done.rows) else 1


def replay(options: argparse.Namespace) -> int:
    """`python -m autograde replay`: what a submission was given, returned, and should have."""
    chapter = options.chapter
    questions = _known(chapter, options.question or [])
    hand_in.students(chapter, [options.student])
    task = cohort.task(chapter, _limits(options))
    exercise = nbformat.reads(task.exercise, as_version=4)
    submitted = notebook.parse(hand_in.read(options.student, chapter))
    kind = sandbox.NoWall if options.trust_submissions else sandbox.Wall
    wall = kind(notebook.modules(exercise), task.limits)
    tried = grader.attempt(submitted, exercise, chapter, task.seed, wall, task.limits, questions)
    wall.close()
    for name in tried.calls:
        of, answers = checks.find(chapter, name), tried.ran[tried.tests[name]].answers
        print("\n" + report.replay(of, answers, task.seed, options.all))
    return 0


def _known(chapter: str, questions: Sequence[str] = ()) -> Sequence[str]:
    """The questions, if the chapter and they are there.

    Raises:
        LookupError: one is not; the message lists those that are.
    """
    chapters = cohort.chapters()
    if chapter not in chapters:
        raise LookupError(f"there is no chapter “{chapter}”; there are: {', '.join(chapters)}")
    known = notebook.points(nbformat.read(cohort.exercise_path(chapter), as_version=4))
    for question in questions:
        if question not in known:
            raise LookupError(f"{chapter} has no “{question}”; it has: {', '.join(known)}")
    return questions


def check(options: argparse.Namespace) -> int:
    """`python -m autograde check`: one's own notebook, on one's own computer."""
    from autograde import release  # which needs nbgrader's checksums, as only this command does

    if not options.notebook.exists():
        raise FileNotFoundError(f"there is no {options.notebook}")
    submitted = notebook.parse(notebook.read(options.notebook))
    chapter = options.notebook.stem
    exercise = release.exercise(chapter)
    cohort.not_of_another(submitted, exercise)
    if options.notebook.resolve() == cohort.exercise_path(chapter):
        print(
            "note: this is the released exercise itself; `make work` gives you a copy to write in"
        )
    print(f"running the cells of {options.notebook} …", flush=True)
    limits = sandbox.Limits()
    wall = sandbox.NoWall(notebook.modules(exercise), limits)
    graded = grader.grade(submitted, exercise, chapter, PRACTICE, wall, limits)
    worth = notebook.points(exercise)
    for remark in graded.remarks:
        print(f"note: {remark}")
    hints = "".join(verdict.hint for verdict in graded.verdicts.values())
    for number, cell, name in notebook.code(graded.nb):
        error = notebook.error_of(cell.outputs)
        if error and error not in hints:
            print(f"note: cell {number} has {error}")
        if name:
            # The verdict is the last output but one; before it stands what the cell showed.
            *shown, verdict, _ = cell.outputs
            example = "".join(output.get("text", "") for output in shown).strip()
            print(f"\n{name}: " + verdict.text.strip().replace("\n", "\n  "))
            if "Traceback (most recent call last)" in example:  # a warning is no failure
                print(f"  the visible example: {example.splitlines()[-1]}")
    right = sum(verdict.fraction == 1 for verdict in graded.verdicts.values())
    print(
        f"\n{right} of {len(worth)} functions pass with practice inputs. "
        "Grading uses other inputs, which are hidden."
    )
    return 0 if right == len(worth) else 1


def _name(text: str) -> str:
    """A chapter or student as it was typed, without the slash that a shell's completion adds."""
    return text.rstrip("/")


def _reason(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is blank; say why, in words that the log can keep")
    return text.strip()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


if __name__ == "__main__":
    sys.exit(main())
