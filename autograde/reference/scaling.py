"""Chapter `scaling`: scaled attention, the slope of a softmax, cross-entropy, a score's variance.

Sources: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1 and its footnote 4, for the
scale; Bridle (1990), Probabilistic Interpretation of Feedforward Classification Network Outputs,
for the softmax, its derivative and the loss that goes with it.
"""

import numpy as np

from autograde.reference.attention import attention


def scaled_attention(
    Q: np.ndarray, K: np.ndarray, V: np.ndarray, scale: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Let every query blend the values by how well their keys match it.

    weights = softmax(scale · Q Kᵀ) over the keys, output = weights V, equation 1 of the source.

    Args:
        Q: (..., n, d_k) real.
        K: (..., m, d_k) real.
        V: (..., m, d_v) real.
        scale: what the scores are multiplied by; 1 / √d_k if None.

    Returns:
        the output, (..., n, d_v) float64, and the weights, (..., n, m) float64.

    Raises:
        ValueError: Q and K differ in d_k, or K and V in m.
    """
    if scale is None:
        scale = 1 / np.sqrt(K.shape[-1])
    return attention(scale * np.asarray(Q, np.float64), K, V)


def softmax_jacobian(p: np.ndarray) -> np.ndarray:
    """Tell how each weight of a softmax changes with each of the scores.

    J[i, j] = ∂p_i / ∂z_j = p_i (δ_ij − p_j) where p = softmax(z), δ_ij being 1 if i = j, else 0.

    Args:
        p: (..., n) real, the weights.

    Returns:
        (..., n, n) float64.
    """
    p = np.asarray(p, np.float64)
    return p[..., :, None] * (np.eye(p.shape[-1]) - p[..., None, :])


def cross_entropy_and_grad(logits: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Measure how little a classifier expects the right classes, and how to change its logits.

    loss = −(1/N) Σ_i log p_i[y_i], gradient = (p − one_hot(y)) / N, where p = softmax(logits).

    Args:
        logits: (N, C) real.
        y: (N,) integer, the right class of each row, from 0 to C - 1.

    Returns:
        the loss, and its gradient by the logits, (N, C) float64.

    Raises:
        ValueError: logits and y differ in N, or a class is not one of the C.
    """
    logits, y = np.asarray(logits, np.float64), np.asarray(y)
    N, C = logits.shape
    if len(y) != N:
        raise ValueError(f"logits and y differ in N: {N} and {len(y)}")
    unknown = y[(y < 0) | (y >= C)]
    if unknown.size:
        raise ValueError(f"a class of {unknown[0]} among {C} classes")
    # The logarithm of the softmax, without the softmax: a weight may be too small for a number.
    shifted = logits - logits.max(axis=1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))  # (N, C)
    right = np.arange(C) == y[:, None]
    return float(-logs[right].mean()), (np.exp(logs) - right) / N


def score_variance(d: int, mean: float = 0.0, rho: float = 0.0) -> float:
    """Tell how much the score of a random query and key varies.

    The d entries of each have this mean, variance 1, and correlation rho with one another; the
    query and the key are independent. With t_i = q_i k_i, Var(q · k) is the sum over all i and j of
    Cov(t_i, t_j) = (μ² + c)² − μ⁴ = c² + 2μ²c, where c is 1 if i = j, else rho.

    Args:
        d: how many entries, at least 1.
        mean: of every entry.
        rho: from -1 / (d - 1) to 1, beyond which no such entries exist.

    Returns:
        the variance of q · k, not scaled.

    Raises:
        ValueError: d or rho is out of its range.
    """
    if d < 1:
        raise ValueError(f"d must be at least 1, not {d}")
    if not -1 <= rho * (d - 1) <= d - 1:
        raise ValueError(f"{d} entries cannot all have the correlation {rho} with one another")
    with_itself = 1 + 2 * mean**2
    with_another = rho**2 + 2 * mean**2 * rho
    return float(d * with_itself + d * (d - 1) * with_another)
