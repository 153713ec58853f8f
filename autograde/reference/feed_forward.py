"""Chapter `feed_forward`: the feed-forward network, and how alike tokens become.

Sources: Vaswani et al. (2017), Attention Is All You Need, sections 3.1 and 3.3; Dong, Cordonnier
and Loukas (2021), Attention Is Not All You Need, for the collapse.
"""

import numpy as np

from autograde.reference.self_attention import self_attention


def ffn(
    x: np.ndarray, W1: np.ndarray, b1: np.ndarray, W2: np.ndarray, b2: np.ndarray
) -> np.ndarray:
    """Transform each token by itself: widen it, drop what is negative, narrow it.

    max(0, x W₁ + b₁) W₂ + b₂, equation 2 of Vaswani et al.

    Args:
        x: (..., d_model) real.
        W1: (d_model, d_ff) real.
        b1: (d_ff,) real.
        W2: (d_ff, d_model) real.
        b2: (d_model,) real.

    Returns:
        (..., d_model) float64.

    Raises:
        ValueError: x and W1 differ in d_model, W1 and b1 or W1 and W2 in d_ff, or W2 and b2 in
            d_model.
    """
    x, W1, b1, W2, b2 = (np.asarray(array, np.float64) for array in (x, W1, b1, W2, b2))
    if x.shape[-1] != W1.shape[0]:
        raise ValueError(f"x and W1 differ in d_model: {x.shape[-1]} and {W1.shape[0]}")
    if b1.shape != W1.shape[1:]:
        raise ValueError(f"W1 and b1 differ in d_ff: {W1.shape[1]} and {b1.shape}")
    if W2.shape[0] != W1.shape[1]:
        raise ValueError(f"W1 and W2 differ in d_ff: {W1.shape[1]} and {W2.shape[0]}")
    if b2.shape != W2.shape[1:]:
        raise ValueError(f"W2 and b2 differ in d_model: {W2.shape[1]} and {b2.shape}")
    return np.maximum(0, x @ W1 + b1) @ W2 + b2


def token_spread(X: np.ndarray) -> np.ndarray:
    """Measure how much the tokens of each layer differ: 0 if they are all the same.

    ‖X − 1 x̄‖ / ‖X‖ with x̄ the mean token and the norm over all entries. The mean is the vector
    nearest to all tokens, so this is the relative distance to the nearest matrix of equal rows.
    Tokens that are all zero do not differ.

    Args:
        X: (L, n, d) real, the n tokens after each of L layers.

    Returns:
        (L,) float64, each from 0 to 1.
    """
    X = np.asarray(X, np.float64)
    apart = np.linalg.norm(X - X.mean(axis=-2, keepdims=True), axis=(-2, -1))
    size = np.linalg.norm(X, axis=(-2, -1))
    return apart / np.where(size == 0, 1, size)


def collapse(
    X: np.ndarray, Wq: np.ndarray, Wk: np.ndarray, Wv: np.ndarray, skip: bool = False
) -> np.ndarray:
    """Watch layers of self-attention make the tokens alike, and a skip slow them down.

    X ← SA(X), or X ← X + SA(X) with the skip, where SA is `self_attention`.

    Args:
        X: (n, d) real, the tokens before the first layer.
        Wq: (L, d, d_k) real, a matrix for every layer.
        Wk: (L, d, d_k) real.
        Wv: (L, d, d) real.
        skip: whether each layer's input is added to its output.

    Returns:
        (L + 1,) float64, the token spread before the first layer and after each.

    Raises:
        ValueError: the matrices are not of equally many layers, or differ from X in d.
    """
    if not len(Wq) == len(Wk) == len(Wv):
        raise ValueError(f"Wq, Wk and Wv are of {len(Wq)}, {len(Wk)} and {len(Wv)} layers")
    X = np.asarray(X, np.float64)
    states = [X]
    for weights in zip(Wq, Wk, Wv, strict=True):
        output, _ = self_attention(X, *weights)
        X = X + output if skip else output
        states.append(X)
    return token_spread(np.stack(states))
