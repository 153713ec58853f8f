"""What crosses the wall: calls one way, answers the other, and nothing but plain data.

Plain data are None, bool, int, float, str, numeric arrays, and lists and dicts of these. They
travel as frames: a JSON header and the raw bytes of the arrays. Nothing is ever unpickled.
"""

import copy
import json
import math
import struct
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import CodeType
from typing import Any, BinaryIO, Literal

import numpy as np

MAX_TEXT = 2_000  # characters of a learner's text that we repeat
MAX_DEPTH = 20
MAX_THINGS = 20_000  # of one message: numbers outside of arrays, texts, lists, dicts
DTYPES = {
    np.dtype(code).str: np.dtype(code) for code in "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split()
}
UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError)  # what ast.parse raises
_LENGTHS = struct.Struct("<II")  # bytes of the header, bytes of the arrays


@dataclass(frozen=True)
class Call:
    """One call of a learner's function, by its name, with plain arguments in its order.

    Attributes:
        function: the name.
        arguments: name -> plain data.
        probe: the source of a function that is called with the learner's before the arguments,
            instead of the learner's alone; empty if there is none. See check.Check.
        seconds: that it may take where the limit for calls is lower; 0 where that limit will do.
    """

    function: str
    arguments: dict[str, Any]
    probe: str = ""
    seconds: float = 0.0

    @cached_property
    def frame(self) -> bytes:
        """What a worker is told of it, made once for a whole class."""
        return frame({"function": self.function, "arguments": self.arguments, "probe": self.probe})


@dataclass(frozen=True)
class Answer:
    """What a call gave.

    Attributes:
        value: plain data.
        error: why there is no value, as the end of a sentence that begins with the function's
            name ("raised ValueError: …"); empty when there is one.
        changed: the arguments that the function wrote into.
    """

    value: Any = None
    error: str = ""
    changed: tuple[str, ...] = ()


UNDEFINED = Answer(error="is not defined")
STOPPED = "was stopped"  # the error of a call that was interrupted, and how others like it begin


def answer(function: Callable, arguments: dict[str, Any]) -> Answer:
    """Call a function on copies of its arguments, whatever it does.

    Returns:
        What it returned, as plain data; or how it failed. Only KeyboardInterrupt passes through,
        since that is how a deadline arrives.
    """
    given = copy.deepcopy(arguments)
    try:
        # A warning is not a failure, not even for a learner who made warnings raise.
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            returned = function(*given.values())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Answer(error=f"raised {describe_error(error)}")
    try:
        value = plain(returned)
    except TypeError as error:
        return Answer(error=str(error))
    changed = tuple(name for name in arguments if not _identical(arguments[name], given[name]))
    return Answer(value, changed=changed)


def probed(source: str, function: Callable) -> Callable:
    """A function that calls the one function of some source with `function` as first argument."""
    names: dict[str, Any] = {}
    exec(_compiled(source), names)
    (probe,) = (value for name, value in names.items() if name != "__builtins__")
    return lambda *arguments: probe(function, *arguments)


@lru_cache
def _compiled(source: str) -> CodeType:
    return compile(source, "probe", "exec")


def size(value: Any) -> int:
    """Bytes of memory that plain data take, about."""
    if isinstance(value, np.ndarray):
        return 100 + value.nbytes
    if isinstance(value, list):
        return 100 + sum(map(size, value))
    if isinstance(value, dict):
        return 100 + sum(map(size, [*value, *value.values()]))
    return sys.getsizeof(value)


def describe_error(error: BaseException) -> str:
    """Name an exception and its message, cut to a length, even if its own text fails."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    name = type(error).__name__
    return cut(f"{name}: {text}" if text else name)


def cut(text: str, length: int = MAX_TEXT) -> str:
    """Shorten a text and say so. Lone surrogates, which no file can hold, are replaced."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= length else text[:length] + f"… (cut at {length} characters)"


def plain(value: Any, depth: int = 0) -> Any:
    """Turn what a function returned into plain data.

    Only exact built-in types, NumPy's own arrays and numbers, and torch tensors pass. A subclass
    could lie about what it holds, so it does not.

    Raises:
        TypeError: it holds anything else; the message says what was returned.
    """
    kind = type(value)
    if depth > MAX_DEPTH:
        raise TypeError(f"returned a {kind.__name__} nested more than {MAX_DEPTH} deep")
    if value is None or kind in (bool, float):
        return value
    if kind is int and value.bit_length() < 64:
        return value
    if kind is str:
        return cut(value)
    if kind in (list, tuple):
        return [plain(item, depth + 1) for item in value]
    if kind is dict and all(type(key) is str for key in value):
        return {cut(key): plain(item, depth + 1) for key, item in value.items()}
    if kind.__module__ == "torch" and kind.__name__ == "Tensor" and "torch" in sys.modules:
        return plain(value.detach().cpu().numpy(), depth + 1)
    if kind is np.ndarray or (isinstance(value, np.generic) and kind.__module__ == "numpy"):
        array = np.array(value)
        native = array.dtype.newbyteorder("=")
        if native.str not in DTYPES:
            raise TypeError(f"returned numbers of dtype {array.dtype}; expected real numbers")
        return array.astype(native, copy=False)
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    raise TypeError(f"returned a {cut(name, 80)}; expected an array of numbers")


