"""Checks of chapter `layer_norm`."""

from collections.abc import Callable

import numpy as np

from autograde.check import Check
from autograde.checks.attention import FLOAT32
from autograde.reference import layer_norm as reference
from autograde.reference.vectors import softmax

# ---- layer_norm


def _tokens(rng: np.random.Generator, *leading: int, d: int = 6) -> dict:
    """Tokens that are neither centred nor of size 1, with scales of either sign."""
    return {
        "x": 3 * rng.normal(size=(*leading, d)) + 2,
        "gamma": rng.normal(size=d),
        "beta": rng.normal(size=d),
    }


def _far_from_0(rng: np.random.Generator) -> dict:
    """Quarters and a width of 8, so that the mean is exact in float32 too."""
    inputs = _tokens(rng, 4, d=8)
    return inputs | {"x": 20 + rng.integers(-8, 9, size=(4, 8)) / 4}


def _hardly_different(rng: np.random.Generator) -> dict:
    """Variances near epsilon and far below it."""
    inputs = _tokens(rng, 2, 4)
    return inputs | {"x": rng.normal(size=(2, 4, 6)) * np.geomspace(1e-4, 1e-2, 4)[:, None]}


def _constant(rng: np.random.Generator) -> dict:
    """Whole numbers, whose mean is exact; one token in the middle is as usual."""
    inputs = _tokens(rng, 5)
    x = np.repeat(rng.integers(-9, 10, size=(5, 1)), 6, axis=1).astype(float)
    x[2] = rng.normal(size=6)
    return inputs | {"x": x}


def _float32(inputs: dict) -> dict:
    return {name: array.astype(np.float32) for name, array in inputs.items()}


def _column_by_column(inputs: dict) -> dict:
    return {name: np.asfortranarray(array) for name, array in inputs.items()}


def _over(axis):
    """Right but for the axes of mean and variance; None is all of them."""

    def wrong(x, gamma, beta, eps=1e-5):
        mean, variance = x.mean(axis, keepdims=True), x.var(axis, keepdims=True)
        return gamma * (x - mean) / np.sqrt(variance + eps) + beta

    return wrong


def _divided_by(size: Callable[[np.ndarray, float], np.ndarray]):
    """Right but for what the centred token is divided by, a function of the token and epsilon."""
    return lambda x, gamma, beta, eps=1e-5: (
        gamma * (x - x.mean(-1, keepdims=True)) / size(x, eps) + beta
    )


def _standard(x: np.ndarray, eps: float) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


