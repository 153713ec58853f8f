"""Chapter `masking`: who may look where, and how to prove that nobody looks elsewhere.

A mask is boolean, and True where a query may look. A query that may look nowhere gets zeros.

Sources: Vaswani et al. (2017), Attention Is All You Need, sections 3.1 (the shifted inputs) and
3.2.3 (the mask before the softmax).
"""

from collections.abc import Callable

import numpy as np

TRIALS = 10  # an output may depend on a token for some inputs only
ROUNDING = 1e-9  # a smaller change of an output is no dependence


def causal_mask(n: int, past: int = 0) -> np.ndarray:
    """Let each token look at itself and at all tokens before it.

    M[i, j] = (j <= past + i)

    Args:
        n: how many tokens ask.
        past: how many tokens came before them; their keys come first.

    Returns:
        (n, past + n) bool, True where a query may look.

    Raises:
        ValueError: n or past is negative.
    """
    if n < 0 or past < 0:
        raise ValueError(f"n and past must be at least 0, not {n} and {past}")
    return np.arange(past + n) <= past + np.arange(n)[:, None]


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    """Let every query of every head look at all tokens but the padding.

    M[b, 0, 0, j] = (ids[b, j] ≠ pad)

    Args:
        ids: (B, m) integers.
        pad: the id of the padding.

    Returns:
        (B, 1, 1, m) bool, True where a query may look; it broadcasts to (B, h, n, m).

    Raises:
        ValueError: ids has not two axes.
    """
    ids = np.asarray(ids)
    if ids.ndim != 2:
        raise ValueError(f"ids should have 2 axes, not {ids.ndim}")
    return (ids != pad)[:, None, None, :]


def masked_softmax(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Turn the scores of the keys that a query may look at into weights, and give the others 0.

    exp(s_j) / Σ exp(s_k), over the k with mask True; all 0 if there is none. What stands at a
    masked place, NaN included, changes nothing; NaN at an open place stays visible.

    Args:
        scores: (..., n, m) real.
        mask: bool, True where a query may look; broadcasts to the shape of the scores.

    Returns:
        (..., n, m), in the precision of the scores; float64 if they are integers.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the shape of the scores.
    """
    scores, mask = np.asarray(scores), np.asarray(mask)
    if mask.dtype != bool:
        raise ValueError(f"the mask should be bool, not {mask.dtype}")
    mask = np.broadcast_to(mask, scores.shape)
    open_scores = np.where(mask, scores.astype(np.float64), -np.inf)
    highest = open_scores.max(axis=-1, keepdims=True)
    powers = np.exp(open_scores - np.where(highest == -np.inf, 0, highest))
    total = powers.sum(axis=-1, keepdims=True)
    weights = powers / np.where(total == 0, 1, total)
    return weights.astype(scores.dtype if scores.dtype.kind == "f" else np.float64)


def shift_right(targets: np.ndarray, sos: int, pad: int) -> np.ndarray:
    """Give a decoder, at each place, the token before the one that it has to predict there.

    Args:
        targets: (..., m) integers, in each row the tokens, <EOS>, and padding up to the end.
        sos: the id of <SOS>, which comes first.
        pad: the id of the padding; where nothing is to be predicted, nothing is given.

    Returns:
        (..., m) integers: <SOS> and the tokens but for the last, then the same padding.

    Raises:
        ValueError: targets has no axis.
    """
    targets = np.asarray(targets)
    if targets.ndim == 0:
        raise ValueError("targets should have at least 1 axis, not 0")
    before = np.roll(targets, 1, axis=-1)
    before[..., :1] = sos
    return np.where(targets == pad, pad, before)


def leaks(f: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """Find out which outputs of a map depend on which of its inputs, without looking into it.

    D[i, j] = whether row i of f(x) changes, for some x, when x[j] alone is changed.

    Args:
        f: takes (n,) real, returns (n, ...) real.
        n: the number of tokens.

    Returns:
        (n, n) bool, True where the output depends on the input.

    Raises:
        ValueError: f does not return n rows.
    """
    rng = np.random.default_rng(0)
    depends = np.zeros((n, n), bool)
    for _ in range(TRIALS):
        x = rng.normal(size=n)
        output = np.asarray(f(x.copy()))
        if output.ndim == 0 or len(output) != n:
            raise ValueError(f"f should return {n} rows; its shape is {output.shape}")
        for j in range(n):
            changed = x.copy()
            changed[j] = rng.normal()
            difference = np.abs(np.asarray(f(changed)) - output).reshape(n, -1)
            depends[:, j] |= difference.max(axis=1) > ROUNDING
    return depends
