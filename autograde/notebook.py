"""A submission's code out of a notebook, its outputs and verdicts into it.

Of a submission only the cells' text and order count. What is tested, for how many points, by which
kernel, is taken from the exercise as it was released.
"""

import ast
import json
import os
import re
import stat
import symtable
import textwrap
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from nbformat import NotebookNode

from autograde.check import Verdict
from autograde.plain import UNPARSED, cut, describe_error
from autograde.submission import Ran

MAX_FILE = 100 << 20  # bytes of a submission
MAX_VALUES = 5_000_000  # of its JSON; each takes more memory than its text
MAX_CELLS = 2_000
MAX_CODE = 200_000  # characters of a code cell
MAX_PARSED = 20_000  # of one that is looked through; a parser may take time by the square
MAX_PROSE = 10_000  # of any other; what is longer is cut, for the same reason
MAX_ERROR = 300  # of an error that a verdict quotes
MAX_WRITTEN = 1_000_000  # of all code cells together
MAX_READ = 200_000  # of all others
MAX_SHOWN = 1_000_000  # of all outputs of a graded notebook
SHOWN = ("text/plain", "image/png", "image/jpeg")  # what of an output may be shown to others
PACKED = (b"PK\x03\x04", b"\x1f\x8b")  # how files of zip and gzip begin
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,16}\b")
TEST = "test_"  # a test cell's grade_id is this and the name of the function


T = TypeVar("T")


class Unreadable(Exception):
    """A submission that cannot be graded as it is; the text says why and what to do."""


@dataclass(frozen=True)
class Restored:
    """A submission in the form of the exercise, and what had to be mended."""

    nb: NotebookNode
    remarks: tuple[str, ...]


def read(path: Path) -> str:
    """The text of a submitted file.

    Raises:
        Unreadable: it is a link, not a regular file, too large, packed, or not UTF-8.
    """
    try:
        # No link is followed and no pipe waited for, whatever appears under the name meanwhile.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if path.is_symlink():
            raise Unreadable(f"{path.name} is a link; hand in the file itself") from None
        raise Unreadable(f"{path.name} cannot be opened: {error.strerror}") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise Unreadable(f"{path.name} is not a regular file")
    with open(descriptor, "rb") as file:
        if status.st_size > MAX_FILE:
            size = f"{status.st_size >> 20} MiB; at most {MAX_FILE >> 20}"
            raise Unreadable(f"{path.name} has {size}: clear the outputs and save again")
        data = file.read()
    if data.startswith(PACKED):
        raise Unreadable(f"{path.name} is a packed file (zip): unpack it")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable(f"{path.name} is encoded in UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"{path.name} is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}; "
            f"save it again in Jupyter"
        ) from None


def parse(text: str) -> NotebookNode:
    """A notebook of a submission's text: its cells' type, source and grade_id, nothing else.

    Raises:
        Unreadable: it is not a notebook; the message names the place.
    """
    values = text.count(",") + text.count("[") + text.count("{")  # about
    if values > MAX_VALUES:
        what = f"some {values:,} values; at most {MAX_VALUES:,} are read"
        raise Unreadable(f"the file holds {what}: clear the outputs and save again")
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        what = "it is empty" if not text.strip() else f"{error.msg.removesuffix(' at')} at {where}"
        raise Unreadable(f"not a notebook (JSON): {what}. Save it again in Jupyter") from None
    except Exception as error:
        raise Unreadable(f"not a notebook: {describe_error(error)}") from None
    cells = _cells(raw) if isinstance(raw, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("not a notebook: it has no list of cells. Save it again in Jupyter")
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"it has {len(cells):,} cells; at most {MAX_CELLS:,} are graded")
    cells = [_cell(cell, number) for number, cell in enumerate(cells, start=1)]
    # What a notebook may take to be looked at, here and in feedback, grows with its text.
    written = sum(len(cell.source) for cell in cells if cell.cell_type == "code")
    if written > MAX_WRITTEN:
        size = f"{written:,} characters of code; at most {MAX_WRITTEN:,}"
        raise Unreadable(f"it has {size}: keep data out of the notebook")
    room = MAX_READ
    for cell in cells:
        if cell.cell_type != "code":
            cell.source = cut(cell.source, room)
            room = max(0, room - len(cell.source))
    return _notebook(cells)


def _cells(raw: dict[str, Any]) -> Any:
    """The cells of a notebook of any format, as format 4 has them; they may be anything.

    nbformat would check what it converts, and make an error of each output that is none.
    """
    if raw.get("nbformat") not in (1, 2, 3):
        return raw.get("cells")
    sheets = raw.get("worksheets", [raw])  # format 1 has none
    lists = [sheet.get("cells") for sheet in sheets] if _all(dict, sheets) else None
    if lists is None or not _all(list, lists):
        return None
    return [_renewed(cell) if isinstance(cell, dict) else cell for cells in lists for cell in cells]


