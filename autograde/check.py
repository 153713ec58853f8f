"""What a check is, and how a learner's answers become a verdict.

The same check serves the grader, a self-check on a laptop and the page in a browser, so it needs
NumPy and nothing else.
"""

import hashlib
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from autograde.plain import UNDEFINED, Answer, Call, answer, cut

PRACTICE = "practice"  # the seed outside of grading; what it draws is no secret
DRAWS = 2  # inputs drawn for every case, so that a lucky answer is not enough


@dataclass(frozen=True)
class Verdict:
    """How much of a check an answer passed, and what to tell the learner.

    Attributes:
        fraction: from 0 to 1; times the points of the exercise gives the mark.
        hint: what to mend first; empty when nothing is wrong.
        faults: each case's name -> what was wrong there; empty text for a case that passed.
        note: something worth knowing that costs no points.
    """

    fraction: float
    hint: str = ""
    faults: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def text(self) -> str:
        """What a learner reads: the hint, then a line for each case."""
        lines = [self.hint or "All cases pass."]
        if self.hint and len(self.faults) > 1 and set(self.faults.values()) == {self.hint}:
            lines.append(f"✗ all {len(self.faults)} cases")
        else:
            lines += [_line(case, fault, self.hint) for case, fault in self.faults.items()]
        return "\n".join([*lines, self.note] if self.note else lines)


def _line(case: str, fault: str, hint: str) -> str:
    """A case in a verdict's text; what the hint says already is not said again."""
    if not fault:
        return f"✓ {case}"
    return f"✗ {case}" if fault == hint else f"✗ {case}: {fault}"


