"""Run notebook cells as Jupyter does, and keep what they show.

IPython's shell gives magics, rich display and figures; what would go to a front end is kept as
nbformat outputs instead.
"""

import ast
import base64
import io
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from types import CodeType
from typing import Any, cast

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.history import HistoryManager
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograde.plain import UNDEFINED, UNPARSED, Answer, answer, probed

MAX_OUTPUTS = 500  # of one cell
# What learners do first, run once by whoever forks: much is imported only when it is needed.
REHEARSAL = (
    "1",
    "print()",
    "1/0",
    "def f(:",
    "%time 1",
    "import numpy\nnumpy.random.seed(0)\nnumpy.random.default_rng(0).normal(size=(2, 2))",
)
FIGURE = (
    "from IPython.core.magics import pylab\nfrom matplotlib import pyplot\n"
    "pyplot.plot([0, 1], label='f')\npyplot.legend()"
)


class Kept:
    """The outputs of one cell, at most `limit` characters of them."""

    def __init__(self, limit: int):
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        """Forget them."""
        self.outputs: list[dict[str, Any]] = []
        self.room = self.limit
        self.cut = False

    def stream(self, name: str, text: str) -> None:
        """Add text of stdout or stderr, as much as there is room for."""
        last = self.outputs[-1] if self.outputs else {}
        if last.get("name") == name:
            last["parts"].append(text[: self.room])
            self._use(len(text))
        elif text:
            self.add({"output_type": "stream", "name": name, "parts": [text[: self.room]]}, 0)
            self._use(len(text))

    def add(self, output: dict[str, Any], size: int) -> None:
        """Add any other output, if there is room for it."""
        if size <= self.room and len(self.outputs) < MAX_OUTPUTS:
            self.outputs.append(output)
            self._use(size)
        else:
            self.cut = True

    def add_data(self, kind: str, data: dict[str, str]) -> None:
        """Add a MIME bundle, as the output of the given kind."""
        output = {"output_type": kind, "data": data, "metadata": {}}
        self.add(output, sum(map(len, data.values())))

    def take(self) -> list[dict[str, Any]]:
        """Everything kept so far, in order; a note at its end if something was cut."""
        outputs, cut = self.outputs, self.cut
        self.clear()
        for output in outputs:
            if "parts" in output:
                output["text"] = "".join(output.pop("parts"))
        if cut:
            text = f"\n… output cut at {self.limit} characters or {MAX_OUTPUTS} outputs\n"
            outputs.append({"output_type": "stream", "name": "stdout", "text": text})
        return outputs

    def _use(self, size: int) -> None:
        self.cut = self.cut or size > self.room
        self.room = max(0, self.room - size)


class Stream(io.TextIOBase):
    """stdout or stderr of a notebook: what Python writes is kept, in order with the displays."""

    encoding = "utf-8"

    def __init__(self, name: str, kept: Kept, fd: int):
        self.name, self.kept, self.fd = name, kept, fd

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.kept.stream(self.name, text)
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.fd


class _Results(DisplayHook):
    """Keeps the value of a cell's last expression."""

    shell: "Shell"

    def start_displayhook(self):
        self.data: dict[str, str] = {}

    def write_output_prompt(self):
        """The graded notebook has numbers of its own."""

    def write_format_data(self, format_dict, md_dict=None):
        self.data = _texts(format_dict)

    def finish_displayhook(self):
        if self.data:
            self.shell.kept.add_data("execute_result", self.data)


class _Displays(DisplayPublisher):
    """Keeps what a cell displays."""

    shell: "Shell"

    def publish(self, data, metadata=None, source=None, **_):
        self.shell.kept.add_data("display_data", _texts(data))

    def clear_output(self, wait=False):
        self.shell.kept.clear()


