"""Chapter `self_attention`: words as vectors, and a sequence that attends to itself.

Source: Vaswani et al. (2017), Attention Is All You Need, sections 3.2.1 and 3.2.3.
"""

import numpy as np

from autograde.reference.attention import attention


def one_hot(ids: np.ndarray, V: int) -> np.ndarray:
    """Give each word a vector of its own: 1 at its id, 0 elsewhere.

    Args:
        ids: (..., n) integer, each from 0 to V - 1.
        V: the size of the vocabulary.

    Returns:
        (..., n, V) float64.

    Raises:
        ValueError: an id is not in the vocabulary.
    """
    ids = np.asarray(ids)
    _require_known(ids, V)
    return np.eye(V)[ids]


def embed(ids: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Look up each word's vector.

    The rows of E at ids, which equals one_hot(ids, V) E.

    Args:
        ids: (..., n) integer, each from 0 to V - 1.
        E: (V, d) real, a row for every word of the vocabulary.

    Returns:
        (..., n, d) float64.

    Raises:
        ValueError: an id is not in the vocabulary.
    """
    ids = np.asarray(ids)
    _require_known(ids, len(E))
    return np.asarray(E, np.float64)[ids]


def self_attention(
    X: np.ndarray, Wq: np.ndarray, Wk: np.ndarray, Wv: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Let every word of a sequence blend what all of its words offer, itself included.

    Q = X W_Q, K = X W_K, V = X W_V; weights = softmax(Q Kᵀ / √d_k), output = weights V,
    equation 1 of the source.

    Args:
        X: (..., n, d) real.
        Wq: (d, d_k) real.
        Wk: (d, d_k) real.
        Wv: (d, d_v) real.

    Returns:
        the output, (..., n, d_v) float64, and the weights, (..., n, n) float64.

    Raises:
        ValueError: X and a matrix differ in d, or Wq and Wk in d_k.
    """
    X, Wq, Wk, Wv = (np.asarray(array, np.float64) for array in (X, Wq, Wk, Wv))
    for name, W in (("Wq", Wq), ("Wk", Wk), ("Wv", Wv)):
        if X.shape[-1] != W.shape[0]:
            raise ValueError(f"X and {name} differ in d: {X.shape[-1]} and {W.shape[0]}")
    if Wq.shape[1] != Wk.shape[1]:
        raise ValueError(f"Wq and Wk differ in d_k: {Wq.shape[1]} and {Wk.shape[1]}")
    return attention(X @ Wq / np.sqrt(Wq.shape[1]), X @ Wk, X @ Wv)


def not_self(n: int, d: int) -> np.ndarray:
    """Make words that prefer another word to themselves when Q = K = X, all but the longest.

    x_i · x_j ≤ |x_i| |x_j| (Cauchy and Schwarz), so the longest word always prefers itself. Words
    in one direction, each twice as long as the one before, all prefer the last.

    Args:
        n: how many words.
        d: how many numbers a word has.

    Returns:
        (n, d) float64.
    """
    X = np.zeros((n, d))
    X[:, 0] = 2.0 ** np.arange(n)
    return X


def gauge(Wq: np.ndarray, Wk: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Change both projections with R so that no score changes.

    W_Q' = W_Q R, W_K' = W_K (R⁻¹)ᵀ, since W_Q R R⁻¹ W_Kᵀ = W_Q W_Kᵀ.

    Args:
        Wq: (d, d_k) real.
        Wk: (d, d_k) real.
        R: (d_k, d_k) real, invertible.

    Returns:
        the new Wq and the new Wk, (d, d_k) float64 each.

    Raises:
        ValueError: Wq and Wk differ in d_k, or R and Wq do; numpy.linalg.LinAlgError, which is
            one, if R has no inverse.
    """
    Wq, Wk, R = (np.asarray(array, np.float64) for array in (Wq, Wk, R))
    if Wq.shape[1] != Wk.shape[1]:
        raise ValueError(f"Wq and Wk differ in d_k: {Wq.shape[1]} and {Wk.shape[1]}")
    if R.shape[0] != Wq.shape[1]:
        raise ValueError(f"R and Wq differ in d_k: {R.shape[0]} and {Wq.shape[1]}")
    return Wq @ R, Wk @ np.linalg.inv(R).T


def _require_known(ids: np.ndarray, V: int) -> None:
    unknown = ids[(ids < 0) | (ids >= V)]
    if unknown.size:
        raise ValueError(f"an id of {unknown[0]} in a vocabulary of {V}")