layer_norm = Check(
    reference=reference.layer_norm,
    from_scratch=("layer_norm", "LayerNorm"),
    cases={
        "one sequence": lambda rng: _tokens(rng, 4),
        "a batch of sequences": lambda rng: _tokens(rng, 2, 4),
        "two leading axes": lambda rng: _tokens(rng, 2, 3, 4),
        "a single token, without any other axis": _tokens,
        "numbers that hardly differ": _hardly_different,
        "numbers that do not differ": _constant,
        "a common offset of 20": _far_from_0,
        "two numbers for each token": lambda rng: _tokens(rng, 4, d=2),
        "one number for each token": lambda rng: _tokens(rng, 4, d=1),
        "another epsilon": lambda rng: _tokens(rng, 2, 4) | {"eps": 0.5},
        "whole numbers": lambda rng: _tokens(rng, 4) | {"x": rng.integers(-9, 10, size=(4, 6))},
        "float32 numbers": lambda rng: _float32(_tokens(rng, 2, 4)),
        "stored column by column": lambda rng: _column_by_column(_tokens(rng, 2, 4)),
    },
    mistakes={
        "The variance divides by d, not by d − 1: PyTorch's LayerNorm is biased.": _divided_by(
            lambda x, eps: np.sqrt(x.var(-1, keepdims=True, ddof=1) + eps)
        ),
        "Epsilon belongs inside the root; you added it to the standard deviation.": _divided_by(
            lambda x, eps: x.std(-1, keepdims=True) + eps
        ),
        "Two slips in one: the variance divides by d, and epsilon belongs inside the root.": (
            _divided_by(lambda x, eps: x.std(-1, keepdims=True, ddof=1) + eps)
        ),
        "Epsilon is missing: a token of equal numbers is divided by 0.": _divided_by(
            lambda x, eps: np.sqrt(x.var(-1, keepdims=True))
        ),
        "Epsilon is an argument: you used a number of your own.": (
            lambda x, gamma, beta, eps=1e-5: reference.layer_norm(x, gamma, beta)
        ),
        "Epsilon is added to the variance, not to the quotient.": (
            lambda x, gamma, beta, eps=1e-5: gamma * (_standard(x, 1e-30) + eps) + beta
        ),
        "Epsilon is always added; it is no lower bound.": _divided_by(
            lambda x, eps: np.sqrt(np.maximum(x.var(-1, keepdims=True), eps))
        ),
        "Divide by the root of the variance; you left out the root.": _divided_by(
            lambda x, eps: x.var(-1, keepdims=True) + eps
        ),
        "Divide by the root of the variance; you squared it.": _divided_by(
            lambda x, eps: (x.var(-1, keepdims=True) + eps) ** 2
        ),
        "The root is taken of the variance; you took it of the standard deviation.": (
            _divided_by(lambda x, eps: np.sqrt(x.std(-1, keepdims=True) + eps))
        ),
        "The variance is a mean of squares, not their sum.": _divided_by(
            lambda x, eps: np.sqrt(x.var(-1, keepdims=True) * x.shape[-1] + eps)
        ),
        "The variance is a mean of squares, not of absolute values.": _divided_by(
            lambda x, eps: np.abs(x - x.mean(-1, keepdims=True)).mean(-1, keepdims=True) + eps
        ),
        "The squares in the variance are those of the numbers without their mean.": _divided_by(
            lambda x, eps: np.sqrt((x**2).mean(-1, keepdims=True) + eps)
        ),
        "Take the mean away: this is RMSNorm, which leaves it in.": (
            lambda x, gamma, beta, eps=1e-5: (
                gamma * x / np.sqrt((x**2.0).mean(-1, keepdims=True) + eps) + beta
            )
        ),
        "This is RMSNorm: LayerNorm takes the mean away too, and adds beta.": (
            lambda x, gamma, beta, eps=1e-5: (
                gamma * x / np.sqrt((x**2.0).mean(-1, keepdims=True) + eps)
            )
        ),
        "Take the mean away above the line too, not only in the variance.": (
            lambda x, gamma, beta, eps=1e-5: (
                gamma * x / np.sqrt(x.var(-1, keepdims=True) + eps) + beta
            )
        ),
        "Divide by the standard deviation too; taking the mean away is half of it.": (
            _divided_by(lambda x, eps: np.ones(1))
        ),
        "Each token has its own mean and variance; these are those of the whole array.": (
            _over(None)
        ),
        "Mean and variance are over the features; you took them over the first axis.": _over(0),
        "The features are the last axis, which is the second only without a batch.": _over(1),
        "Mean and variance are over the features of a token; yours are over the tokens.": (
            _over(-2)
        ),
        "Mean and variance are over the features alone; you took tokens and features together.": (
            _over((-2, -1))
        ),
        "gamma and beta are missing: the model scales and shifts each feature.": (
            lambda x, gamma, beta, eps=1e-5: _standard(x, eps)
        ),
        "gamma is missing: it scales each feature.": (
            lambda x, gamma, beta, eps=1e-5: _standard(x, eps) + beta
        ),
        "beta is missing: it shifts each feature.": (
            lambda x, gamma, beta, eps=1e-5: gamma * _standard(x, eps)
        ),
        "Scale first, then shift: gamma does not multiply beta.": (
            lambda x, gamma, beta, eps=1e-5: gamma * (_standard(x, eps) + beta)
        ),
        "gamma scales and beta shifts; you swapped them.": (
            lambda x, gamma, beta, eps=1e-5: beta * _standard(x, eps) + gamma
        ),
        "gamma is the whole factor: do not add 1 to it.": (
            lambda x, gamma, beta, eps=1e-5: (1 + gamma) * _standard(x, eps) + beta
        ),
        "gamma and beta have an entry for each feature; you used the first for all.": (
            lambda x, gamma, beta, eps=1e-5: gamma[0] * _standard(x, eps) + beta[0]
        ),
    },
    atol=FLOAT32,
)

# ---- encoder_layer