@dataclass(frozen=True, eq=False)
class Check:
    """A learner's function must do what the reference does, on every case.

    Attributes:
        reference: how the function is meant to work; the learner's has its name.
        cases: what a case is about -> a function that draws its arguments from a generator, in
            the order of the function's own.
        mistakes: the sentence that corrects a misconception -> the wrong function it leads to.
        properties: a sentence that must be true -> whether it is, of arguments and answer.
        one_answer: whether only the reference's answer is right. If not, any answer of the
            same form that has all properties is.
        probe: how to use the function where plain arguments and a call are not enough, such as a
            class, or a function of functions: called as probe(function, *arguments) in its place,
            for the learner's, the reference and the mistakes alike. Its source alone goes behind
            the wall, so it imports what it needs itself, and it holds no secret.
        from_scratch: ready-made functions that an answer should do without. Who uses one is shown
            to the instructor, and loses nothing.
        seconds: that a call may take where the usual limit is too low, as for one that trains; its
            processor time has to fit into that of a whole notebook.
        draws: inputs drawn for each case.
        enough: the share of an answer's rows that have to be right, where even a good answer is not
            right in all of them, such as a trained model's. What is below earns its share.
        returns: names for the parts of a tuple that the function returns.
        rtol, atol: as in numpy.isclose; the defaults leave room for float32.
    """

    reference: Callable
    cases: Mapping[str, Callable[[np.random.Generator], dict[str, Any]]]
    mistakes: Mapping[str, Callable] = field(default_factory=dict)
    properties: Mapping[str, Callable[[dict[str, Any], Any], bool]] = field(default_factory=dict)
    one_answer: bool = True
    probe: Callable | None = None
    from_scratch: tuple[str, ...] = ()
    seconds: float = 0.0
    draws: int = DRAWS
    enough: float = 1.0
    returns: tuple[str, ...] = ()
    rtol: float = 1e-4
    atol: float = 1e-6

    @property
    def name(self) -> str:
        """The function that is checked."""
        return self.reference.__name__

    @lru_cache(maxsize=64)  # noqa: B019 - as below
    def calls(self, seed: str = PRACTICE) -> tuple[Call, ...]:
        """The calls to make, the same for the same seed: all draws of the first case, and so on."""
        source = textwrap.dedent(inspect.getsource(self.probe)) if self.probe else ""
        return tuple(
            Call(self.name, arguments, source, self.seconds) for _, arguments in self._drawn(seed)
        )

    def expected(self, seed: str = PRACTICE) -> list[tuple[str, Any]]:
        """(case, the reference's value) of every call. Not for learners."""
        return [
            (case, value)
            for (case, _), value in zip(self._drawn(seed), self._expected(seed), strict=True)
        ]

    def judge(self, answers: list[Answer], seed: str = PRACTICE) -> Verdict:
        """The verdict on the answers to `calls(seed)`, in their order.

        Order: exception, type, shape, finite, kind of number, values; for values that differ,
        known mistake, property, place.

        Raises:
            RuntimeError: the reference itself fails; that is our fault, not the learner's.
        """
        with np.errstate(all="ignore"):
            return self._judge(answers, seed)

    def faults(self, answers: list[Answer], seed: str = PRACTICE) -> list[str]:
        """What is wrong with each answer to `calls(seed)`; "" where nothing is."""
        with np.errstate(all="ignore"):
            return [fault for fault, _ in self._faults(answers, seed)]

    def _faults(self, answers: list[Answer], seed: str) -> list[tuple[str, float]]:
        """(what is wrong with it, the share of it that is right) of each answer."""
        found = []
        calls = zip(self._drawn(seed), self._expected(seed), strict=True)
        for ((_, arguments), right), ours, given in zip(
            calls, self._own_faults(seed), answers, strict=True
        ):
            # What holds of the reference's answer holds of an equal one.
            alike = same(given, Answer(right), rtol=1e-12, atol=0)
            found.append(ours if alike else self._fault(arguments, right, given))
        return found

    def _judge(self, answers: list[Answer], seed: str) -> Verdict:
        faults = dict.fromkeys(self.cases, "")
        passed = dict.fromkeys(self.cases, 1.0)
        found = self._faults(answers, seed)
        wrong = [fault for fault, _ in found]
        for (case, _), (fault, share) in zip(self._drawn(seed), found, strict=True):
            faults[case] = faults[case] or fault
            passed[case] = min(passed[case], share)
        if not any(wrong):
            return Verdict(1.0, faults=faults, note=_note(answers))
        fraction = float(np.mean(list(passed.values())))
        hint = self._mistake(answers, wrong, seed) or next(filter(None, wrong))
        if hint in self.mistakes:
            fraction = min(fraction, 0.5)
        return Verdict(fraction, hint, faults, _note(answers))

    def verdict(self, function: Callable | None, seed: str = PRACTICE) -> Verdict:
        """Judge a function of this very process (None if the learner has defined none)."""
        if function is None:
            return self.judge([UNDEFINED] * len(self._drawn(seed)), seed)
        return self.judge(self._answers_of(function, seed), seed)

    def grade(self, function: Callable) -> None:
        """Raise unless a function of this very process is right.

        Raises:
            AssertionError: it is not; the message is the verdict's text.
        """
        verdict = self.verdict(function)
        if verdict.fraction < 1:
            raise AssertionError(verdict.text())

    # Checks live as long as the process, so a cache that holds them holds nothing more.
    @lru_cache(maxsize=64)  # noqa: B019 - for this reason
    def _drawn(self, seed: str) -> list[tuple[str, dict[str, Any]]]:
        """(case, arguments) of every call."""
        return [
            (case, draw(np.random.default_rng(_number(seed, self.name, case, str(i)))))
            for case, draw in self.cases.items()
            for i in range(self.draws)
        ]

    @lru_cache(maxsize=64)  # noqa: B019 - as above
    def _expected(self, seed: str) -> list[Any]:
        """The reference's value for every call."""
        answers = self._answers(self.reference, seed)
        for (case, _), given in zip(self._drawn(seed), answers, strict=True):
            if given.error:
                raise RuntimeError(f"the reference of {self.name}, on “{case}”, {given.error}")
        return [given.value for given in answers]

    @lru_cache(maxsize=64)  # noqa: B019 - as above
    def _own_faults(self, seed: str) -> list[tuple[str, float]]:
        """What is wrong with the reference's own answers: nothing, if the check is sound."""
        pairs = zip(self._drawn(seed), self._expected(seed), strict=True)
        return [self._fault(arguments, right, Answer(right)) for (_, arguments), right in pairs]

    @lru_cache(maxsize=512)  # noqa: B019 - as above
    def _answers(self, function: Callable, seed: str) -> list[Answer]:
        """The answers of one of our own functions."""
        return self._answers_of(function, seed)

    def _answers_of(self, function: Callable, seed: str) -> list[Answer]:
        probed = partial(self.probe, function) if self.probe else function
        return [answer(probed, arguments) for _, arguments in self._drawn(seed)]

    def _fault(self, arguments: dict, right: Any, given: Answer) -> tuple[str, float]:
        """What is wrong with one answer ("" when nothing is), and the share of it that is right."""
        if given.error.startswith("raised NotImplementedError"):
            return f"`{self.name}` is not written yet: it still raises NotImplementedError.", 0.0
        if given.error:
            return f"`{self.name}` {given.error}.", 0.0
        fault = form(given.value, right, self.returns, integers=not self.one_answer)
        if fault:
            return fault, 0.0
        share = 0.0
        if self.one_answer and self.enough == 1:
            fault = differs(given.value, right, self.returns, self.rtol, self.atol)
        elif self.one_answer:
            share = _share(given.value, right, self.rtol, self.atol)
            if share < self.enough:
                fault = f"{share:.1%} of the answers are right; {self.enough:.0%} have to be."
        broken = [
            sentence
            for sentence, holds in self.properties.items()
            if not holds(arguments, given.value)
        ]
        if broken:
            fault = broken[0]
        if not fault:
            return "", 1.0
        return fault, share if self.one_answer else 1 - len(broken) / len(self.properties)

    def _mistake(self, answers: list[Answer], wrong: list[str], seed: str) -> str:
        """The sentence of the known mistake that gives these very answers, or "".

        A mistake that agrees everywhere is sure. Otherwise the learner made it together with
        something else: the one that explains most of the wrong answers is named.
        """
        if not self.one_answer:  # then the first property that is broken says it
            return ""
        drawn, expected = self._drawn(seed), self._expected(seed)
        best, explained = "", 0
        for sentence, mistake in self.mistakes.items():
            theirs = self._answers(mistake, seed)
            agree = [
                same(given, other, self.rtol, self.atol, self.enough)
                for given, other in zip(answers, theirs, strict=True)
            ]
            # Where the mistake leads to a right answer, it explains nothing.
            count = sum(
                bool(self._fault(arguments, right, other)[0])
                for (_, arguments), right, other, given, fault, agrees in zip(
                    drawn, expected, theirs, answers, wrong, agree, strict=True
                )
                if agrees and fault and not given.error
            )
            if all(agree) and not all(given.error for given in answers):
                return sentence
            if count > explained:
                best, explained = sentence, count
        return best


