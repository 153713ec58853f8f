"""Chapter `relatives`: convolution, graphs and blocks of keys as attention, and what a layer costs.

Sources: Cordonnier, Loukas and Jaggi (2020), On the Relationship between Self-Attention and
Convolutional Layers, theorem 1; Veličković et al. (2018), Graph Attention Networks, section 2.1;
Milakov and Gimelshein (2018), Online Normalizer Calculation for Softmax, and Dao et al. (2022),
FlashAttention, section 3.1; Vaswani et al. (2017), Attention Is All You Need, section 4.
"""

import numpy as np

from autograde.reference.masking import masked_softmax
from autograde.reference.vectors import softmax


def conv_as_attention(
    img: np.ndarray, W: np.ndarray, b: np.ndarray, alpha: float = 50.0
) -> np.ndarray:
    """Compute a convolution by heads that attend to places, one for each place of the kernel.

    Pixel p asks, and pixel r answers with the score −α |r − (p + Δ)|², whatever their colours;
    Δ is the head's place in the kernel, seen from the middle. out = b + Σ_Δ W_Δ Σ_r a_Δ(p, r) r.
    A head looks nowhere if p + Δ lies outside of the image.

    Args:
        img: (C, H, W) real.
        W: (O, C, k, k) real, k odd; as in torch, the kernel is not flipped.
        b: (O,) real.
        alpha: how sharply a head looks; for a large one this is the convolution, zero-padded.

    Returns:
        (O, H, W) float64.

    Raises:
        ValueError: the kernel is not square, k is even, or img, W and b differ in C or O.
    """
    img, W, b = (np.asarray(array, np.float64) for array in (img, W, b))
    n_out, n_in, k, width = W.shape
    if k != width or k % 2 == 0:
        raise ValueError(f"the kernel should be k by k with k odd, not {k} by {width}")
    if img.shape[0] != n_in:
        raise ValueError(f"img and W differ in C: {img.shape[0]} and {n_in}")
    if b.shape != (n_out,):
        raise ValueError(f"W and b differ in O: {n_out} and {b.shape}")
    size = np.array(img.shape[1:])
    places = np.indices(tuple(size)).reshape(2, -1).T  # (n, 2), row by row
    pixels = img.reshape(n_in, -1).T  # (n, C)
    output = np.tile(b, (len(pixels), 1))  # (n, O)
    for offset in np.ndindex(k, k):
        targets = places + np.array(offset) - k // 2
        inside = ((targets >= 0) & (targets < size)).all(axis=1, keepdims=True)
        distances = ((places[None] - targets[:, None]) ** 2).sum(axis=-1)  # (n, n)
        weights = softmax(-alpha * distances) * inside
        output += weights @ pixels @ W[:, :, *offset].T
    return output.T.reshape(n_out, *size)


def graph_attention(
    X: np.ndarray, A: np.ndarray, Wq: np.ndarray, Wk: np.ndarray, Wv: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Let every node of a graph attend to the nodes that its edges lead to, and to no others.

    weights = softmax(Q Kᵀ / √d_k) over the neighbours; all 0 for a node that has none.

    Args:
        X: (..., n, d) real.
        A: (..., n, n) bool, True where the node of the row may look at the node of the column;
            broadcasts to the weights.
        Wq, Wk: (d, d_k) real.
        Wv: (d, d_v) real.

    Returns:
        the output, (..., n, d_v) float64, and the weights, (..., n, n) float64.

    Raises:
        ValueError: A is not boolean, or does not fit the nodes.
    """
    X, A = np.asarray(X, np.float64), np.asarray(A)
    n = X.shape[-2]
    if A.shape[-2:] != (n, n):
        raise ValueError(f"A should end in ({n}, {n}), not {A.shape}")
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    weights = masked_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), A)
    return weights @ V, weights


def blockwise_attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, block: int) -> np.ndarray:
    """Compute attention exactly, with the scores of one block of keys in memory at a time.

    softmax(Q Kᵀ / √d_k) V. For each query three things are kept from block to block: the highest
    score m so far, the sum of exp(s − m), and the sum of exp(s − m) v.

    Args:
        Q: (..., n, d_k) real.
        K: (..., m, d_k) real.
        V: (..., m, d_v) real.
        block: how many keys are looked at together; the last block may have fewer.

    Returns:
        (..., n, d_v) float64.

    Raises:
        ValueError: block is below 1, Q and K differ in d_k, or K and V in m.
    """
    Q, K, V = (np.asarray(array, np.float64) for array in (Q, K, V))
    if block < 1:
        raise ValueError(f"block must be at least 1, not {block}")
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"Q and K differ in d_k: {Q.shape[-1]} and {K.shape[-1]}")
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(f"K and V differ in m: {K.shape[-2]} and {V.shape[-2]}")
    highest = np.full((*Q.shape[:-1], 1), -np.inf)
    total = np.zeros_like(highest)
    blend = np.zeros((*Q.shape[:-1], V.shape[-1]))
    for start in range(0, K.shape[-2], block):
        part = slice(start, start + block)
        scores = Q @ np.swapaxes(K[..., part, :], -1, -2) / np.sqrt(K.shape[-1])
        new = np.maximum(highest, scores.max(axis=-1, keepdims=True))
        powers = np.exp(scores - new)  # (..., n, block)
        # What was summed before is measured against an older, lower maximum.
        shrink = np.exp(highest - new)
        total = shrink * total + powers.sum(axis=-1, keepdims=True)
        blend = shrink * blend + powers @ V[..., part, :]
        highest = new
    return blend / total


def layer_cost(n: int, d: int, dff: int) -> dict[str, int]:
    """Count the multiplications in the matrix products of one encoder layer.

    Projections 4 n d², attention 2 n² d, feed-forward network 2 n d d_ff, for any number of heads.

    Args:
        n: tokens.
        d: d_model.
        dff: d_ff, the width in the middle of the feed-forward network.

    Returns:
        "projections" (W_Q, W_K, W_V, W_O), "attention" (scores, and weights times values) and
        "ffn" -> how many.

    Raises:
        ValueError: a number is below 1.
    """
    if min(n, d, dff) < 1:
        raise ValueError(f"n, d and dff must be at least 1, not {n}, {d} and {dff}")
    return {"projections": 4 * n * d**2, "attention": 2 * n**2 * d, "ffn": 2 * n * d * dff}


def crossover(d: int, dff: int) -> int:
    """Find the number of tokens at which attention costs as much as all the rest of a layer.

    2 n² d = 4 n d² + 2 n d d_ff, so n = 2 d + d_ff

    Args:
        d: d_model.
        dff: d_ff.

    Returns:
        the number of tokens.

    Raises:
        ValueError: a number is below 1.
    """
    if min(d, dff) < 1:
        raise ValueError(f"d and dff must be at least 1, not {d} and {dff}")
    return 2 * d + dff
