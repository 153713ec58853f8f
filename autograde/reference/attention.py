"""Chapter `attention`: the soft look-up, for one query and for many, and additive scores.

Sources: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1, for the dot product;
Bahdanau, Cho and Bengio (2015), Neural Machine Translation by Jointly Learning to Align and
Translate, section 3 and appendix A.1.2, for the additive scores.
"""

import numpy as np

from autograde.reference.vectors import softmax


def attend_one(
    q: np.ndarray, K: np.ndarray, V: np.ndarray, beta: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Blend the values, each weighing the more the better its key matches one query.

    weights = softmax(β K q), output = weights · V

    Args:
        q: (d_k,) real.
        K: (m, d_k) real.
        V: (m, d_v) real.
        beta: how sharply the best key wins; 0 gives every pair the same weight.

    Returns:
        the output, (d_v,) float64, and the weights, (m,) float64.

    Raises:
        ValueError: q and K differ in d_k, or K and V in m.
    """
    if q.shape[-1] != K.shape[-1]:
        raise ValueError(f"q and K differ in d_k: {q.shape[-1]} and {K.shape[-1]}")
    output, weights = attention(beta * np.asarray(q, np.float64)[None, :], K, V)
    return output[0], weights[0]


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Let every query blend the values by how well their keys match it, without scaling.

    weights = softmax(Q Kᵀ) over the keys, output = weights V

    Args:
        Q: (..., n, d_k) real.
        K: (..., m, d_k) real.
        V: (..., m, d_v) real.

    Returns:
        the output, (..., n, d_v) float64, and the weights, (..., n, m) float64.

    Raises:
        ValueError: Q and K differ in d_k, or K and V in m.
    """
    Q, K, V = (np.asarray(array, np.float64) for array in (Q, K, V))
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"Q and K differ in d_k: {Q.shape[-1]} and {K.shape[-1]}")
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(f"K and V differ in m: {K.shape[-2]} and {V.shape[-2]}")
    weights = softmax(Q @ np.swapaxes(K, -1, -2))  # (..., n, m)
    return weights @ V, weights


def additive_scores(
    Q: np.ndarray, K: np.ndarray, Wq: np.ndarray, Wk: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """Score every query with every key by a small network, so that their sizes may differ.

    score(q, k) = v · tanh(W_q q + W_k k)

    Args:
        Q: (..., n, d_q) real.
        K: (..., m, d_k) real.
        Wq: (h, d_q) real.
        Wk: (h, d_k) real.
        v: (h,) real.

    Returns:
        (..., n, m) float64, the scores before any softmax.

    Raises:
        ValueError: Q and Wq differ in d_q, K and Wk in d_k, or Wq, Wk and v in h.
    """
    Q, K, Wq, Wk, v = (np.asarray(array, np.float64) for array in (Q, K, Wq, Wk, v))
    if Q.shape[-1] != Wq.shape[-1]:
        raise ValueError(f"Q and Wq differ in d_q: {Q.shape[-1]} and {Wq.shape[-1]}")
    if K.shape[-1] != Wk.shape[-1]:
        raise ValueError(f"K and Wk differ in d_k: {K.shape[-1]} and {Wk.shape[-1]}")
    if not Wq.shape[0] == Wk.shape[0] == v.shape[0]:
        raise ValueError(f"Wq, Wk, v differ in h: {Wq.shape[0]}, {Wk.shape[0]}, {v.shape[0]}")
    from_queries, from_keys = Q @ Wq.T, K @ Wk.T  # (..., n, h) and (..., m, h)
    hidden = np.tanh(from_queries[..., :, None, :] + from_keys[..., None, :, :])  # (..., n, m, h)
    return hidden @ v
