"""Checks of chapter `vectors`."""

from collections.abc import Callable, Mapping

import numpy as np

from autograde.check import Check
from autograde.reference import vectors as reference
from autograde.reference.vectors import softmax as _softmax

# ---- cosine_matrix


def _rows(rng: np.random.Generator, n: int = 4, d: int = 6) -> dict:
    return {"X": rng.normal(size=(n, d))}


def _with_zero_row(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(5, 3))
    X[2] = 0
    return {"X": X}


def _long_and_short(rng: np.random.Generator) -> dict:
    """Lengths that differ by factors of ten change no cosine."""
    return {"X": rng.normal(size=(4, 6)) * np.array([[0.1], [1], [10], [1000]])}


def _lengths(X: np.ndarray) -> np.ndarray:
    """(n, 1), with 1 where a length is 0 and nothing is left to divide."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return np.where(lengths == 0, 1, lengths)


def _diagonal_always_1(X: np.ndarray) -> np.ndarray:
    cosines = reference.cosine_matrix(X)
    np.fill_diagonal(cosines, 1)
    return cosines


def _is_symmetric(arguments: Mapping, cosines: np.ndarray) -> bool:
    return np.allclose(cosines, cosines.T, rtol=0, atol=1e-5)


def _is_within_1(arguments: Mapping, cosines: np.ndarray) -> bool:
    return bool((np.abs(cosines) < 1 + 1e-5).all())


def _keeps_float32(arguments: Mapping, cosines: np.ndarray) -> bool:
    return arguments["X"].dtype != np.float32 or cosines.dtype == np.float32


cosine_matrix = Check(
    reference=reference.cosine_matrix,
    cases={
        "a few vectors": _rows,
        "more vectors than numbers in each": lambda rng: _rows(rng, 7, 3),
        "a single vector": lambda rng: _rows(rng, 1),
        "a zero vector among them": _with_zero_row,
        "long and short vectors": _long_and_short,
        "whole numbers": lambda rng: {"X": rng.integers(-9, 10, size=(5, 4))},
        "float32 numbers": lambda rng: {"X": rng.normal(size=(4, 6)).astype(np.float32)},
        "stored column by column": lambda rng: {"X": np.asfortranarray(rng.normal(size=(4, 6)))},
    },
    mistakes={
        "These are dot products: a cosine is free of the lengths, so divide by them.": (
            lambda X: X @ X.T
        ),
        "Divide by the product of the two lengths, not by the product of their squares.": (
            lambda X: X @ X.T / (_lengths(X) * _lengths(X).T) ** 2
        ),
        "Divide by both lengths; by only one of them you get a projection.": (
            lambda X: X @ X.T / _lengths(X)
        ),
        "The square of one length is not the product of two lengths.": (
            lambda X: X @ X.T / _lengths(X) ** 2
        ),
        "Every vector has a length of its own; you divided by one length for the whole matrix.": (
            lambda X: X @ X.T / np.sum(X * X)
        ),
        "A length is the root of the summed squares, not the sum of the absolute values.": (
            lambda X: X @ X.T / (np.abs(X).sum(1, keepdims=True) * np.abs(X).sum(1))
        ),
        "The vectors are the rows of X: take the lengths of rows, not of columns.": (
            lambda X: X / np.linalg.norm(X, axis=0) @ (X / np.linalg.norm(X, axis=0)).T
        ),
        "Compare the rows of X with each other, not its columns.": (
            lambda X: reference.cosine_matrix(X.T)
        ),
        "That is correlation, not cosine: do not subtract the means.": (
            lambda X: reference.cosine_matrix(X - X.mean(1, keepdims=True))
        ),
        "A zero vector has no direction: its cosines are 0, not NaN.": (
            lambda X: (
                X @ X.T / (np.linalg.norm(X, axis=1, keepdims=True) * np.linalg.norm(X, axis=1))
            )
        ),
        "A zero vector has no direction: its cosine with itself is 0 too.": _diagonal_always_1,
        "Return the cosine, not the distance 1 − cosine.": (
            lambda X: 1 - reference.cosine_matrix(X)
        ),
        "Return the cosine of the angle, not the angle.": (
            lambda X: np.arccos(np.clip(reference.cosine_matrix(X), -1, 1))
        ),
        "A cosine has a sign: opposite directions are not the same direction.": (
            lambda X: np.abs(reference.cosine_matrix(X))
        ),
    },
    properties={
        "The matrix must be symmetric: i compares with j as j with i.": _is_symmetric,
        "No cosine is above 1 or below −1.": _is_within_1,
        "float32 numbers in, float32 numbers out.": _keeps_float32,
    },
)

# ---- softmax


def _row_far_below(rng: np.random.Generator) -> dict:
    """Quarters, which float32 holds exactly near 1000 too."""
    z = rng.integers(-8, 9, size=(3, 5)) / 4
    z[1] -= 1000
    return {"z": z, "axis": -1, "temperature": 1.0}


def _forbidden(rng: np.random.Generator) -> dict:
    z = rng.normal(size=(3, 5))
    z[0, 2] = z[1, 0] = z[1, 4] = -np.inf
    return {"z": z, "axis": -1, "temperature": 1.0}


def _low_temperature(rng: np.random.Generator) -> dict:
    """Sums of sixty-fourths, so that dividing by 1/64 is exact in float32 too."""
    return {"z": 12 + rng.integers(-3, 4, size=(3, 5)) / 64, "axis": -1, "temperature": 1 / 64}


def _powers(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    """The exponentials, not yet normalised, safe from overflow."""
    logits = z / temperature
    return np.exp(logits - logits.max(axis=axis, keepdims=True))


def _unshifted(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    powers = np.exp(z / temperature)
    return powers / powers.sum(axis=axis, keepdims=True)


def _one_shift(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    powers = np.exp((z - z.max()) / temperature)
    return powers / powers.sum(axis=axis, keepdims=True)


def _never_shifted_below(least: float) -> Callable:
    """Right where some score of every slice is at least this large."""

    def wrong(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
        logits = z / temperature
        powers = np.exp(logits - np.maximum(least, logits.max(axis=axis, keepdims=True)))
        return powers / powers.sum(axis=axis, keepdims=True)

    return wrong


def _shift_before_dividing(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    powers = np.exp(z / temperature - z.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _shift_along_last(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    powers = _powers(z, -1, temperature)
    return powers / powers.sum(axis=axis, keepdims=True)


def _dropped_axis(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    logits = z / temperature
    powers = np.exp(logits - logits.max(axis=axis))
    return powers / powers.sum(axis=axis)


def _over_everything(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    powers = np.exp((z - z.max()) / temperature)
    return powers / powers.sum()


def _without_exp(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    return z / temperature / (z / temperature).sum(axis=axis, keepdims=True)


def _sums_to_1(arguments: Mapping, weights: np.ndarray) -> bool:
    sums = weights.sum(axis=arguments.get("axis", -1), dtype=np.float64)
    return np.allclose(sums, 1, rtol=0, atol=1e-4)


softmax = Check(
    reference=reference.softmax,
    from_scratch=("softmax", "log_softmax", "logsumexp"),
    cases={
        "a row of scores": lambda rng: {"z": rng.normal(size=5)},
        "a table, along the last axis": lambda rng: {
            "z": rng.normal(size=(2, 3, 5)),
            "axis": -1,
            "temperature": 1.0,
        },
        "along the first axis": lambda rng: {
            "z": rng.normal(size=(4, 5)),
            "axis": 0,
            "temperature": 1.0,
        },
        "along a middle axis": lambda rng: {
            "z": rng.normal(size=(2, 3, 5)),
            "axis": 1,
            "temperature": 0.5,
        },
        "a high temperature": lambda rng: {
            "z": 4 * rng.normal(size=(3, 5)),
            "axis": -1,
            "temperature": 8.0,
        },
        "a low temperature": _low_temperature,
        "scores near 1000": lambda rng: {
            "z": 1000.0 + rng.integers(-3, 4, size=(3, 5)),
            "axis": -1,
            "temperature": 1.0,
        },
        "scores near −20 000": lambda rng: {
            "z": -20_000.0 + rng.integers(-3, 4, size=(3, 5)),
            "axis": -1,
            "temperature": 1.0,
        },
        "one row far below the others": _row_far_below,
        "minus infinity among the scores": _forbidden,
        "equal scores": lambda rng: {
            "z": np.full((3, 5), rng.normal()),
            "axis": 0,
            "temperature": 2.0,
        },
        "a single score": lambda rng: {"z": rng.normal(size=(3, 1))},
        "whole numbers": lambda rng: {
            "z": rng.integers(-3, 4, size=(3, 5)),
            "axis": -2,
            "temperature": 2.0,
        },
        "float32 numbers": lambda rng: {"z": rng.normal(size=(3, 5)).astype(np.float32)},
        "stored column by column": lambda rng: {
            "z": np.asfortranarray(rng.normal(size=(3, 5))),
            "axis": 0,
            "temperature": 1.0,
        },
    },
    mistakes={
        "exp(1000) overflows; shifting all scores alike changes no weight and prevents it.": (
            _unshifted
        ),
        "Far below the others a row underflows to 0/0: take a maximum for each slice along "
        "`axis`, not one for the whole array.": _one_shift,
        "Shift by the largest score itself, even if it is below 0.": _never_shifted_below(0),
        "A search for the largest score that starts at −10 000 misses lower ones: start at the "
        "first.": _never_shifted_below(-1e4),
        "Shift by the largest score after dividing by the temperature; a low temperature "
        "overflows otherwise.": _shift_before_dividing,
        "Take the maximum along the same `axis` as the sum.": _shift_along_last,
        "A high temperature must flatten the weights: you made it sharpen them.": (
            lambda z, axis=-1, temperature=1.0: _softmax(z * temperature, axis)
        ),
        "The temperature changes the weights: you left it out.": (
            lambda z, axis=-1, temperature=1.0: _softmax(z, axis)
        ),
        "Divide the scores by the temperature, not the finished weights.": (
            lambda z, axis=-1, temperature=1.0: _softmax(z, axis) / temperature
        ),
        "The weights must sum to 1 along `axis`, which is not always the last.": (
            lambda z, axis=-1, temperature=1.0: _softmax(z, -1, temperature)
        ),
        "The weights must sum to 1 along `axis`, which is not always the first.": (
            lambda z, axis=-1, temperature=1.0: _softmax(z, 0, temperature)
        ),
        "Every slice along `axis` sums to 1 by itself, not the whole array.": _over_everything,
        "Each slice needs its own sum: keep the summed axis, with length 1.": _dropped_axis,
        "Divide by the sum: these are exponentials, not weights yet.": _powers,
        "Take the exponential first: dividing scores by their sum leaves negative weights.": (
            _without_exp
        ),
        "Return the weights, not their logarithms.": (
            lambda z, axis=-1, temperature=1.0: np.log(_softmax(z, axis, temperature))
        ),
        "This is a sigmoid of every score alone; in a softmax the scores compete.": (
            lambda z, axis=-1, temperature=1.0: 1 / (1 + np.exp(-z / temperature))
        ),
        "Every score keeps some weight: this picks the largest and drops the rest.": (
            lambda z, axis=-1, temperature=1.0: (z == z.max(axis=axis, keepdims=True)) * 1.0
        ),
    },
    properties={
        "The weights must sum to 1 along `axis`.": _sums_to_1,
        "No weight is negative.": lambda arguments, weights: bool((weights >= 0).all()),
    },
)

# ---- witnesses

_ZERO = 1e-6  # a cosine below it counts as 0, so that pairs need not be whole numbers
_CLEAR = 1e-3  # a cosine above it counts as not 0


def _unit(vector: np.ndarray) -> np.ndarray:
    """The direction of a vector in float64; zeros for a zero vector."""
    largest = np.abs(vector).max()
    scaled = vector.astype(np.float64) / (largest or 1)  # so that no square under- or overflows
    return scaled / (np.linalg.norm(scaled) or 1)


def _without_zeros(pair: np.ndarray) -> bool:
    """Whether no entry is 0, but in one zero vector; the steps say for which key that is right."""
    zeros = sorted(int((np.abs(_unit(vector)) < _ZERO).sum()) for vector in pair)
    return zeros in ([0, 0], [0, 4])


def _cosine(pair: np.ndarray) -> float:
    return abs(float(_unit(pair[0]) @ _unit(pair[1])))


def _correlation(pair: np.ndarray) -> float:
    directions = np.stack([_unit(vector) for vector in pair])
    return _cosine(directions - directions.mean(axis=1, keepdims=True))


def _varies(pair: np.ndarray) -> bool:
    return all(np.ptp(_unit(vector)) > _ZERO for vector in pair)


def _statistically_dependent(pair: np.ndarray) -> bool:
    """Whether one number tells about the other, the places being equally likely outcomes."""
    first, second = (np.isclose(v[:, None], v) for v in map(_unit, pair))  # [i, j]: equal at i, j
    together = first[:, None] & second  # [i, j, k]: at k the values of first at i, second at j
    return not np.allclose(together.mean(-1), np.outer(first.mean(-1), second.mean(-1)))


def _all_different(arguments: Mapping, pairs: Mapping) -> bool:
    """No pair serves two keys, not even with its vectors in the other order."""
    given = list(pairs.values())
    return not any(
        np.array_equal(pair, other) or np.array_equal(pair[::-1], other)
        for i, pair in enumerate(given)
        for other in given[:i]
    )


def _one_pair_twice() -> dict:
    both = np.array([[1.0, 2, 4, 5], [4, 1, 1, 4]])
    keys = ("independent_not_orthogonal", "uncorrelated_but_dependent")
    return reference.witnesses() | dict.fromkeys(keys, both)


def _pairs_of_the_page() -> dict:
    return reference.witnesses() | {
        "independent_not_orthogonal": np.array([[2.0, 0, 0, 0], [2, 2, 0, 0]]),
        "orthogonal_dependent": np.array([[2.0, 0, 0, 0], [0, 0, 0, 0]]),
        "orthogonal_but_correlated": np.array([[1.0, 0, 1, 0], [0, 1, 0, 1]]),
    }


# For each key: what must be true, whether it is, and a pair for which it is the first not to be.
_STEPS: dict[str, dict[str, tuple[Callable[[np.ndarray], bool], list[list[float]]]]] = {
    "independent_not_orthogonal": {
        "the dot product must not be 0, since independent does not mean orthogonal.": (
            lambda pair: _cosine(pair) > _CLEAR,
            [[1, 1, 1, 1], [1, 1, -1, -1]],
        ),
        "neither vector may be a multiple of the other.": (
            lambda pair: _cosine(pair) < 1 - _ZERO,
            [[1, 2, 3, 4], [-2, -4, -6, -8]],
        ),
    },
    "orthogonal_dependent": {
        "the dot product must be 0.": (
            lambda pair: _cosine(pair) < _ZERO,
            [[1, 2, 3, 4], [2, 4, 6, 8]],
        ),
        "nonzero orthogonal vectors are always independent, so one must be special.": (
            lambda pair: not pair.any(axis=1).all(),
            [[1, 1, 1, 1], [1, -1, 1, -1]],
        ),
    },
    "orthogonal_but_correlated": {
        "the dot product must be 0.": (
            lambda pair: _cosine(pair) < _ZERO,
            [[1, 2, 3, 4], [2, 3, 5, 8]],
        ),
        "a vector whose entries are all equal has no correlation.": (
            _varies,
            [[2, 2, 2, 2], [1, -3, -1, 3]],
        ),
        "without their means the vectors must no longer be orthogonal.": (
            lambda pair: _correlation(pair) > _CLEAR,
            [[1, -1, 1, -1], [1, 1, -1, -1]],
        ),
    },
    "uncorrelated_but_dependent": {
        "the correlation must be 0, so what some places add the others must take away.": (
            lambda pair: _correlation(pair) < _ZERO,
            [[1, 2, 3, 4], [1, 4, 9, 16]],
        ),
        "a vector whose entries are all equal has no correlation.": (
            _varies,
            [[-2, -1, 1, 2], [3, 3, 3, 3]],
        ),
        "to know an entry of one vector must tell something about the other.": (
            _statistically_dependent,
            [[1, 1, -1, -1], [1, -1, 1, -1]],
        ),
    },
}


def _holds_upto(key: str, sentence: str) -> Callable[[Mapping, Mapping], bool]:
    """A property presupposes those before it, so that a wrong or a copied pair earns little."""
    upto = list(_STEPS[key]).index(sentence) + 1
    tests = [_without_zeros, *[test for test, _ in _STEPS[key].values()][:upto]]
    return lambda arguments, pairs: all(test(pairs[key]) for test in tests)


def _all_right_but(key: str, pair: list[list[float]]) -> Callable[[], dict]:
    return lambda: reference.witnesses() | {key: np.array(pair, np.float64)}


witnesses = Check(
    reference=reference.witnesses,
    cases={"the four pairs": lambda rng: {}},
    mistakes={"No entry is 0, but in the one zero vector.": _pairs_of_the_page}
    | {
        f"{key}: {sentence}": _all_right_but(key, pair)
        for key, steps in _STEPS.items()
        for sentence, (_, pair) in steps.items()
    }
    | {"Each key needs a pair of its own; you used one pair twice.": _one_pair_twice},
    properties={
        "No entry is 0, but in the one zero vector.": lambda arguments, pairs: all(
            map(_without_zeros, pairs.values())
        )
    }
    | {
        f"{key}: {sentence}": _holds_upto(key, sentence)
        for key, steps in _STEPS.items()
        for sentence in steps
    }
    | {"Each key needs a pair of its own; you used one pair twice.": _all_different},
    one_answer=False,
)