def _layer(
    rng: np.random.Generator, *leading: int, n: int = 5, d: int = 12, h: int = 3, d_ff: int = 10
) -> dict:
    """No two axes have the same size, so no wrong axis goes unseen."""
    return {
        "x": 2 * rng.normal(size=(*leading, n, d)) + 1,
        "P": {
            "W": rng.normal(size=(3 * d, d)) / 3,
            "b": rng.normal(size=3 * d),
            "Wo": rng.normal(size=(d, d)) / 3,
            "bo": rng.normal(size=d),
            "W1": rng.normal(size=(d, d_ff)) / 3,
            "b1": rng.normal(size=d_ff),
            "W2": rng.normal(size=(d_ff, d)) / 3,
            "b2": rng.normal(size=d),
            "gamma1": rng.uniform(0.5, 2, size=d),
            "beta1": rng.normal(size=d),
            "gamma2": rng.uniform(0.5, 2, size=d),
            "beta2": rng.normal(size=d),
        },
        "h": h,
    }


def _masked(rng: np.random.Generator, mask: np.ndarray, norm_first: bool, *leading: int) -> dict:
    return _layer(rng, *leading) | {"mask": mask, "norm_first": norm_first}


def _padding(rng: np.random.Generator) -> np.ndarray:
    """(2, 1, 1, 5): the last tokens are padding, one or two of each sequence."""
    lengths = np.array([3, 4])[rng.permutation(2)]
    return (np.arange(5) < lengths[:, None])[:, None, None, :]


def _nowhere(rng: np.random.Generator) -> np.ndarray:
    """(2, 1, 5, 5): others for each query, and one query of the second sequence sees none."""
    mask = rng.random((2, 1, 5, 5)) < 0.6
    mask[..., np.arange(5), rng.permutation(5)] = True
    mask[1, 0, rng.integers(5)] = False
    return mask


def _sharp(rng: np.random.Generator, norm_first: bool) -> dict:
    """Scores in the thousands in the first head, with a clear winner in each row."""
    inputs = _layer(rng, n=4)
    inputs["x"] = 40 * np.eye(4, 12)[rng.permutation(4)]
    inputs["P"]["W"][:24] = 30 * np.vstack([np.eye(12), np.eye(12)])
    inputs["P"]["b"][:24] = 0
    return inputs | {"mask": None, "norm_first": norm_first}


def _changed(inputs: dict, change: Callable[[np.ndarray], np.ndarray]) -> dict:
    """With every array of numbers changed."""
    P = {name: change(array) for name, array in inputs["P"].items()}
    return inputs | {"x": change(inputs["x"]), "P": P}


# A wiring is a function of the tokens, attention, FFN and the two norms.


def _post(x, attend, feed, norm1, norm2):
    y = norm1(x + attend(x))
    return norm2(y + feed(y))


def _pre(x, attend, feed, norm1, norm2):
    y = x + attend(norm1(x))
    return y + feed(norm2(y))


def _normed_branches(x, attend, feed, norm1, norm2):
    y = x + norm1(attend(x))
    return y + norm2(feed(y))


def _skip_from_the_norm(x, attend, feed, norm1, norm2):
    x = norm1(x)
    y = norm2(x + attend(x))
    return y + feed(y)


def _first_skip_from_the_norm(x, attend, feed, norm1, norm2):
    x = norm1(x)
    y = x + attend(x)
    return y + feed(norm2(y))


def _second_skip_from_the_norm(x, attend, feed, norm1, norm2):
    y = norm2(x + attend(norm1(x)))
    return y + feed(y)


def _scaled(scores: np.ndarray, d_head: int, d: int) -> np.ndarray:
    return scores / np.sqrt(d_head)


def _split(x: np.ndarray, h: int) -> np.ndarray:
    return np.swapaxes(x.reshape(*x.shape[:-1], h, -1), -3, -2)


def _split_by_shape(x: np.ndarray, h: int) -> np.ndarray:
    """The heads get pieces of the whole sequence, not parts of each token."""
    return x.reshape(*x.shape[:-2], h, x.shape[-2], -1)


def _split_in_turn(x: np.ndarray, h: int) -> np.ndarray:
    """Feature i goes to head i modulo h."""
    return np.swapaxes(np.swapaxes(x.reshape(*x.shape[:-1], -1, h), -1, -2), -3, -2)


def _merge(heads: np.ndarray) -> np.ndarray:
    back = np.swapaxes(heads, -3, -2)
    return back.reshape(*back.shape[:-2], -1)


def _merge_by_shape(heads: np.ndarray) -> np.ndarray:
    *leading, h, n, d_head = heads.shape
    return heads.reshape(*leading, n, h * d_head)