class Shell(InteractiveShell):
    """IPython's shell without a terminal, a history file or a front end."""

    displayhook_class = _Results
    display_pub_class = _Displays

    def __init__(self, output: int, **more):
        self.kept = Kept(output)
        super().__init__(**more)

    def _showtraceback(self, etype, evalue, stb):
        lines = [str(line).rstrip("\n") for line in stb]
        error = {"output_type": "error", "ename": etype.__name__, "evalue": str(evalue)}
        self.kept.add(error | {"traceback": lines}, sum(map(len, lines)))

    def run(self, source: str, number: int) -> None:
        """Run one cell, as run_cell does, and keep what it shows.

        Args:
            source: of the cell.
            number: of the cell, by which a traceback names it.
        """
        self.execution_count = number
        with _redirected(self):
            if not self.run_simple(source):
                self.run_cell(source, store_history=True)

    def run_simple(self, source: str) -> bool:
        """Run a cell of plain Python, by the same means as run_cell, if nothing listens in.

        run_cell tokenizes, parses and compiles a cell several times over, and each statement by
        itself; most cells take a tenth of that to run.

        Returns:
            False, with nothing done, if it takes run_cell: for magics, what is copied from a
            session, what waits, what is no Python.
        """
        listeners = self.events.callbacks["pre_run_cell"] + self.events.callbacks["post_run_cell"]
        changed = self.ast_node_interactivity != "last_expr" or self.ast_transformers
        if listeners or changed or "await" in source or source.lstrip().startswith("In ["):
            return False
        with self.builtin_trap:  # a line by itself may be a magic without its %
            if len(source.splitlines()) == 1 and self.prefilter(source) != source.rstrip("\n"):
                return False
        compiled = cast(Callable[..., CodeType], self.compile)  # which knows the cells before
        try:
            # As a name that tracebacks and inspect find the source by.
            name = self.compile.cache(source, self.execution_count)
            body = cast(ast.Module, self.compile.ast_parse(source, name)).body
            shown = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
            codes = [compiled(ast.Module(body, []), name, "exec")]
            codes += [compiled(ast.Interactive(shown), name, "single")] if shown else []
        except UNPARSED:
            return False
        self.events.trigger("pre_execute")
        cast(HistoryManager, self.history_manager).store_inputs(self.execution_count, source)
        with self.builtin_trap, self.display_trap:
            for code in codes:
                try:
                    self.run_code(code).send(None)  # a coroutine that never waits
                except StopIteration as done:
                    if done.value:  # it has raised
                        break
        self.events.trigger("post_execute")
        return True

    def ask_exit(self):
        """quit() in a cell ends nothing."""

    def enable_gui(self, gui=None):
        """There is no window to open."""


def start(output: int) -> Shell:
    """The shell, which has run nothing yet.

    Args:
        output: characters that one cell may show.
    """
    config = Config()
    config.HistoryManager.enabled = False
    # A traceback with context costs more time than most answers, and a plain one says the same.
    config.InteractiveShell.xmode = "Plain"
    config.InteractiveShell.colors = "nocolor"
    return Shell.instance(output=output, config=config)


def rehearse(shell: Shell) -> None:
    """Run what learners run, so that all that it imports is imported, and forget it."""
    figure = (FIGURE,) if "matplotlib.pyplot" in sys.modules else ()
    for number, cell in enumerate((*REHEARSAL, *figure), start=1):
        shell.run(cell, number)
    shell.reset(new_session=True)
    shell.execution_count = 1
    shell.kept.clear()


class Notebook:
    """A shell whose file descriptors 1 and 2 are kept too, so that child processes are heard."""

    def __init__(self, shell: Shell):
        self.shell = shell
        self.files = {"stdout": tempfile.TemporaryFile(), "stderr": tempfile.TemporaryFile()}
        for fd, file in enumerate(self.files.values(), start=1):
            os.dup2(file.fileno(), fd)
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        sys.stdin = open(0, closefd=False)

    def run(self, source: str, number: int) -> list[dict[str, Any]]:
        """Run the cell of that number and return its outputs, an error's traceback among them."""
        self.shell.run(source, number)
        for name, text in self._heard().items():
            self.shell.kept.stream(name, text)
        return self.shell.kept.take()

    def call(self, function: str, arguments: dict[str, Any], probe: str) -> Answer:
        """Call a function that the cells defined; what it prints meanwhile is dropped."""
        if function not in self.shell.user_ns:
            return UNDEFINED
        theirs = self.shell.user_ns[function]
        try:
            with _redirected(self.shell):
                return answer(probed(probe, theirs) if probe else theirs, arguments)
        finally:
            self._heard()
            self.shell.kept.clear()

    def _heard(self) -> dict[str, str]:
        """What was written to the file descriptors since the last time."""
        texts = {}
        for name, file in self.files.items():
            if not os.fstat(file.fileno()).st_size:
                texts[name] = ""
                continue
            file.seek(0)
            texts[name] = file.read(self.shell.kept.limit + 1).decode("utf-8", "replace")
            file.seek(0)
            file.truncate()
        return texts


@contextmanager
def _redirected(shell: Shell):
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Stream("stdout", shell.kept, 1), Stream("stderr", shell.kept, 2)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _texts(data: dict[str, Any]) -> dict[str, str]:
    """A MIME bundle with text only: bytes become base64, as nbformat wants."""
    texts = {}
    for mime, value in data.items():
        if isinstance(value, bytes):
            texts[mime] = base64.b64encode(value).decode()
        elif isinstance(value, str):
            texts[mime] = value
    return texts