def form(
    given: Any,
    right: Any,
    names: tuple[str, ...] = (),
    where: str = "",
    integers: bool = False,
) -> str:
    """What is wrong with the form of an answer: type, shape, finite, kind of number. "" if nothing.

    The right form is that of `right`, but for integers in the place of real numbers if those are
    allowed; an expected value is never told.
    """
    of = f" for {where}" if where else ""
    if isinstance(right, list):
        if not isinstance(given, list) or len(given) != len(right):
            return f"Return {len(right)} things{of}; you returned {_name(given)}."
        parts = zip(given, right, _part_names(right, names), strict=True)
        return next(filter(None, (form(g, r, (), name, integers) for g, r, name in parts)), "")
    if isinstance(right, dict):
        if not isinstance(given, dict) or set(given) != set(right):
            return f"Return a dict with the keys {sorted(right)}{of}; you returned {_name(given)}."
        return next(
            filter(None, (form(given[k], right[k], (), f"“{k}”", integers) for k in right)), ""
        )
    if right is None or isinstance(right, str):
        same_type = type(given) is type(right)
        return "" if same_type else f"Return {_name(right)}{of}, not {_name(given)}."
    if given is None or isinstance(given, (str, list, dict)):
        what = "an array" if np.ndim(right) else "a number"
        return f"Return {what}{of}; you returned {_name(given)}."
    given, right = np.asarray(given), np.asarray(right)
    if given.shape != right.shape:
        return f"The shape{of} should be {right.shape}, not {given.shape}."
    if np.isfinite(right).all() and not np.isfinite(given).all():
        what = "NaN (not a number)" if np.isnan(given).any() else "infinity"
        return f"There is {what} in your answer{of}."
    wanted, got = _KINDS[right.dtype.kind], _KINDS[given.dtype.kind]
    if got != wanted and not (integers and (got, wanted) == (_KINDS["i"], _KINDS["f"])):
        return f"The numbers{of} should be {wanted}; yours are {got}."
    return ""