def _weights(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Zeros where a query may look nowhere."""
    if mask is None:
        return softmax(scores)
    mask = np.broadcast_to(mask, scores.shape)
    anywhere = mask.any(-1, keepdims=True)
    return np.where(anywhere, softmax(np.where(mask | ~anywhere, scores, -np.inf)), 0)


def _never_masked(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return softmax(scores)


def _where_masked(fill: Callable[[np.ndarray, np.ndarray], np.ndarray]):
    """The softmax of the scores after `fill` has used the mask, if there is one."""
    return lambda scores, mask: softmax(scores if mask is None else fill(scores, mask))


def _masked_late(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return softmax(scores) if mask is None else softmax(scores) * mask


def _unshifted(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    powers = np.exp(scores) if mask is None else np.exp(scores) * mask
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def _nan_where_nowhere(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    if mask is None:
        return softmax(scores)
    mask = np.broadcast_to(mask, scores.shape)
    weights = _weights(scores, mask)
    return np.where(mask.any(-1, keepdims=True), weights, np.nan)


def _over_queries(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    turned = None if mask is None else np.swapaxes(np.broadcast_to(mask, scores.shape), -1, -2)
    return np.swapaxes(_weights(np.swapaxes(scores, -1, -2), turned), -1, -2)


def _attention(
    x: np.ndarray,
    P: dict,
    h: int,
    mask: np.ndarray | None,
    source: np.ndarray | None = None,
    projected: Callable = lambda x, W, b: x @ W.T + b,
    order: str = "QKV",
    values: Callable = lambda V, source: V,
    split: Callable = _split,
    scale: Callable = _scaled,
    weigh: Callable = _weights,
    merge: Callable = _merge,
    mix: Callable = lambda merged, Wo, bo: merged @ Wo.T + bo,
) -> np.ndarray:
    """Multi-head attention with a part of it changed."""
    source = x if source is None else source
    Ws = dict(zip(order, np.split(P["W"], 3), strict=True))
    bs = dict(zip(order, np.split(P["b"], 3), strict=True))
    Q = projected(x, Ws["Q"], bs["Q"])
    K = projected(source, Ws["K"], bs["K"])
    V = values(projected(source, Ws["V"], bs["V"]), source)
    Q, K, V = (split(part, h) for part in (Q, K, V))
    weights = weigh(scale(Q @ np.swapaxes(K, -1, -2), Q.shape[-1], x.shape[-1]), mask)
    return mix(merge(weights @ V), P["Wo"], P["bo"])


def _feed(x: np.ndarray, P: dict, bend: Callable = lambda z: np.maximum(0, z)) -> np.ndarray:
    return bend(x @ P["W1"] + P["b1"]) @ P["W2"] + P["b2"]


def _gelu(z: np.ndarray) -> np.ndarray:
    return z / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))


def _norm(x, gamma, beta):
    return gamma * _standard(x, 1e-5) + beta


def _made_of(post=_post, pre=_pre, feed=_feed, norm=_norm, norms="12", heads=None, **changes):
    """An encoder layer with a part of it changed; `changes` are those of `_attention`."""

    def wrong(x, P, h, mask=None, norm_first=False):
        h = heads or h
        norm1, norm2 = (
            lambda x, i=i: norm(x, P[f"gamma{i}"], P[f"beta{i}"]) for i in norms
        )  # bound now, since both are called later
        return (pre if norm_first else post)(
            x,
            lambda x, source=None: _attention(x, P, h, mask, source, **changes),
            lambda x: feed(x, P),
            norm1,
            norm2,
        )

    return wrong


def _both(wiring):
    """The same mistake before and after: a wiring that is also told whether to normalize first."""
    return _made_of(
        post=lambda *parts: wiring(False, *parts), pre=lambda *parts: wiring(True, *parts)
    )


@_both
def _no_skips(first, x, attend, feed, norm1, norm2):
    return feed(norm2(attend(norm1(x)))) if first else norm2(feed(norm1(attend(x))))


@_both
def _no_skip_around_attention(first, x, attend, feed, norm1, norm2):
    y = attend(norm1(x)) if first else norm1(attend(x))
    return y + feed(norm2(y)) if first else norm2(y + feed(y))


@_both
def _no_skip_around_feeding(first, x, attend, feed, norm1, norm2):
    y = x + attend(norm1(x)) if first else norm1(x + attend(x))
    return feed(norm2(y)) if first else norm2(feed(y))


@_both
def _only_feeding_at_the_end(first, x, attend, feed, norm1, norm2):
    return feed(x + attend(norm1(x)) if first else norm1(x + attend(x)))


@_both
def _no_norms(first, x, attend, feed, norm1, norm2):
    y = x + attend(x)
    return y + feed(y)


@_both
def _second_skip_from_x(first, x, attend, feed, norm1, norm2):
    y = x + attend(norm1(x)) if first else norm1(x + attend(x))
    return x + feed(norm2(y)) if first else norm2(x + feed(y))


@_both
def _side_by_side(first, x, attend, feed, norm1, norm2):
    if first:
        return x + attend(norm1(x)) + feed(norm2(x))
    return norm2(norm1(x + attend(x)) + feed(x))


@_both
def _feeding_first(first, x, attend, feed, norm1, norm2):
    return (_pre if first else _post)(x, feed, attend, norm1, norm2)


@_both
def _no_attention(first, x, attend, feed, norm1, norm2):
    return x + feed(norm2(x)) if first else norm2(x + feed(x))


@_both
def _no_feeding(first, x, attend, feed, norm1, norm2):
    return x + attend(norm1(x)) if first else norm1(x + attend(x))


def _one_norm_at_the_end(x, attend, feed, norm1, norm2):
    y = x + attend(x)
    return norm2(y + feed(y))


def _one_norm_at_the_start(x, attend, feed, norm1, norm2):
    y = x + attend(norm1(x))
    return y + feed(y)


def _only_the_queries_normed(x, attend, feed, norm1, norm2):
    y = x + attend(norm1(x), x)
    return y + feed(norm2(y))


_CAUSAL = np.tril(np.ones((5, 5), bool))

encoder_layer = Check(
    reference=reference.encoder_layer,
    from_scratch=("TransformerEncoderLayer", "MultiheadAttention", "LayerNorm"),
    cases={
        "one sequence": _layer,
        "a batch of sequences": lambda rng: _layer(rng, 2),
        "a batch, pre-norm": lambda rng: _layer(rng, 2) | {"mask": None, "norm_first": True},
        "padding": lambda rng: _masked(rng, _padding(rng), False, 2),
        "padding, pre-norm": lambda rng: _masked(rng, _padding(rng), True, 2),
        "a causal mask": lambda rng: _masked(rng, _CAUSAL, False),
        "a causal mask, pre-norm": lambda rng: _masked(rng, _CAUSAL, True, 2),
        "a query that may look nowhere": lambda rng: _masked(rng, _nowhere(rng), False, 2),
        "a query that may look nowhere, pre-norm": lambda rng: _masked(rng, _nowhere(rng), True, 2),
        "scores in the thousands": lambda rng: _sharp(rng, False),
        "scores in the thousands, pre-norm": lambda rng: _sharp(rng, True),
        "a single head": lambda rng: _layer(rng, 2, h=1),
        "a single token": lambda rng: _layer(rng, 2, n=1) | {"mask": None, "norm_first": True},
        "float32 numbers": lambda rng: _changed(_layer(rng, 2), lambda a: a.astype(np.float32)),
        "stored column by column": lambda rng: _changed(_layer(rng, 2), np.asfortranarray),
    },
    mistakes={
        "norm_first has no effect: pre-norm normalizes what goes into a sublayer.": (
            _made_of(pre=_post)
        ),
        "Without norm_first the sum is normalized: you always use pre-norm.": _made_of(post=_pre),
        "You swapped pre-norm and post-norm.": _made_of(post=_pre, pre=_post),
        "Post-norm normalizes the sum; you normalized the sublayer's output and then added.": (
            _made_of(post=_normed_branches)
        ),
        "In pre-norm the skip adds the tokens as they were before the norm.": (
            _made_of(pre=_skip_from_the_norm)
        ),
        "In pre-norm the first skip, too, adds the tokens as they were before the norm.": (
            _made_of(pre=_first_skip_from_the_norm)
        ),
        "In pre-norm the second skip, too, adds the tokens as they were before the norm.": (
            _made_of(pre=_second_skip_from_the_norm)
        ),
        "In pre-norm keys and values come from the normalized tokens too.": (
            _made_of(pre=_only_the_queries_normed)
        ),
        "In post-norm both sums are normalized, not only the last.": (
            _made_of(post=_one_norm_at_the_end)
        ),
        "In pre-norm the FFN gets normalized tokens too.": _made_of(pre=_one_norm_at_the_start),
        "Both skips are missing: add what went in to what comes out.": _no_skips,
        "The skip around attention is missing.": _no_skip_around_attention,
        "The skip around the FFN is missing.": _no_skip_around_feeding,
        "The FFN has a skip and a norm of its own; both are missing.": _only_feeding_at_the_end,
        "The skip around the FFN adds what went into the second half, not the layer's input.": (
            _second_skip_from_x
        ),
        "Both norms are missing.": _no_norms,
        "The two norms have parameters of their own; you used the first twice.": (
            _made_of(norms="11")
        ),
        "The two norms have parameters of their own; you used the second twice.": (
            _made_of(norms="22")
        ),
        "The first norm belongs to attention, the second to the FFN; you swapped them.": (
            _made_of(norms="21")
        ),
        "The FFN works on what attention has made, not beside it.": _side_by_side,
        "Attention comes first, then the FFN.": _feeding_first,
        "Attention is missing.": _no_attention,
        "The FFN is missing.": _no_feeding,
        "The variance of LayerNorm divides by d, not by d − 1.": _made_of(
            norm=lambda x, gamma, beta: (
                gamma
                * (x - x.mean(-1, keepdims=True))
                / np.sqrt(x.var(-1, keepdims=True, ddof=1) + 1e-5)
                + beta
            )
        ),
        "LayerNorm is over the features of a token, not over the tokens.": _made_of(
            norm=lambda x, gamma, beta: _over(-2)(x, gamma, beta)
        ),
        "The scale and shift of the norms, gamma and beta, are missing.": _made_of(
            norm=lambda x, gamma, beta: _standard(x, 1e-5)
        ),
        "The ReLU of the FFN is missing.": _made_of(feed=lambda x, P: _feed(x, P, lambda z: z)),
        "This FFN has a GELU; the task asks for the ReLU.": _made_of(
            feed=lambda x, P: _feed(x, P, _gelu)
        ),
        "The ReLU stands between the two matrices of the FFN, not after them.": _made_of(
            feed=lambda x, P: np.maximum(0, _feed(x, P, lambda z: z))
        ),
        "The scale is missing: divide the scores by the root of a head's width.": _made_of(
            scale=lambda scores, d_head, d: scores
        ),
        "Divide the scores by the root of a head's width, not of d.": _made_of(
            scale=lambda scores, d_head, d: scores / np.sqrt(d)
        ),
        "You used a single head of the full width.": _made_of(heads=1),
        "A head gets its part of each token: a new shape alone mixes tokens and features.": (
            _made_of(split=_split_by_shape)
        ),
        "A head's features stand next to each other; you dealt them out in turn.": _made_of(
            split=_split_in_turn, merge=_merge
        ),
        "Before merging, put the heads back beside the features of their tokens.": _made_of(
            merge=_merge_by_shape
        ),
        "The heads are mixed by Wo and bo, which are missing.": _made_of(
            mix=lambda merged, Wo, bo: merged
        ),
        "Wo is transposed: PyTorch keeps a row for each output.": _made_of(
            mix=lambda merged, Wo, bo: merged @ Wo + bo
        ),
        "W is transposed: PyTorch keeps a row for each output.": _made_of(
            projected=lambda x, W, b: x @ W + b
        ),
        "The biases of the projections, b, are missing.": _made_of(
            projected=lambda x, W, b: x @ W.T
        ),
        "The parts of W are for queries, keys and values, in this order.": _made_of(order="KQV"),
        "The values are projected too: the tokens themselves are blended here.": _made_of(
            values=lambda V, source: source
        ),
        "The weights of a token sum to 1: take the softmax over the keys, not the queries.": (
            _made_of(weigh=_over_queries)
        ),
        "The mask has no effect.": _made_of(weigh=_never_masked),
        "The mask is inverted: true means that a query may look.": _made_of(
            weigh=lambda scores, mask: _weights(scores, None if mask is None else ~mask)
        ),
        "A score of 0 is not a weight of 0: do not multiply the scores by the mask.": _made_of(
            weigh=_where_masked(lambda scores, mask: scores * mask)
        ),
        "Mask the scores before the softmax; afterwards the weights no longer sum to 1.": (
            _made_of(weigh=_masked_late)
        ),
        "A query that may look nowhere gets zeros from attention, not an average.": _made_of(
            weigh=_where_masked(lambda scores, mask: np.where(mask, scores, -1e9))
        ),
        "A query that may look nowhere gets zeros from attention, not NaN.": _made_of(
            weigh=_nan_where_nowhere
        ),
        "exp of a large score overflows; shifting a token's scores alike changes no weight.": (
            _made_of(weigh=_unshifted)
        ),
    },
    atol=1e-4,  # sums of many terms in float32, which the norms then scale up
)
