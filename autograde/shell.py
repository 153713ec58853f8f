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
import warnings
from contextlib import contextmanager
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograde.plain import UNDEFINED, UNPARSED, Answer, answer, probed

MAX_OUTPUTS = 500  # of one cell


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

    def transform_cell(self, raw_cell):
        """Magics and the like into Python. What is Python already needs no tokenizing, which costs
        more than most cells; but for what is copied from a session, prompts and all.
        """
        if raw_cell.lstrip().startswith("In ["):
            return super().transform_cell(raw_cell)
        try:
            with warnings.catch_warnings(action="ignore"):  # when it is run, they will be shown
                ast.parse(raw_cell)
        except UNPARSED:
            return super().transform_cell(raw_cell)
        return raw_cell if raw_cell.endswith("\n") else raw_cell + "\n"

    def should_run_async(self, raw_cell, **more):
        """Whether a cell waits for something; only then does it cost another compilation."""
        return ("await" in raw_cell or "async" in raw_cell) and super().should_run_async(
            raw_cell, **more
        )

    def ask_exit(self):
        """quit() in a cell ends nothing."""

    def enable_gui(self, gui=None):
        """There is no window to open."""


def start(output: int) -> Shell:
    """The shell, with everything that IPython imports late already imported.

    Args:
        output: characters that one cell may show.
    """
    config = Config()
    config.HistoryManager.enabled = False
    # A traceback with context costs more time than most answers, and a plain one says the same.
    config.InteractiveShell.xmode = "Plain"
    config.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(output=output, config=config)
    with _redirected(shell):
        for cell in ("1", "print()", "1/0", "def f(:", "import numpy\nnumpy.zeros(1)"):
            shell.run_cell(cell, store_history=True)
    shell.reset(new_session=True)
    shell.execution_count = 1
    shell.kept.clear()
    return shell


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
        """Run one cell and return its outputs, an error's traceback among them.

        Args:
            source: of the cell.
            number: of the cell in its notebook, by which a traceback names it.
        """
        self.shell.execution_count = number
        with _redirected(self.shell):
            self.shell.run_cell(source, store_history=True)
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
