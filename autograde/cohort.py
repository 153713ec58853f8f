"""Many notebooks at once, on any concurrent.futures executor; what is graded once stays graded.

A graded notebook is a pure function of the submission's text, of the exercise and the seed, and of
the code and the limits that it is graded with. It says so itself (`origin`), and it is kept in a
file named by the hash of all that, written whole or not at all. So a run that was cut short goes on
where it stopped, the same input is never graded twice, and a mended check grades again exactly what
depends on it.
"""

import atexit
import gc
import hashlib
import hmac
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import AbstractContextManager
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograde import grader, notebook, sandbox, wall
from autograde.grader import Graded, Origin
from autograde.wall import COURSE, PACKAGE

# Another folder, for a class of its own: GRADING=grading/2027
GRADING = COURSE / os.environ.get("GRADING", "grading")
SUBMITTED = GRADING / "submitted"
KEPT = GRADING / "verdicts"
KEY = GRADING / "course.key"
AHEAD = 64  # submissions that are read and handed out before the first of them is graded
HOPELESS = 3  # losses one by one after which, if nothing could be graded, no more is tried
# What is imported ahead for submissions that name it, whatever the chapter: it takes long. Not for
# others, since every fork costs more, the more memory there is.
SLOW = {"matplotlib": "matplotlib.pyplot", "torch": "torch"}


@dataclass(frozen=True)
class Task:
    """What submissions of a chapter are graded against. Travels to workers as it is."""

    chapter: str
    exercise: str  # the released notebook's text
    seed: str
    limits: sandbox.Limits
    trusted: bool  # graded without the wall
    questions: tuple[str, ...] = ()  # the functions to grade; none means all


def task(
    chapter: str,
    limits: sandbox.Limits = sandbox.Limits(),
    trusted: bool = False,
    questions: tuple[str, ...] = (),
) -> Task:
    """The task of a chapter, with its secret seed.

    Raises:
        FileNotFoundError: the chapter has no released exercise.
    """
    exercise = exercise_path(chapter).read_text("utf-8")
    return Task(chapter, exercise, seed(chapter, exercise), limits, trusted, questions)


def chapters() -> list[str]:
    """The chapters that have a released exercise."""
    return sorted(path.name for path in (COURSE / "exercises").iterdir())


def exercise_path(chapter: str) -> Path:
    """Where a chapter's released exercise is."""
    return COURSE / "exercises" / chapter / f"{chapter}.ipynb"