def _renewed(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell of an old format as format 4 has it."""
    kind, source = cell.get("cell_type"), cell.get("source", cell.get("text"))
    if kind == "code":
        source = cell.get("input", source)
    elif kind == "heading" and isinstance(source, str):
        kind, source = "markdown", f"# {source}"
    elif kind in ("heading", "html", "text"):
        kind = "markdown"
    return {"cell_type": kind, "source": source, "metadata": cell.get("metadata")}


def _all(kind: type, values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


# nbformat's own makers check every piece against its schema, which costs more than running it.
def _notebook(cells: list[NotebookNode], **metadata: Any) -> NotebookNode:
    return NotebookNode(nbformat=4, nbformat_minor=5, metadata=NotebookNode(metadata), cells=cells)


def _output(kind: str, **fields: Any) -> NotebookNode:
    if "data" in fields:
        fields["metadata"] = NotebookNode()
    if kind == "execute_result":
        fields["execution_count"] = None
    return NotebookNode(output_type=kind, **fields)


def _cell(raw: Any, number: int) -> NotebookNode:
    if not isinstance(raw, dict):
        raise Unreadable(f"cell {number} is a {type(raw).__name__}; expected a cell")
    source, metadata = raw.get("source", ""), raw.get("metadata")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"cell {number} has a source that is a {type(source).__name__}, not text")
    source = source.replace("\r\n", "\n").encode("utf-8", "replace").decode()
    kind = str(raw.get("cell_type"))
    if kind == "code" and len(source) > MAX_CODE:
        size = f"{len(source):,} characters; at most {MAX_CODE:,}"
        raise Unreadable(f"cell {number} has {size}: keep data out of the notebook")
    if kind != "code":
        source = cut(source, MAX_PROSE)
    kind = kind if kind in ("code", "markdown") else "raw"
    cell = NotebookNode(id=f"cell-{number}", cell_type=kind, metadata=NotebookNode(), source=source)
    if kind == "code":
        cell.outputs, cell.execution_count = [], None
    theirs = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    if isinstance(theirs, dict) and isinstance(theirs.get("grade_id"), str):
        checksum = str(theirs.get("checksum"))
        cell.metadata.nbgrader = {"grade_id": theirs["grade_id"], "checksum": checksum}
    return cell


def restore(submitted: NotebookNode, exercise: NotebookNode) -> Restored:
    """Give a submission the form of the exercise.

    Every graded cell is there once, with its own type, points and, where students may not write,
    its own text. A copy becomes an ordinary cell; a deleted test comes back after its answer, and
    so does an empty place for a deleted answer that is graded by hand.
    """
    ours = {cell.metadata.nbgrader.grade_id: cell for cell in exercise.cells if _is_ours(cell)}
    last = {_grade_id(cell): index for index, cell in enumerate(submitted.cells)}
    cells, remarks = [], []
    for index, cell in enumerate(submitted.cells):
        grade_id = _grade_id(cell)
        if grade_id not in ours:
            if grade_id:
                remarks.append(f"cell {index + 1} has an unknown name, “{cut(grade_id, 40)}”")
            cells.append(_ordinary(cell))
        elif last[grade_id] != index:
            remarks.append(f"cell {index + 1} is a copy of {grade_id}, run as an ordinary cell")
            cells.append(_ordinary(cell))
        else:
            original = ours[grade_id]
            if cell.cell_type != original.cell_type:
                remarks.append(
                    f"{grade_id} was a {cell.cell_type} cell; it is {original.cell_type} again"
                )
            source = original.source if original.metadata.nbgrader.locked else cell.source
            if original.metadata.nbgrader.locked and cell.source.strip() != source.strip():
                theirs, present = cell.metadata.nbgrader, original.metadata.nbgrader
                older = theirs.checksum != present.get("checksum")
                what = "is of an older release" if older else "was changed"
                remarks.append(f"{grade_id} {what}; its own text is back")
            cells.append(_fresh(original, source))
    names = list(ours)
    for place, (grade_id, original) in enumerate(ours.items()):
        if grade_id in last:
            continue
        remarks.append(f"{grade_id} was missing")
        if original.metadata.nbgrader.grade:
            there = [_grade_id(cell) for cell in cells]
            if place and names[place - 1] in there:
                index = there.index(names[place - 1]) + 1
            else:  # the answer has no name either: it is somewhere above the next graded cell
                index = next((i for i, n in enumerate(there) if n in names[place:]), len(cells))
            cells.insert(index, _fresh(original, original.source))
    for number, cell in enumerate(cells, start=1):
        cell.id = _grade_id(cell) or f"cell-{number}"
    metadata = exercise.metadata  # an exercise that an editor has saved may have lost its kernel
    kernel = {key: metadata[key] for key in ("kernelspec",) if key in metadata}
    # On a page, IPython's own lexer takes time by the square of a long line.
    nb = _notebook(cells, language_info={"name": "python", "pygments_lexer": "python3"}, **kernel)
    return Restored(nb, tuple(remarks))


def _is_ours(cell: NotebookNode) -> bool:
    return "nbgrader" in cell.metadata


def _grade_id(cell: NotebookNode) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def _fresh(original: NotebookNode, source: str) -> NotebookNode:
    cell = NotebookNode(original)
    cell.source = source
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [], None
    return cell


def _ordinary(cell: NotebookNode) -> NotebookNode:
    return NotebookNode(cell, metadata=NotebookNode())


def code(nb: NotebookNode) -> Iterator[tuple[int, NotebookNode, str]]:
    """(number, cell, name of the function that it tests or "") of every code cell, in order."""
    for number, cell in enumerate(nb.cells, start=1):
        if cell.cell_type == "code":
            yield number, cell, tested(cell)


def tested(cell: NotebookNode) -> str:
    """The function that a cell tests, "" if it tests none."""
    ours = cell.metadata.get("nbgrader", {})
    return ours["grade_id"].removeprefix(TEST) if ours.get("grade") and ours.get("locked") else ""


def points(nb: NotebookNode) -> dict[str, float]:
    """Function -> what its exercise is worth, in order."""
    return {name: float(cell.metadata.nbgrader.points) for _, cell, name in code(nb) if name}


def by_hand(nb: NotebookNode) -> dict[str, float]:
    """Name of an answer that a person grades -> what it is worth; none of it is in `points`."""
    ours = [cell.metadata.nbgrader for cell in nb.cells if _is_ours(cell)]
    return {one.grade_id: float(one.points) for one in ours if one.grade and one.solution}


def modules(nb: NotebookNode) -> tuple[str, ...]:
    """The modules that a notebook's own cells import, so that they can be imported ahead."""
    found = set()
    for _, cell, _ in code(nb):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
    return tuple(sorted(found))


def used(nb: NotebookNode, names: Collection[str]) -> list[tuple[int, int, str]]:
    """(cell, line, name) wherever a notebook uses something by one of these names.

    Found are attributes, imports and texts that are such a name; a function of the learner's own
    by that name is none. Who hides it well is not found.
    """
    found = []
    for number, cell, test in code(nb):
        if test or not any(name in cell.source for name in names):
            continue
        tree = _looked_through(cell, ast.parse)
        if tree is None:
            continue
        for node in ast.walk(tree):
            said: list[str] = []
            if isinstance(node, ast.Attribute):
                said = [node.attr]
            elif isinstance(node, ast.ImportFrom):
                said = [alias.name for alias in node.names]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                said = [node.value]
            line = getattr(node, "lineno", 0)
            found += [(number, line, name) for name in said if name in names]
    return sorted(found)


def too_long(nb: NotebookNode) -> list[int]:
    """The code cells that `used` and `borrowed` do not look through, by number."""
    return [number for number, cell, _ in code(nb) if len(cell.source) > MAX_PARSED]


def _looked_through(cell: NotebookNode, parse: Callable[[str], T]) -> T | None:
    """What Python reads in a cell; None where it reads nothing, as in magics, or should not try."""
    if len(cell.source) > MAX_PARSED:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):  # they are the learner's to see
            return parse(cell.source)
    except UNPARSED:
        return None


