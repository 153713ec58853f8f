"""The command line: python -m autograde."""

import argparse
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from pathlib import Path

import nbformat
from tqdm import tqdm

from autograde import cohort, grader, notebook, sandbox
from autograde.check import PRACTICE
from autograde.grader import Graded

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
    for chapter in options.chapters:
        if not (cohort.COURSE / "solutions" / chapter).is_dir():
            known = sorted(path.name for path in (cohort.COURSE / "solutions").iterdir())
            raise LookupError(f"there is no chapter “{chapter}”; there are: {', '.join(known)}")
    limits = sandbox.Limits(**{f.name: getattr(options, f.name) for f in fields(sandbox.Limits)})
    if options.trust_submissions:
        print("no wall: submissions are trusted with all that you may do")
    else:
        sandbox.Wall().close()  # one clear message now, not one for every submission
        print("wall: up")
    print(limits.text(), flush=True)
    spawn = multiprocessing.get_context("spawn")
    complete = True
    with ProcessPoolExecutor(options.workers, mp_context=spawn) as executor:
        for chapter in options.chapters:
            complete &= _grade_chapter(chapter, options, limits, executor)
    return 0 if complete else 1


def _grade_chapter(
    chapter: str,
    options: argparse.Namespace,
    limits: sandbox.Limits,
    executor: ProcessPoolExecutor,
) -> bool:
    from autograde.record import Recorder  # nbgrader takes a second to import; `check` needs none

    with Recorder(chapter) as recorder:
        task = cohort.task(chapter, limits, options.trust_submissions)
        exercise = nbformat.reads(task.exercise, as_version=4)
        texts, results = {}, {}
        for student, text in _collect(chapter, options.student):
            if isinstance(text, str):
                texts[student] = text
            else:
                results[student] = grader.unreadable(exercise, str(text))
                recorder.save(student, results[student])
        done = cohort.grade_all(texts, task, executor, options.again)
        for student, result in tqdm(done, chapter, len(texts), unit=" notebooks", leave=False):
            results[student] = result
            if isinstance(result, Graded):
                recorder.save(student, result)
    worth = notebook.points(exercise)
    print(_table(chapter, worth, results, cohort.seed_id(task.seed)))
    return bool(results) and all(map(_is_graded, results.values()))


def _is_graded(result: Graded | Exception) -> bool:
    return isinstance(result, Graded) and result.readable


def _collect(
    chapter: str, students: list[str] | None
) -> Iterator[tuple[str, str | notebook.Unreadable]]:
    """(student, the text handed in or why there is none) of everyone who handed in a chapter."""
    wanted = students or sorted(os.listdir(cohort.SUBMITTED)) if cohort.SUBMITTED.is_dir() else []
    for student in wanted:
        folder = cohort.SUBMITTED / student / chapter
        if not folder.is_dir() and not folder.is_symlink():
            if students:
                raise LookupError(f"{student} has handed in nothing for {chapter}: no {folder}")
            continue
        try:
            for part in (folder.parent, folder):
                if part.is_symlink():
                    raise notebook.Unreadable(f"{part.name} is a link; hand in the folder itself")
            path = folder / f"{chapter}.ipynb"
            if not os.path.lexists(path):
                found = ", ".join(sorted(os.listdir(folder))) or "nothing"
                raise notebook.Unreadable(f"{path.name} is missing; found: {found}")
            yield student, notebook.read(path)
        except notebook.Unreadable as reason:
            yield student, reason


def _table(
    chapter: str,
    worth: Mapping[str, float],
    results: Mapping[str, Graded | Exception],
    seed_id: str,
) -> str:
    """One line a student, then what the class got."""
    total = sum(worth.values())
    width = max([len(student) for student in results] + [7])
    heads = "  ".join(f"{name}/{value:g}" for name, value in worth.items())
    lines = [f"\n{chapter} (seed {seed_id})", f"{'student':{width}}  of {total:3g}  {heads}"]
    sums = dict.fromkeys(worth, 0.0)
    hints: Counter[tuple[str, str]] = Counter()
    graded = sum(map(_is_graded, results.values()))
    for student, result in sorted(results.items()):
        if isinstance(result, Exception):
            lines.append(f"{student:{width}}  not graded, our fault: {result}")
            continue
        earned = {name: result.verdicts[name].fraction * value for name, value in worth.items()}
        sums = {name: sums[name] + earned[name] for name in worth}
        if result.readable:
            named = ((name, verdict.hint) for name, verdict in result.verdicts.items())
            hints.update(pair for pair in named if pair[1])
        each = "  ".join(
            f"{earned[name]:{len(name) + len(f'/{value:g}')}.3g}" for name, value in worth.items()
        )
        remarks = f"  {'; '.join(result.remarks)}" if result.remarks else ""
        lines.append(f"{student:{width}}  {sum(earned.values()):6.4g}  {each}{remarks}")
    if graded:
        means = "  ".join(
            f"{sums[name] / graded:{len(name) + len(f'/{value:g}')}.3g}"
            for name, value in worth.items()
        )
        lines.append(f"{'mean':{width}}  {sum(sums.values()) / graded:6.4g}  {means}")
    lines.append(f"{len(results)} submissions, {len(results) - graded} not graded")
    if hints:
        lines.append("what went wrong most:")
        lines += [f"  {n} × {name}: {hint}" for (name, hint), n in hints.most_common(5)]
    return "\n".join(lines)


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