def differs(
    given: Any, right: Any, names: tuple[str, ...], rtol: float, atol: float, where: str = ""
) -> str:
    """Where an answer of the right form differs from the right one; "" if nowhere."""
    of = f" of {where}" if where else ""
    if isinstance(right, (list, dict)):
        if isinstance(right, list):
            parts = list(zip(given, right, _part_names(right, names), strict=True))
        else:
            parts = [(given[key], right[key], f"“{key}”") for key in right]
        faults = (differs(g, r, (), rtol, atol, name) for g, r, name in parts)
        return next(filter(None, faults), "")
    if right is None or isinstance(right, str):
        return "" if given == right else f"The text{of} differs."
    far = ~_close(given, right, rtol, atol)
    if not far.any():
        return ""
    index = tuple(int(i) for i in np.argwhere(far)[0])
    place = f" at index {index}" if index else ""
    value = float(np.asarray(given)[index])
    return f"The values{of} differ{place}, where yours is {0 if abs(value) < atol else value:.4g}."


def same(one: Answer, other: Answer, rtol: float, atol: float, enough: float = 1.0) -> bool:
    """Whether two answers are the same (in enough of their rows), failures and NaN included."""
    if one.error or other.error:
        return one.error.partition(":")[0] == other.error.partition(":")[0]
    return _same(one.value, other.value, rtol, atol, enough)


def _same(one: Any, other: Any, *how: float) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_same(a, b, *how) for a, b in pairs)
    if isinstance(one, dict) and isinstance(other, dict):
        return set(one) == set(other) and all(_same(one[k], other[k], *how) for k in one)
    numbers = (bool, int, float, np.ndarray)
    if not isinstance(one, numbers) or not isinstance(other, numbers):
        return type(one) is type(other) and one == other
    one, other = np.asarray(one), np.asarray(other)
    alike = one.shape == other.shape and one.dtype.kind == other.dtype.kind
    if alike and one.dtype == other.dtype and one.tobytes() == other.tobytes():
        return True  # as it is of most right answers
    *tolerance, enough = how
    return alike and _share(one, other, *tolerance) >= enough


def _share(given: Any, right: Any, rtol: float, atol: float) -> float:
    """The share of the rows that are right, of that part of an answer where it is smallest."""
    if isinstance(right, list):
        pairs = zip(given, right, strict=True)
        return min((_share(one, other, rtol, atol) for one, other in pairs), default=1.0)
    close = _close(given, right, rtol, atol)
    if not close.size:
        return 1.0
    return float(close.reshape(len(close), -1).all(axis=1).mean() if close.ndim else close)


def _close(given: Any, right: Any, rtol: float, atol: float) -> np.ndarray:
    """As numpy.isclose, NaN equal to NaN, in a third of its time.

    In float64 whatever came back, so that no dtype loosens the tolerance.
    """
    with np.errstate(all="ignore"):
        given, right = np.asarray(given, np.float64), np.asarray(right, np.float64)
        near = np.abs(given - right) <= atol + rtol * np.abs(right)
        if near.all() and np.isfinite(right).all():
            return near
        unlike = np.isinf(right) | np.isnan(right)
        return np.where(unlike, (given == right) | (np.isnan(given) & np.isnan(right)), near)


_KINDS = {"b": "true or false", "i": "integers", "u": "integers", "f": "real (float)"}


def _part_names(right: list, names: tuple[str, ...]) -> tuple[str, ...]:
    if names:
        return tuple(f"the {name}" for name in names)
    return tuple(f"item {i + 1} of {len(right)}" for i in range(len(right)))


def _name(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, dict):
        return f"a dict with the keys {cut(str(sorted(value)), 200)}"
    if isinstance(value, list):
        return "a list or tuple of " + ("1 thing" if len(value) == 1 else f"{len(value)} things")
    return f"a {type(value).__name__}"


def _note(answers: list[Answer]) -> str:
    names = sorted({name for given in answers for name in given.changed})
    if not names:
        return ""
    return f"Note: your function writes into its argument {', '.join(names)}; copy it first."


def _number(*words: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(words).encode()).digest()[:16], "big")