def seed(chapter: str, exercise: str) -> str:
    """The secret seed of a release: HMAC(course key, chapter and release).

    The key is made on first use and never leaves `grading/`, so hidden inputs can be repeated
    here and foreseen nowhere; a new release of an exercise, or another course, has others.
    """
    KEY.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(os.open(KEY, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
    except FileExistsError:
        pass
    release = hashlib.sha256(exercise.encode()).hexdigest()
    return hmac.new(KEY.read_bytes(), f"{chapter} {release}".encode(), "sha256").hexdigest()


def seed_id(seed: str) -> str:
    """A name for a seed that does not give it away."""
    return hashlib.sha256(seed.encode()).hexdigest()[:12]


def grade_text(text: str, task: Task) -> str:
    """Grade one submission's text and return the graded file's; this is what workers do.

    Raises:
        what grader.grade raises.
    """
    exercise, modules = _released(task.exercise)
    try:
        submitted = notebook.parse(text)
        not_of_another(submitted, exercise)
    except notebook.Unreadable as reason:
        unreadable = grader.unreadable(exercise, str(reason))
        return replace(unreadable, origin=origin(text, task)).text()
    ahead = imported_ahead(modules, (cell.source for _, cell, _ in notebook.code(submitted)))
    behind = _wall(ahead, task.limits, task.trusted)
    try:
        graded = grader.grade(
            submitted, exercise, task.chapter, task.seed, behind, task.limits, task.questions
        )
    except sandbox.SandboxError:
        _wall.cache_clear()  # the next submission gets a new one
        raise
    return replace(graded, origin=origin(text, task)).text()


def imported_ahead(modules: Iterable[str], sources: Iterable[str]) -> tuple[str, ...]:
    """What to import ahead for a submission.

    Args:
        modules: those of its exercise.
        sources: of its cells.
    """
    text = "\n".join(sources)
    slow = (module for name, module in SLOW.items() if name in text)
    return tuple(sorted({*modules, *slow}))


def not_of_another(submitted: NotebookNode, exercise: NotebookNode) -> None:
    """Refuse a notebook that was made from the exercise of another chapter.

    Raises:
        notebook.Unreadable: it was; the message names that chapter.
    """
    theirs = _names(submitted)
    if theirs.isdisjoint(_names(exercise)):
        for chapter in chapters():
            other, _ = _released(exercise_path(chapter).read_text("utf-8"))
            if not theirs.isdisjoint(_names(other)):
                raise notebook.Unreadable(
                    f"this is the notebook of {chapter}; hand in the one of this chapter"
                )


def _names(nb: NotebookNode) -> set[str]:
    """The names of a notebook's cells, which no two chapters share."""
    return {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in nb.cells} - {None}


@lru_cache
def _released(exercise: str) -> tuple[NotebookNode, tuple[str, ...]]:
    """(an exercise of its text, the modules to import ahead). Nothing writes into it."""
    nb = nbformat.reads(exercise, as_version=4)
    return nb, notebook.modules(nb)


def grade_one(text: str, task: Task) -> Graded:
    """The graded notebook of one submission, from the store if it is there."""
    path = kept(text, task)
    if not path.exists():
        _keep(path, grade_text(text, task))
    return Graded.of(path.read_text("utf-8"))


def grade_all(
    handed_in: Iterable[tuple[str, str]],
    task: Task,
    executors: Callable[[], AbstractContextManager[Executor]],
    again: bool = False,
) -> Generator[tuple[str, Graded | Exception], None, None]:
    """Grade the submissions of a class, in whatever order they are done.

    What was lost with a worker, a cluster or the wall is graded again: once all of it together,
    then one by one, so that what takes its worker along keeps nobody else from being graded.

    Args:
        handed_in: (student, the submission's text); read only as fast as they are graded.
        task: what to grade against.
        executors: makes a place to grade in; called again when one is lost.
        again: whether to grade what the store already has.

    Yields:
        (student, the graded notebook or the fault of ours that kept it from being graded).
    """
    first: list[tuple[str, str]] = []
    second: list[tuple[str, str]] = []
    graded = losses = 0

    def go(batch: Iterable[tuple[str, str]], anew: bool, lost: list) -> Iterator:
        nonlocal graded
        for result in _round(batch, task, executors, anew, lost):
            graded += 1
            yield result

    yield from go(handed_in, again, first)
    if first:
        yield from go(first, False, second)
    for student, text in second:
        third: list[tuple[str, str]] = []
        if graded or losses < HOPELESS:
            yield from go([(student, text)], False, third)
        if third or not graded:
            losses += 1
            yield student, sandbox.SandboxError("three times, whatever graded it was lost")


def _round(
    handed_in: Iterable[tuple[str, str]],
    task: Task,
    executors: Callable[[], AbstractContextManager[Executor]],
    again: bool,
    lost: list[tuple[str, str]],
) -> Iterator[tuple[str, Graded | Exception]]:
    """One go at grading; what is lost on the way is added to `lost`."""
    rest = iter(handed_in)
    waiting: dict[Path, tuple[str, list[str]]] = {}  # the text and who handed it in
    jobs: dict[Future, Path] = {}
    try:
        with executors() as executor:
            while True:
                for student, text in rest:
                    path = kept(text, task)
                    if path in waiting:
                        waiting[path][1].append(student)
                    elif path.exists() and not again:
                        yield student, Graded.of(path.read_text("utf-8"))
                    else:
                        waiting[path] = text, [student]
                        jobs[executor.submit(grade_text, text, task)] = path
                        if len(jobs) == AHEAD:
                            break
                if not jobs:
                    break
                for job in wait(jobs, return_when=FIRST_COMPLETED).done:
                    path = jobs.pop(job)
                    try:
                        _keep(path, job.result())
                        result: Graded | Exception = Graded.of(path.read_text("utf-8"))
                    except Exception as error:
                        if _is_loss(error):
                            continue
                        result = error
                    for student in waiting.pop(path)[1]:
                        yield student, result
    except Exception as error:
        if not _is_loss(error):
            raise
    lost += [(student, text) for text, students in waiting.values() for student in students]
    lost += rest


def _is_loss(error: BaseException) -> bool:
    """Whether an error says only that something died while it was grading."""
    if isinstance(error, BrokenExecutor | CancelledError | sandbox.SandboxError | EOFError):
        return True
    return type(error).__module__.partition(".")[0] in ("distributed", "tornado")


def kept(text: str, task: Task) -> Path:
    """Where the result of grading a text is kept: named by all that it depends on."""
    name = _digest(repr((astuple(origin(text, task)), task.questions)))
    return KEPT / f"{name}.ipynb"


def origin(text: str, task: Task) -> Origin:
    """What the result of grading a text says that it was made from."""
    return Origin(_digest(text), _release(task), method(task))


@lru_cache
def _release(task: Task) -> str:
    return _digest(repr((task.chapter, task.exercise, task.seed)))


@lru_cache
def method(task: Task) -> str:
    """A digest of how the submissions of a task are graded: the code, the limits, the wall."""
    limits = [*map(float, astuple(task.limits))]  # 5 and 5.0 are the same
    return _digest(repr((_code(task.chapter), limits, task.trusted)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache
def _code(chapter: str) -> bytes:
    """A hash of the code that a verdict on a chapter depends on."""
    grading = ("bubble", "wall", "sandbox", "submission", "check", "notebook", "grader")
    modules = [PACKAGE / name for name in (*wall.INSIDE, *(f"{name}.py" for name in grading))]
    modules += _checks(chapter) + sorted((PACKAGE / "reference").glob("*.py"))
    return b"".join(hashlib.sha256(path.read_bytes()).digest() for path in modules if path.exists())


def _checks(chapter: str) -> list[Path]:
    """The file of a chapter's checks, and those of other chapters that it takes something from."""
    path = PACKAGE / "checks" / f"{chapter}.py"
    text = path.read_text("utf-8") if path.exists() else ""
    others = re.findall(r"^from autograde\.checks\.(\w+) import", text, re.MULTILINE)
    return [path, *(file for other in others for file in _checks(other))]


@lru_cache
def _wall(
    preload: tuple[str, ...], limits: sandbox.Limits, trusted: bool
) -> sandbox.Wall | sandbox.NoWall:
    """This process's own warm process."""
    started: sandbox.Wall | sandbox.NoWall
    if trusted:
        started = sandbox.NoWall(preload, limits)
    else:
        started = sandbox.Wall(preload, limits, sandbox.own_processor())
    atexit.register(started.close)
    gc.freeze()  # what was imported stays, and is not to be looked through at each collection
    return started


def _keep(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