def write_frame(stream: BinaryIO, message: Any) -> None:
    """Send plain data as one frame."""
    stream.write(frame(message))
    stream.flush()


def frame(message: Any) -> bytes:
    """Plain data as one frame; the arrays keep dtype, shape and memory order (C or Fortran)."""
    bodies: list[bytes] = []

    def outline(item: Any) -> Any:
        if isinstance(item, np.ndarray):
            order: Literal["C", "F"] = "F" if item.flags.fnc else "C"  # fnc: Fortran and not C
            bodies.append(item.tobytes(order))
            return {"array": [item.dtype.str, list(item.shape), order]}
        if isinstance(item, dict):
            outlines = {key: outline(value) for key, value in item.items()}
            return {"dict": outlines} if _is_special(outlines) else outlines
        if isinstance(item, (list, tuple)):
            return [outline(value) for value in item]
        return item

    header = json.dumps(outline(message)).encode()
    body = b"".join(bodies)
    return _LENGTHS.pack(len(header), len(body)) + header + body


def read_frame(stream: BinaryIO, limit: int, most: int = MAX_THINGS) -> Any:
    """Receive one frame of at most `limit` bytes and `most` things.

    Raises:
        EOFError: the other side closed the stream.
        ValueError: what came is not a frame, or is longer than the limit. Nothing is allocated
            for a length beyond it.
    """
    header_length, body_length = _LENGTHS.unpack(_read(stream, _LENGTHS.size))
    if header_length + body_length > limit:
        raise ValueError(f"a message of {header_length + body_length} bytes; at most {limit}")
    header = _read(stream, header_length)
    body = _read(stream, body_length)
    used = things = 0

    def fill(item: Any) -> Any:
        nonlocal used, things
        things += 1
        if things > most:
            raise ValueError(f"a message of more than {most} things")
        kind = type(item)
        if kind is list:
            return [fill(value) for value in item]
        if kind is not dict:
            if kind is int and item.bit_length() >= 64:
                raise ValueError("a whole number of more than 64 bits")
            return item
        if not _is_special(item):
            return {key: fill(value) for key, value in item.items()}
        if "dict" in item:
            return {key: fill(value) for key, value in item["dict"].items()}
        dtype, shape, order = item["array"]
        if dtype not in DTYPES or order not in ("C", "F"):
            raise ValueError(
                f"an array of dtype {cut(str(dtype), 20)} in order {cut(str(order), 20)}"
            )
        if len(shape) > 32 or not all(type(n) is int and 0 <= n <= limit for n in shape):
            raise ValueError(f"an array of shape {cut(str(shape), 80)}")
        start, used = used, used + math.prod(shape) * DTYPES[dtype].itemsize
        if used > len(body):
            raise ValueError("an array that is longer than its message")
        return np.ndarray(shape, DTYPES[dtype], body, start, order=order).copy(order="K")

    try:
        message = fill(json.loads(header))
    except (
        AttributeError, KeyError, TypeError, RecursionError, UnicodeDecodeError, OverflowError,
    ) as error:  # fmt: skip
        raise ValueError(f"not a message: {describe_error(error)}") from None
    if used != len(body):
        raise ValueError(f"{len(body) - used} bytes too many in a message")
    return message


def _is_special(item: dict) -> bool:
    """Whether a dict in a header stands for an array, or is wrapped since it looks like that."""
    return len(item) == 1 and ("array" in item or "dict" in item)


def _read(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if data is None or len(data) < length:
        raise EOFError
    return data


def _identical(before: Any, after: Any) -> bool:
    """Whether an argument still holds what it held, NaN included."""
    if isinstance(before, np.ndarray):
        return before.tobytes() == after.tobytes() and before.shape == after.shape
    if isinstance(before, dict):
        return list(before) == list(after) and all(_identical(before[k], after[k]) for k in before)
    if isinstance(before, (list, tuple)):
        return len(before) == len(after) and all(map(_identical, before, after))
    return before == after