def borrowed(nb: NotebookNode) -> list[tuple[str, str]]:
    """(function, name) wherever a tested function reads a name that only the tests' cells define.

    Such as the `Q` of a visible example, in the place of its own argument.
    """
    own: set[str] = set()
    lent: set[str] = set()
    read: dict[str, set[str]] = {}
    for _, cell, test in code(nb):
        table = _looked_through(cell, lambda source: symtable.symtable(source, "cell", "exec"))
        if table is None:
            continue
        names = {one.get_name() for one in table.get_symbols() if one.is_assigned()}
        (lent if test else own).update(names)
        if not test:
            functions = [one for one in table.get_children() if isinstance(one, symtable.Function)]
            read |= {one.get_name(): set(one.get_globals()) for one in functions}
    return [(name, of) for name in points(nb) for of in sorted(read.get(name, set()) & lent - own)]


def fault(nb: NotebookNode, function: str, ran: Mapping[int, Ran]) -> str:
    """The error of the cell that was to define a function, "" if it had none.

    It is the submission's own word, so it may explain a verdict and never decide one.
    """
    definition = re.compile(rf"^[ \t]*(async )?(def|class)\s+{function}\b", re.MULTILINE)
    for number, cell, test in code(nb):
        if test or not (_grade_id(cell) == function or definition.search(cell.source)):
            continue
        error = error_of(ran[number].outputs)
        if error:
            return f"its cell has {error}"
    return ""


