"""Chapter `positional`: sines and cosines for positions, what shifts and rotates them, and order.

Sources: Vaswani et al. (2017), Attention Is All You Need, section 3.5, for the sinusoids and the
matrix that shifts them; Su et al. (2024), RoFormer, section 3.2.2, for rotary positions.
"""

from collections.abc import Callable

import numpy as np

ROUNDING = 1e-6  # differences of less are none


def sinusoidal(n: int, d: int, base: float = 1e4) -> np.ndarray:
    """Give each of n positions a vector of its own, from sines and cosines.

    pe[t, 2i] = sin(t ω_i), pe[t, 2i + 1] = cos(t ω_i), ω_i = base^(−2i/d). An odd d is fine: its
    last sine has no cosine.

    Args:
        n: how many positions, counted from 0.
        d: how many features.
        base: the slowest wave is almost base times as long as the fastest.

    Returns:
        (n, d) float64.

    Raises:
        ValueError: d is less than 1.
    """
    if d < 1:
        raise ValueError(f"a position needs at least 1 feature, not {d}")
    angles = np.arange(n)[:, None] * _frequencies(d, base)  # (n, d / 2, rounded up)
    table = np.stack([np.sin(angles), np.cos(angles)], axis=-1)  # (n, d / 2, 2)
    return table.reshape(n, 2 * angles.shape[1])[:, :d]


def shift_matrix(k: int, d: int) -> np.ndarray:
    """Find the one matrix that carries the vector of every position to the one k places further.

    R pe[t] = pe[t + k] for all t, where pe = sinusoidal(n, d): each pair of features, sine and
    cosine, turns by k ω_i. On the diagonal stand [[cos kω_i, sin kω_i], [−sin kω_i, cos kω_i]].

    Args:
        k: how far; may be negative.
        d: how many features, even.

    Returns:
        (d, d) float64, orthogonal.

    Raises:
        ValueError: d is odd.
    """
    angles = k * _frequencies(_even(d), 1e4)
    pairs = np.arange(0, d, 2)
    R = np.zeros((d, d))
    R[pairs, pairs] = R[pairs + 1, pairs + 1] = np.cos(angles)
    R[pairs, pairs + 1] = np.sin(angles)
    R[pairs + 1, pairs] = -np.sin(angles)
    return R


def rope(x: np.ndarray, pos: np.ndarray, base: float = 1e4) -> np.ndarray:
    """Turn each pair of features of a query or a key by an angle that grows with its position.

    (a, b) in features 2i, 2i + 1 becomes (a cos φ − b sin φ, a sin φ + b cos φ), φ = pos ω_i with
    ω_i = base^(−2i/d). The dot product of two turned rows depends on pos only by its difference.

    Args:
        x: (..., n, d) real, d even.
        pos: (n,) real, the position of each row.
        base: as in sinusoidal.

    Returns:
        (..., n, d) float64.

    Raises:
        ValueError: d is odd, or x and pos differ in n.
    """
    x, pos = np.asarray(x, np.float64), np.asarray(pos, np.float64)
    *_, n, d = x.shape
    if pos.shape != (n,):
        raise ValueError(f"x has {n} rows, and pos the shape {pos.shape}")
    angles = pos[:, None] * _frequencies(_even(d), base)  # (n, d / 2)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def is_equivariant(f: Callable[[np.ndarray], np.ndarray], n: int, d: int, trials: int = 5) -> bool:
    """Test whether shuffling the rows that go into a map shuffles what comes out, and no more.

    f(P X) = P f(X), for random X and random permutations P.

    Args:
        f: takes (n, d) real, returns (n, ...) real.
        n: how many rows.
        d: how many features each has.
        trials: how many X, each with a permutation.

    Returns:
        whether no trial showed a difference. True is no proof.

    Raises:
        ValueError: f does not return n rows.
    """
    rng = np.random.default_rng(0)
    for _ in range(trials):
        X, order = rng.normal(size=(n, d)), rng.permutation(n)
        output = np.asarray(f(X.copy()))
        if output.ndim == 0 or len(output) != n:
            raise ValueError(f"f should return {n} rows; its shape is {output.shape}")
        if not np.allclose(f(X[order]), output[order], rtol=0, atol=ROUNDING):
            return False
    return True


def _frequencies(d: int, base: float) -> np.ndarray:
    """One for each pair of features, by which a position is multiplied to give an angle."""
    return float(base) ** (-np.arange(0, d, 2) / d)


def _even(d: int) -> int:
    if d % 2:
        raise ValueError(f"{d} features do not make pairs; an even number does")
    return d
