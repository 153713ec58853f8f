"""Chapter `multi_head`: several attentions side by side, each in a part of the features.

Sources: Vaswani et al. (2017), Attention Is All You Need, section 3.2.2; the layout of the
parameters is that of torch.nn.MultiheadAttention. A query that may look nowhere gets zeros.
"""

from collections.abc import Iterator, Mapping

import numpy as np


def split_heads(x: np.ndarray, h: int) -> np.ndarray:
    """Cut every row into h parts of one length, and give each part's rows to a head of its own.

    Args:
        x: (..., n, d).
        h: how many heads; divides d.

    Returns:
        (..., h, n, d / h), of the same kind as x. Head i has features i d/h to (i + 1) d/h - 1.

    Raises:
        ValueError: h does not divide d.
    """
    *leading, n, d = np.shape(x)
    if d % h:
        raise ValueError(f"{d} features cannot be shared out evenly among {h} heads")
    return np.swapaxes(np.reshape(x, (*leading, n, h, d // h)), -3, -2)


def merge_heads(heads: np.ndarray) -> np.ndarray:
    """Put the parts of every row side by side again: what split_heads did, undone.

    Args:
        heads: (..., h, n, d_head).

    Returns:
        (..., n, h d_head), of the same kind as heads.
    """
    *leading, h, n, d_head = np.shape(heads)
    return np.swapaxes(heads, -3, -2).reshape(*leading, n, h * d_head)


def multi_head(
    x: np.ndarray,
    y: np.ndarray,
    P: Mapping[str, np.ndarray],
    h: int,
    mask: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Let x look at y through h heads, and mix what the heads have seen.

    With W = [W_Q; W_K; W_V] and b likewise: Q = x W_Qᵀ + b_Q, K = y W_Kᵀ + b_K, V = y W_Vᵀ + b_V,
    each split into heads; weights = softmax(Q Kᵀ / √d_head) in every head;
    output = merged(weights V) W_Oᵀ + b_O.

    Args:
        x: (..., n, d) real, what asks.
        y: (..., m, d) real, what is looked at; x itself in self-attention.
        P: "W" (3d, d), "b" (3d,), "Wo" (d, d) and "bo" (d,), real.
        h: how many heads; divides d.
        mask: bool, broadcast to (..., h, n, m); True where a query may look. None: everywhere.

    Returns:
        the output, (..., n, d) float64, and the weights, (..., h, n, m) float64.

    Raises:
        ValueError: x, y and the parameters differ in d, or h does not divide it.
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    W, b, Wo, bo = (np.asarray(P[name], np.float64) for name in ("W", "b", "Wo", "bo"))
    d = x.shape[-1]
    for name, width in {"y": y.shape[-1], "W": W.shape[1], "Wo": Wo.shape[1]}.items():
        if width != d:
            raise ValueError(f"x and {name} differ in d: {d} and {width}")
    sources = zip((x, y, y), np.split(W, 3), np.split(b, 3), strict=True)
    Q, K, V = (split_heads(source @ part.T + bias, h) for source, part, bias in sources)
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d // h)  # (..., h, n, m)
    weights = _softmax(scores, mask)
    return merge_heads(weights @ V) @ Wo.T + bo, weights


def _softmax(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """The softmax over the keys that the mask allows, and zeros where it allows none."""
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    highest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isneginf(highest), 0, highest))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


class MultiHeadAttention:
    """Several heads as a layer with four matrices and no biases, used as a torch module is.

    layer(x, y) = multi_head(x, y, P, n_heads) for the P that the four weights make. A linear layer
    multiplies by the transpose of its weight, (to, from), as torch.nn.Linear does.

    Args:
        d_model: the features of x, of y and of the output.
        n_heads: how many heads; divides d_model.

    Raises:
        ValueError: n_heads does not divide d_model.
    """

    attend = staticmethod(multi_head)

    def __init__(self, d_model: int, n_heads: int):
        if d_model % n_heads:
            raise ValueError(f"{d_model} features for {n_heads} heads")
        self.n_heads = n_heads
        names = ("W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight")
        self.weights = {name: np.zeros((d_model, d_model)) for name in names}

    def named_parameters(self) -> Iterator[tuple[str, np.ndarray]]:
        """The names and the weights, which may be written into."""
        return iter(self.weights.items())

    def eval(self) -> "MultiHeadAttention":
        """Nothing here is different in training."""
        return self

    def __call__(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        *inner, Wo = self.weights.values()
        d = len(Wo)
        P = {"W": np.concatenate(inner), "b": np.zeros(3 * d), "Wo": Wo, "bo": np.zeros(d)}
        return self.attend(x, y, P, self.n_heads)


def head_params(d: int, h: int) -> int:
    """Count the numbers in the matrices of multi-head attention, without biases.

    h heads with three matrices of d · d/h numbers each, and W_O: h · 3 · d · d/h + d² = 4d².

    Args:
        d: the features.
        h: how many heads; divides d.

    Raises:
        ValueError: h does not divide d.
    """
    if d % h:
        raise ValueError(f"{d} features cannot be shared out evenly among {h} heads")
    return 4 * d * d


def score_rank(Wq: np.ndarray, Wk: np.ndarray) -> int:
    """Count the directions of a word that a head's scores can depend on.

    The rank of W_q W_kᵀ, since the score of x_i and x_j is x_i W_q W_kᵀ x_j. At most d_k.

    Args:
        Wq: (d, d_k) real.
        Wk: (d, d_k) real.

    Raises:
        ValueError: Wq and Wk differ in d_k.
    """
    Wq, Wk = np.asarray(Wq, np.float64), np.asarray(Wk, np.float64)
    if Wq.shape[1] != Wk.shape[1]:
        raise ValueError(f"Wq and Wk differ in d_k: {Wq.shape[1]} and {Wk.shape[1]}")
    form = Wq @ Wk.T  # (d_model, d_model)
    return int(np.linalg.matrix_rank(form))


def symmetric_init(P: Mapping[str, np.ndarray], h: int) -> dict[str, np.ndarray]:
    """Give every head the numbers of the first, so that no training can tell them apart.

    Heads with equal inner weights and equal columns of W_O see the same, add the same, and get the
    same gradient; so they stay equal, whatever the data. Columns that differ give gradients that
    differ.

    Args:
        P: "W" (3d, d), "b" (3d,), "Wo" (d, d) and "bo" (d,), real, as in multi_head.
        h: how many heads; divides d.

    Returns:
        the same names and shapes, float64.

    Raises:
        ValueError: h does not divide d.
    """
    d = len(P["Wo"])
    if d % h:
        raise ValueError(f"{d} features cannot be shared out evenly among {h} heads")
    first = np.tile(np.arange(d // h), h)  # for every feature the one of the first head
    rows = np.concatenate([first, first + d, first + 2 * d])
    return {
        "W": np.asarray(P["W"], np.float64)[rows],
        "b": np.asarray(P["b"], np.float64)[rows],
        "Wo": np.asarray(P["Wo"], np.float64)[:, first],
        "bo": np.array(P["bo"], np.float64),
    }