def error_of(outputs: Sequence[Any]) -> str:
    """The error among a cell's outputs, with its line if it is one of syntax; "" if none."""
    for output in filter(None, map(_safe, outputs)):
        if output.output_type == "error":
            # Cut before it is searched, which takes the square of its length.
            name, message = output.ename, " ".join(cut(output.evalue).split())
            # Python ends the message of such an error with "(file, line 3)".
            syntax = re.fullmatch(r"(.*) \(.*, line (\d+)\)", message)
            if syntax:
                name, message = f"{name} in line {syntax[2]}", syntax[1]
            article = "an" if name[:1] in "AEIOU" else "a"
            return cut(f"{article} {name}: {message}".removesuffix(": "), MAX_ERROR)
    return ""


def write(
    restored: Restored, ran: Mapping[int, Ran], verdicts: Mapping[str, Verdict]
) -> NotebookNode:
    """The graded notebook: each cell with what it showed, each test with its points and hint.

    Args:
        restored: the submission.
        ran: number of a code cell -> what running it gave.
        verdicts: function -> verdict.
    """
    nb = _notebook([NotebookNode(cell) for cell in restored.nb.cells], **restored.nb.metadata)
    room = MAX_SHOWN
    for number, cell, name in code(nb):
        cell.execution_count = number
        cell.outputs = [*filter(None, map(_safe, ran[number].outputs))]
        size = sum(len(repr(output)) for output in cell.outputs)
        room -= size
        if size and room < 0:
            note = f"… output cut at {MAX_SHOWN:,} characters of the whole notebook\n"
            cell.outputs = [_output("stream", name="stdout", text=note)]
        if ran[number].ended:
            stopped = f"This cell was stopped: {ran[number].ended}.\n"
            cell.outputs.append(_output("stream", name="stdout", text=stopped))
        if name in verdicts:
            # nbgrader reads a test cell's outputs: stderr or an error would be no points at all,
            # no number full ones, and so would be a number that is not a float's own text.
            cell.outputs = [*map(_as_text, cell.outputs), *_verdict(verdicts[name], cell)]
    return nb


def note(text: str, quoted: str) -> NotebookNode:
    """A cell with a line of Markdown, and below it a text as it is."""
    source = f"{text}\n\n{textwrap.indent(quoted, '    ')}"
    return NotebookNode(cell_type="markdown", id="note", metadata=NotebookNode(), source=source)


def _verdict(verdict: Verdict, cell: NotebookNode) -> list[NotebookNode]:
    earned = float(verdict.fraction * cell.metadata.nbgrader.points)
    text = f"{round(earned, 2):g} of {cell.metadata.nbgrader.points:g} points. {verdict.text()}\n"
    return [
        _output("stream", name="stdout", text=text),
        _output("execute_result", data={"text/plain": repr(earned)}),
    ]


def _as_text(output: NotebookNode) -> NotebookNode:
    if output.output_type == "error":
        return _output("stream", name="stdout", text="\n".join(output.traceback) + "\n")
    if output.output_type == "stream":
        return _output("stream", name="stdout", text=output.text)
    return _output("display_data", data=output.data)


def _safe(raw: Any) -> NotebookNode | None:
    """An output as nbformat wants it, with text and bitmaps only; None if there is nothing to show.

    It comes from where the submission ran, so it may be anything. HTML, SVG and scripts could act
    in the name of whoever opens the notebook.
    """
    if not isinstance(raw, dict):
        return None
    kind = _text(raw.get("output_type"))
    if kind == "stream":
        name = "stderr" if _text(raw.get("name")) == "stderr" else "stdout"
        return _output("stream", name=name, text=_text(raw.get("text")))
    if kind == "error":
        lines = raw.get("traceback")
        lines = [_text(line) for line in lines] if isinstance(lines, list) else []
        name, value = _text(raw.get("ename")), _text(raw.get("evalue"))
        return _output("error", ename=name, evalue=value, traceback=lines)
    data = raw.get("data")
    if kind not in ("display_data", "execute_result") or not isinstance(data, dict):
        return None
    data = {mime: _text(data[mime]) for mime in SHOWN if mime in data}
    return _output(kind, data=data) if data else None


def _text(value: Any) -> str:
    """Text, without what a file cannot hold, nor where in memory things were in this run."""
    text = value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
    return ADDRESS.sub(" at 0x…", text)
