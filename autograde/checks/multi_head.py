"""Checks of chapter `multi_head`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograde.check import Check
from autograde.checks.attention import FLOAT32, READY_MADE, unshifted
from autograde.reference import multi_head as reference
from autograde.reference.vectors import softmax

# No two axes have the same size, so no wrong axis goes unseen: a batch of 2, 3 heads of 4
# features each, 5 queries, 7 keys.
B, H, N, M, D = 2, 3, 5, 7, 12


def _float32(inputs: dict) -> dict:
    return _each(inputs, lambda array: array.astype(np.float32))


def _column_by_column(inputs: dict) -> dict:
    return _each(inputs, np.asfortranarray)


def _each(inputs: dict, change: Callable[[np.ndarray], np.ndarray]) -> dict:
    """Change every array but masks, those in a dict of parameters too."""

    def changed(value):
        if isinstance(value, dict):
            return _each(value, change)
        real = isinstance(value, np.ndarray) and value.dtype != bool
        return change(value) if real else value

    return {name: changed(value) for name, value in inputs.items()}


# ---- split_heads


def _rows(rng: np.random.Generator, *leading: int, n: int = N, d: int = D, h: int = H) -> dict:
    return {"x": rng.normal(size=(*leading, n, d)), "h": h}


def _and_refusal(split_heads, x, h):
    """The heads, and whether rows are refused that are one feature longer than can be split."""
    import numpy

    heads = split_heads(x, h)
    try:
        split_heads(numpy.concatenate([x, x[..., :1]], axis=-1), h)
    except ValueError:
        return heads, True
    return heads, False


def _cut(x: np.ndarray, h: int) -> np.ndarray:
    """(..., n, h, d / h)."""
    return x.reshape(*x.shape[:-1], h, -1)


def _viewed(x: np.ndarray, h: int) -> np.ndarray:
    return x.reshape(*x.shape[:-2], h, x.shape[-2], -1)


def _interleaved(x: np.ndarray, h: int) -> np.ndarray:
    return np.moveaxis(x.reshape(*x.shape[:-1], -1, h), -1, -3)


def _in_the_batch(x: np.ndarray, h: int) -> np.ndarray:
    return reference.split_heads(x, h).reshape(-1, x.shape[-2], x.shape[-1] // h)


def _with_features_lost(x: np.ndarray, h: int) -> np.ndarray:
    return reference.split_heads(x[..., : x.shape[-1] // h * h], h)


def _with_one_leading_axis(x: np.ndarray, h: int) -> np.ndarray:
    batch, n, d = x.shape
    return reference.split_heads(x.reshape(batch, n, d), h)


split_heads = Check(
    reference=reference.split_heads,
    cases={
        "a batch of sequences": lambda rng: _rows(rng, B),
        "one sequence": _rows,
        "two leading axes": lambda rng: _rows(rng, 6, B),
        "as many words as heads": lambda rng: _rows(rng, B, n=H),
        "a single word": lambda rng: _rows(rng, B, n=1),
        "a single head": lambda rng: _rows(rng, B, h=1),
        "heads of one feature": lambda rng: _rows(rng, B, h=D),
        "float32 numbers": lambda rng: _float32(_rows(rng, B)),
        "stored column by column": lambda rng: _column_by_column(_rows(rng, B)),
    },
    mistakes={
        "A new shape alone mixes words: cut each row, then move the axis of the heads.": _viewed,
        "A head takes neighbouring features, not every h-th one.": _interleaved,
        "The axis of the heads comes before the one of the words.": _cut,
        "A head keeps words as rows and features as columns; you swapped these two.": (
            lambda x, h: np.swapaxes(reference.split_heads(x, h), -1, -2)
        ),
        "The axis of the heads comes after those of the batch, not first.": (
            lambda x, h: np.stack(np.split(x, h, axis=-1))
        ),
        "The heads have an axis of their own: do not count them to the batch.": _in_the_batch,
        "Any number of axes may come before the last two, none too; you count on one.": (
            _with_one_leading_axis
        ),
        "Raise ValueError where h does not divide d; you lose the features that are left over.": (
            _with_features_lost
        ),
    },
    probe=_and_refusal,
    returns=("heads", "refusal"),
)

# ---- merge_heads


def _parts(
    rng: np.random.Generator, *leading: int, h: int = H, n: int = N, d_head: int = 4
) -> dict:
    return {"heads": rng.normal(size=(*leading, h, n, d_head))}


def _merged_with_one_leading_axis(heads: np.ndarray) -> np.ndarray:
    batch, h, n, d_head = heads.shape
    return np.transpose(heads, (0, 2, 1, 3)).reshape(batch, n, h * d_head)


def _merged_by_shape(heads: np.ndarray) -> np.ndarray:
    *leading, h, n, d_head = heads.shape
    return heads.reshape(*leading, n, h * d_head)


def _merged_from_the_batch(heads: np.ndarray) -> np.ndarray:
    """Heads that were put before the batch, and not brought back."""
    *leading, h, n, d_head = heads.shape
    return np.moveaxis(heads, -3, 0).reshape(*leading, n, h * d_head)


def _woven(heads: np.ndarray) -> np.ndarray:
    """The first features of all heads, then the second ones."""
    *leading, h, n, d_head = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*leading, n, h * d_head)


merge_heads = Check(
    reference=reference.merge_heads,
    cases={
        "a batch of sequences": lambda rng: _parts(rng, B),
        "one sequence": _parts,
        "two leading axes": lambda rng: _parts(rng, 6, B),
        "as many words as heads": lambda rng: _parts(rng, B, n=H),
        "a single word": lambda rng: _parts(rng, B, n=1),
        "a single head": lambda rng: _parts(rng, B, h=1),
        "heads of one feature": lambda rng: _parts(rng, B, d_head=1),
        "float32 numbers": lambda rng: _float32(_parts(rng, B)),
        "stored column by column": lambda rng: _column_by_column(_parts(rng, B)),
    },
    mistakes={
        "A new shape alone mixes words: move the axis of the heads next to the features first.": (
            _merged_by_shape
        ),
        "A row holds all features of the first head, then the second's; do not weave them.": (
            _woven
        ),
        "Put the heads side by side; you added them up.": lambda heads: heads.sum(-3),
        "Put the heads side by side; you averaged them.": lambda heads: heads.mean(-3),
        "Put the heads side by side, not one below the other.": (
            lambda heads: heads.reshape(*heads.shape[:-3], -1, heads.shape[-1])
        ),
        "Words stay rows and features columns; you swapped these two.": (
            lambda heads: np.swapaxes(reference.merge_heads(heads), -1, -2)
        ),
        "The heads are on the third axis from the end, which is the first only without a batch.": (
            lambda heads: np.concatenate(list(heads), axis=-1)
        ),
        "The batch comes first: bring its axis back before you give the array a new shape.": (
            _merged_from_the_batch
        ),
        "Any number of axes may come before the last three, none too; you count on one.": (
            _merged_with_one_leading_axis
        ),
    },
)

# ---- multi_head


def _parameters(rng: np.random.Generator, d: int) -> dict:
    return {
        "W": rng.normal(size=(3 * d, d)) / 2,
        "b": rng.normal(size=3 * d),
        "Wo": rng.normal(size=(d, d)) / 2,
        "bo": rng.normal(size=d),
    }


def _pair(rng: np.random.Generator, *leading: int, n: int = N, m: int = M, h: int = H) -> dict:
    return {
        "x": rng.normal(size=(*leading, n, D)),
        "y": rng.normal(size=(*leading, m, D)),
        "P": _parameters(rng, D),
        "h": h,
    }


def _itself(rng: np.random.Generator) -> dict:
    inputs = _pair(rng, B)
    return inputs | {"y": inputs["x"]}


def _whole_pair(rng: np.random.Generator) -> dict:
    """A head has 4 features, so that dividing by their root is exact in float32 too."""
    return _each(_pair(rng, B), lambda array: rng.integers(-1, 2, size=array.shape))


def _shifted_rows(rng: np.random.Generator, *shifts: float) -> dict:
    """All scores of a query move by its shift, which changes no weight; exact in float32."""
    inputs = _each(_whole_pair(rng), lambda array: array.astype(float))
    W, b, firsts = inputs["P"]["W"], inputs["P"]["b"], np.arange(0, D, D // H)
    inputs["x"][..., 0] = np.array(shifts) / 20
    W[:D, 0] = 0  # the first feature of x goes into the first number of each head's query alone,
    W[firsts] = np.eye(1, D)
    W[D + firsts] = 0  # whose partner in every key is 40
    b[firsts], b[D + firsts] = 0, 40
    return inputs


def _masked(rng: np.random.Generator, *shape: int, inputs: dict | None = None) -> dict:
    """At least two keys may be looked at and two may not, wherever the mask has keys."""
    mask = rng.random(shape).argsort(axis=-1) >= rng.integers(2, M - 1, size=(*shape[:-1], 1))
    return (inputs or _pair(rng, B)) | {"mask": mask}


def _nowhere(rng: np.random.Generator) -> dict:
    inputs = _masked(rng, B, 1, N, M)
    inputs["mask"][0, :, 1] = False
    return inputs


def _nothing_but_padding(rng: np.random.Generator) -> dict:
    inputs = _masked(rng, B, 1, 1, M)
    inputs["mask"][rng.integers(B)] = False
    return inputs


def _project(x: np.ndarray, y: np.ndarray, P: dict) -> tuple[np.ndarray, ...]:
    d = x.shape[-1]
    (Q, K, V), (q, k, v) = P["W"].reshape(3, d, d), P["b"].reshape(3, d)
    return x @ Q.T + q, y @ K.T + k, y @ V.T + v


def _wrong(
    project: Callable = _project,
    split: Callable = reference.split_heads,
    flip: Callable = lambda K: np.swapaxes(K, -1, -2),
    scale: Callable = lambda Q, x: 1 / np.sqrt(Q.shape[-1]),
    weigh: Callable = reference._softmax,
    blend: Callable = lambda weights, K, V: weights @ V,
    merge: Callable = reference.merge_heads,
    mix: Callable = lambda merged, P: merged @ P["Wo"].T + P["bo"],
    give: Callable = lambda output, weights, scores: (output, weights),
) -> Callable:
    """multi_head but for the steps that are given; without any it is right."""

    def wrong(x, y, P, h, mask=None):
        Q, K, V = (split(part, h) for part in project(x, y, P))
        scores = Q @ flip(K) * scale(Q, x)
        weights = weigh(scores, mask)
        return give(mix(merge(blend(weights, K, V)), P), weights, scores)

    return wrong


def _with_parameters(change: Callable[[dict, int], dict]) -> Callable:
    """multi_head with other parameters than those given."""
    return lambda x, y, P, h, mask=None: reference.multi_head(x, y, P | change(P, h), h, mask)


def _only_own_features(P: dict, h: int) -> dict:
    """What is left of W when every head sees no more than its own features."""
    d = len(P["bo"])
    own = np.kron(np.eye(h), np.ones((d // h, d // h)))
    return {"W": P["W"] * np.tile(own, (3, 1))}


def _first_rows(P: dict, h: int) -> dict:
    return {name: reference.symmetric_init(P, h)[name] for name in ("W", "b")}


def _thirds_of_heads(P: dict, h: int) -> dict:
    """The rows of W taken to be those of Q, K and V of the first head, then of the second."""

    def sorted_out(rows: np.ndarray) -> np.ndarray:
        return np.moveaxis(rows.reshape(h, 3, -1, *rows.shape[1:]), 0, 1).reshape(rows.shape)

    return {"W": sorted_out(P["W"]), "b": sorted_out(P["b"])}


def _in_order(*order: int) -> Callable[[dict, int], dict]:
    """The thirds of W taken in another order."""

    def change(P: dict, h: int) -> dict:
        thirds = {name: np.split(P[name], 3) for name in ("W", "b")}
        return {name: np.concatenate([thirds[name][i] for i in order]) for name in thirds}

    return change


def _turned(P: dict, h: int) -> dict:
    return {"W": np.concatenate([W.T for W in np.split(P["W"], 3)])}


def _from_the_queries(x: np.ndarray, y: np.ndarray, P: dict) -> tuple[np.ndarray, ...]:
    Q = _project(x, y, P)[0]
    return Q, *_project(Q, Q, P)[1:]


def _bent(x: np.ndarray, y: np.ndarray, P: dict) -> tuple[np.ndarray, ...]:
    return tuple(np.maximum(0, part) for part in _project(x, y, P))


def _one_small_matrix(P: dict, h: int) -> dict:
    """All heads project their own features, with what the first head has for its own."""
    size = len(P["bo"]) // h
    return {
        "W": np.concatenate([np.kron(np.eye(h), W[:size, :size]) for W in np.split(P["W"], 3)]),
        "b": np.concatenate([np.tile(b[:size], h) for b in np.split(P["b"], 3)]),
    }


def _over(*axes: int) -> Callable:
    """A softmax over other axes than the keys', and zeros where the mask allows nothing."""

    def weigh(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        highest = scores.max(axis=axes, keepdims=True)
        powers = np.exp(scores - np.where(np.isneginf(highest), 0, highest))
        total = powers.sum(axis=axes, keepdims=True)
        return powers / np.where(total == 0, 1, total)

    return weigh


def _shifted_by(highest: Callable[[np.ndarray], np.ndarray | float]) -> Callable:
    """A softmax that takes something else than each query's highest score from its scores."""

    def weigh(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
        scores = scores - highest(scores)
        if mask is None:
            return unshifted(scores)
        weights = unshifted(np.where(mask, scores, -np.inf))
        return np.where(mask.any(-1, keepdims=True), weights, 0)

    return weigh


def _if_masked(weigh: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable:
    """Right where there is no mask."""
    return lambda scores, mask: softmax(scores) if mask is None else weigh(scores, mask)


def _scaled_too_late(x, y, P, h, mask=None):
    root = np.sqrt(x.shape[-1] // h)
    weigh = reference._softmax
    late = _wrong(scale=lambda Q, x: 1, weigh=lambda scores, mask: weigh(scores, mask) / root)
    return late(x, y, P, h, mask)


def _without_softmax(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    return scores if mask is None else np.where(mask, scores, 0)


def _sum_to_1_or_0(arguments: Mapping, answer: list) -> bool:
    mask = arguments.get("mask")
    sums = answer[1].sum(-1, dtype=np.float64)
    allowed = 1.0 if mask is None else np.broadcast_to(mask, answer[1].shape).any(-1)
    return np.allclose(sums, allowed, rtol=0, atol=1e-4)


# Mistakes that a layer of torch can hold too.
_IN_ANY_LAYER = {
    "A head's keys are shorter than a word: divide by the square root of d_head, not of d.": (
        _wrong(scale=lambda Q, x: 1 / np.sqrt(x.shape[-1]))
    ),
    "The scale is missing: divide the scores by the square root of d_head.": (
        _wrong(scale=lambda Q, x: 1)
    ),
    "Divide by the square root of d_head, not by d_head.": (
        _wrong(scale=lambda Q, x: 1 / Q.shape[-1])
    ),
    "Divide by the square root of d_head; you multiplied by it.": (
        _wrong(scale=lambda Q, x: np.sqrt(Q.shape[-1]))
    ),
    "With the axis of the heads d_head is no longer the size of the third axis.": (
        _wrong(scale=lambda Q, x: 1 / np.sqrt(Q.shape[2]))
    ),
    "Scale the scores before the softmax, not the weights after it.": _scaled_too_late,
    "Splitting by a new shape alone mixes words: cut each row, then move the heads' axis.": (
        _wrong(split=_viewed)
    ),
    "Before you merge, bring the axis of the heads back next to the features.": (
        _wrong(merge=_merged_by_shape)
    ),
    "Split and merge both need to move the axis of the heads: a new shape alone mixes words.": (
        _wrong(split=_viewed, merge=_merged_by_shape)
    ),
    "A head takes neighbouring features, not every h-th one.": (
        _wrong(split=_interleaved, merge=_woven)
    ),
    "In a head words look at words; your heads of one word look at each other.": (
        _wrong(split=_cut, merge=lambda heads: heads.reshape(*heads.shape[:-2], -1))
    ),
    "There must be h heads with weights of their own; you have one as wide as a word.": (
        lambda x, y, P, h, mask=None: reference.multi_head(x, y, P, 1)
    ),
    "Project first, then split: each head must see all features of a word.": (
        _with_parameters(_only_own_features)
    ),
    "Each head has projections of its own; all of yours use those of the first.": (
        _with_parameters(_first_rows)
    ),
    "What the heads saw must still be mixed by the last matrix, W_O.": (
        _wrong(mix=lambda merged, P: merged)
    ),
    "Keys and values come from y; yours come from x.": (
        lambda x, y, P, h, mask=None: _wrong()(x, x, P, h)
    ),
    "The queries come from x; yours come from y.": (
        lambda x, y, P, h, mask=None: _wrong()(y, y, P, h)
    ),
    "Queries come from x, keys and values from y; you swapped x and y.": (
        lambda x, y, P, h, mask=None: _wrong()(y, x, P, h)
    ),
    "Keys and values are projected from y, not from the queries.": (
        _wrong(project=_from_the_queries)
    ),
    "Queries, keys and values may be negative: no ReLU follows their projections.": (
        _wrong(project=_bent)
    ),
    "No ReLU follows any projection: not those of queries, keys and values, and not W_O.": (
        _wrong(project=_bent, mix=lambda merged, P: np.maximum(0, merged @ P["Wo"].T + P["bo"]))
    ),
    "No ReLU follows the projections, and W_O must still mix what the heads saw.": (
        _wrong(project=_bent, mix=lambda merged, P: merged)
    ),
    "The keys only decide the weights: blend the values.": (
        _wrong(blend=lambda weights, K, V: weights @ K)
    ),
    "The keys are to be transposed: a new shape alone mixes up their numbers.": (
        _wrong(flip=lambda K: K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]))
    ),
    "The weights of a query sum to 1: take the softmax over the keys, not the queries.": (
        _wrong(weigh=_over(-2))
    ),
    "The softmax runs over the keys, on the last axis; yours runs over the heads.": (
        _wrong(weigh=_over(-3))
    ),
    "The weights of each query sum to 1, not those of a whole head.": _wrong(weigh=_over(-1, -2)),
    "These are scores, not weights: the softmax is missing.": _wrong(weigh=_without_softmax),
    "Return the weights that made the output, not the scores.": (
        _wrong(give=lambda output, weights, scores: (output, scores))
    ),
    "Return the weights of every head; you averaged them over the heads.": (
        _wrong(give=lambda output, weights, scores: (output, weights.mean(-3)))
    ),
    "Return the output first, then the weights.": (
        _wrong(give=lambda output, weights, scores: (weights, output))
    ),
    "exp of a large score overflows; shifting a query's scores alike changes no weight.": (
        _wrong(weigh=_shifted_by(lambda scores: 0.0))
    ),
    "Far below the others a query's weights underflow to 0/0: each query needs a maximum of "
    "its own.": _wrong(weigh=_shifted_by(np.max)),
}

multi_head = Check(
    reference=reference.multi_head,
    from_scratch=READY_MADE,
    cases={
        "cross-attention": lambda rng: _pair(rng, B),
        "self-attention": _itself,
        "no batch": _pair,
        "two leading axes": lambda rng: _pair(rng, 6, B),
        "a single head": lambda rng: _pair(rng, B, h=1),
        "heads of one feature": lambda rng: _pair(rng, B, h=D),
        "a single query": lambda rng: _pair(rng, B, n=1),
        "a single key": lambda rng: _pair(rng, B, m=1),
        "padding that no query may look at": lambda rng: _masked(rng, B, 1, 1, M),
        "a mask for queries and keys": lambda rng: _masked(rng, N, M),
        "a mask for every head": lambda rng: _masked(rng, B, H, N, M),
        "a query that may look nowhere": _nowhere,
        "a sequence of nothing but padding": _nothing_but_padding,
        "scores near 1000": lambda rng: _shifted_rows(rng, 1000),
        "scores near −1000, and a mask": lambda rng: _masked(
            rng, B, 1, N, M, inputs=_shifted_rows(rng, -1000)
        ),
        "queries with scores far apart": lambda rng: _shifted_rows(rng, 1000, -1000, 0, 500, -500),
        "whole numbers": _whole_pair,
        "float32 numbers": lambda rng: _float32(_pair(rng, B)),
        "stored column by column": lambda rng: _column_by_column(_pair(rng, B)),
    },
    mistakes=_IN_ANY_LAYER
    | {
        "The batch comes first: bring its axis back before you merge the heads.": (
            _wrong(merge=_merged_from_the_batch)
        ),
        "Each head has projections of its own, from whole words: yours share one small matrix.": (
            _with_parameters(_one_small_matrix)
        ),
        "The biases b and bo are missing.": _with_parameters(
            lambda P, h: {"b": 0 * P["b"], "bo": 0 * P["bo"]}
        ),
        "The bias b of the queries, keys and values is missing.": (
            _with_parameters(lambda P, h: {"b": 0 * P["b"]})
        ),
        "The bias bo of the output is missing.": _with_parameters(lambda P, h: {"bo": 0 * P["bo"]}),
        "As in torch, a vector meets the rows of W: multiply by the transpose of each third.": (
            _with_parameters(_turned)
        ),
        "As in torch, a vector meets the rows of Wo: multiply by its transpose.": (
            _with_parameters(lambda P, h: {"Wo": P["Wo"].T})
        ),
        "W holds the rows for Q, then K, then V; you swapped Q and K.": (
            _with_parameters(_in_order(1, 0, 2))
        ),
        "W holds the rows for Q, then K, then V; you swapped K and V.": (
            _with_parameters(_in_order(0, 2, 1))
        ),
        "W holds all rows for Q, then K, then V; you took it head by head.": (
            _with_parameters(_thirds_of_heads)
        ),
        "The mask is not used: where it is False a query must not look.": (
            _wrong(weigh=lambda scores, mask: softmax(scores))
        ),
        "True means that a query may look; you took it for the opposite.": (
            lambda x, y, P, h, mask=None: reference.multi_head(
                x, y, P, h, None if mask is None else ~mask
            )
        ),
        "Mask the scores, before the softmax: weights that are cut later do not sum to 1.": (
            _wrong(weigh=_if_masked(lambda scores, mask: softmax(scores) * mask))
        ),
        "A score of 0 is no mask: its exponential is 1. Only minus infinity becomes 0.": (
            _wrong(weigh=_if_masked(lambda scores, mask: softmax(np.where(mask, scores, 0))))
        ),
        "A query that may look nowhere gets weights of 0, not NaN.": (
            _wrong(weigh=_if_masked(lambda scores, mask: softmax(np.where(mask, scores, -np.inf))))
        ),
        "A query that may look nowhere gets weights of 0; large negative scores make them alike.": (
            _wrong(weigh=_if_masked(lambda scores, mask: softmax(np.where(mask, scores, -1e9))))
        ),
        "Real scores may be lower than −100: mask with minus infinity.": (
            _wrong(weigh=_if_masked(lambda scores, mask: softmax(np.where(mask, scores, -100))))
        ),
    },
    properties={
        "The weights of a query sum to 1; to 0 if it may look nowhere.": _sum_to_1_or_0,
    },
    returns=("output", "weights"),
    atol=FLOAT32,
)

# ---- MultiHeadAttention


def _used(MultiHeadAttention, d_model, n_heads, loaded, x, y):
    """Build the layer, put these weights and no biases into it, run it as after training."""
    import sys

    import numpy

    torch: Any = sys.modules.get("torch")
    layer = MultiHeadAttention(d_model, n_heads)
    in_torch = torch is not None and isinstance(layer, torch.nn.Module)

    def given(array):
        if in_torch:
            return torch.from_numpy(numpy.asarray(array)).to(torch.get_default_dtype())
        return numpy.asarray(array)

    parameters = dict(layer.named_parameters())
    for name, parameter in parameters.items():
        values = parameter.data if in_torch else parameter
        values[...] = given(loaded.get(name, 0.0))
    output, weights = layer.eval()(given(x), given(y))
    learns = bool(output.requires_grad) if in_torch else True
    return output, weights, sum(int(numpy.prod(p.shape)) for p in parameters.values()), learns


def _loaded(P: dict) -> dict:
    names = ("W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight")
    return dict(zip(names, [*np.split(P["W"], 3), P["Wo"]], strict=True))


def _layer(inputs: dict) -> dict:
    """The same as for multi_head, for a layer without biases."""
    x, y, P, h = inputs.values()
    return {"d_model": D, "n_heads": h, "loaded": _loaded(P), "x": x, "y": y}


def _high_layer(rng: np.random.Generator, *shifts: float) -> dict:
    """As _shifted_rows; the 40 of every key comes from a feature of y that is always 1."""
    inputs = _shifted_rows(rng, *shifts)
    inputs["y"][..., 1] = 1
    inputs["P"]["W"][D + np.arange(0, D, D // H), 1] = 40
    return _layer(inputs)


def _layer_that(
    attend: Callable = reference.multi_head,
    left_out: str = "",
    biases: bool = False,
    renamed: tuple[str, ...] = (),
) -> type:
    """A layer like the reference that attends otherwise, or has other parameters."""

    class Layer(reference.MultiHeadAttention):
        def named_parameters(self):
            for name, weight in self.weights.items():
                layer = name.removesuffix(".weight")
                if layer != left_out:
                    yield f"other.{name}" if layer in renamed else name, weight
                if biases:
                    yield f"{layer}.bias", np.zeros(len(weight))

    Layer.attend = staticmethod(attend)
    return Layer


_WITHOUT_W_O = "What the heads saw must still be mixed by the last matrix, W_O."

MultiHeadAttention = Check(
    reference=reference.MultiHeadAttention,
    from_scratch=READY_MADE,
    cases={
        "cross-attention": lambda rng: _layer(_pair(rng, B)),
        "self-attention": lambda rng: _layer(_itself(rng)),
        "a batch of one": lambda rng: _layer(_pair(rng, 1)),
        "a single head": lambda rng: _layer(_pair(rng, B, h=1)),
        "heads of one feature": lambda rng: _layer(_pair(rng, B, h=D)),
        "a single query": lambda rng: _layer(_pair(rng, B, n=1)),
        "a single key": lambda rng: _layer(_pair(rng, B, m=1)),
        "scores near 1000": lambda rng: _high_layer(rng, 1000),
        "scores near −1000": lambda rng: _high_layer(rng, -1000),
        "queries with scores far apart": lambda rng: _high_layer(rng, 1000, -1000, 0, 500, -500),
        "stored column by column": lambda rng: _column_by_column(_layer(_pair(rng, B))),
    },
    mistakes={sentence: _layer_that(wrong) for sentence, wrong in _IN_ANY_LAYER.items()}
    | {
        _WITHOUT_W_O: _layer_that(_IN_ANY_LAYER[_WITHOUT_W_O], left_out="W_o"),
        "W_O is built but not used: mix with it what the heads saw.": (
            _layer_that(_IN_ANY_LAYER[_WITHOUT_W_O])
        ),
        "The four layers have no biases: tell them so where you make them.": (
            _layer_that(biases=True)
        ),
        "Name the layers W_q, W_k, W_v and W_o, so that weights can be put into them.": (
            _layer_that(renamed=("W_q", "W_k", "W_v", "W_o"))
        ),
        "The last layer must be named W_o, so that weights can be put into it.": (
            _layer_that(renamed=("W_o",))
        ),
    },
    properties={
        "The weights of a query must sum to 1.": _sum_to_1_or_0,
        "The output is cut off from the weights, which then cannot learn: stay in torch.": (
            lambda arguments, answer: answer[3]
        ),
    },
    probe=_used,
    returns=("output", "weights", "number of parameters", "connection to the weights"),
    atol=FLOAT32,
)

# ---- head_params

head_params = Check(
    reference=reference.head_params,
    cases={
        "a single head": lambda rng: {"d": int(rng.integers(5, 30)), "h": 1},
        "a few heads": lambda rng: {"d": 6 * int(rng.integers(2, 9)), "h": int(rng.choice([2, 3]))},
        "heads of one feature": lambda rng: dict.fromkeys("dh", int(rng.integers(5, 30))),
        "the sizes of the paper": lambda rng: {"d": 512, "h": 2 ** int(rng.integers(2, 5))},
    },
    mistakes={
        "Heads are narrow: h of them together are as large as one of full width.": (
            lambda d, h: 4 * d * d * h
        ),
        "The three matrices of a head have d/h columns each, not d.": (
            lambda d, h: 3 * d * d * h + d * d
        ),
        "W_O is missing.": lambda d, h: 3 * d * d,
        "This is the part of one head; count them all.": lambda d, h: 4 * d * d // h,
        "Each of the h heads has three matrices that take in all d features.": (
            lambda d, h: 3 * d * d // h + d * d
        ),
        "The layers have no biases here.": lambda d, h: 4 * d * d + 4 * d,
        "W_O is one matrix for all heads together.": lambda d, h: 3 * d * d + h * d * d,
    },
)

# ---- score_rank


def _form(rng: np.random.Generator, d: int, d_k: int) -> dict:
    return {"Wq": rng.normal(size=(d, d_k)), "Wk": rng.normal(size=(d, d_k))}


def _whole(rng: np.random.Generator, d: int, d_k: int) -> np.ndarray:
    """Whole numbers and of full rank, so that products of such matrices are exact."""
    W = np.triu(rng.integers(-2, 3, size=(d, d_k)), 1)
    np.fill_diagonal(W, 1)
    return W[rng.permutation(d)].astype(float)


def _dependent(rng: np.random.Generator, *names: str) -> dict:
    """The last columns of some matrices are sums of the first ones."""
    inputs = {"Wq": _whole(rng, 8, 5), "Wk": _whole(rng, 8, 5)}
    for name in names:
        W = inputs[name]
        W[:, 3] = W[:, 0] + W[:, 1]
        if name == "Wk":
            W[:, 4] = W[:, 1] - W[:, 2]
    return inputs


def _passing_by(rng: np.random.Generator) -> dict:
    """Queries use four numbers and keys three, but only two in common."""
    inputs = {"Wq": _whole(rng, 8, 5), "Wk": _whole(rng, 8, 5)}
    inputs["Wq"][:, 4] = 0
    inputs["Wk"][:, :2] = 0
    return inputs


def _rank(W: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(W))


score_rank = Check(
    reference=reference.score_rank,
    cases={
        "narrow heads": lambda rng: _form(rng, 8, 3),
        "one number for each query and key": lambda rng: _form(rng, 6, 1),
        "queries and keys longer than a word": lambda rng: _form(rng, 4, 6),
        "queries that depend on each other": lambda rng: _dependent(rng, "Wq"),
        "keys that depend on each other": lambda rng: _dependent(rng, "Wk"),
        "queries and keys that use different numbers": _passing_by,
        "one projection for both": lambda rng: dict.fromkeys(("Wq", "Wk"), _whole(rng, 8, 3)),
        "float32 numbers": lambda rng: _float32(_form(rng, 8, 3)),
        "stored column by column": lambda rng: _column_by_column(_form(rng, 8, 3)),
    },
    mistakes={
        "d_k is the most it can be; columns may depend on each other.": (
            lambda Wq, Wk: Wq.shape[1]
        ),
        "d_k and d are only the most it can be; columns may depend on each other.": (
            lambda Wq, Wk: min(Wq.shape)
        ),
        "The scores pass through d_k numbers only, fewer than a word has.": (
            lambda Wq, Wk: Wq.shape[0]
        ),
        "The keys count too, not the queries alone.": lambda Wq, Wk: _rank(Wq),
        "The queries count too, not the keys alone.": lambda Wq, Wk: _rank(Wk),
        "The smaller of both ranks is only the most that the product can have.": (
            lambda Wq, Wk: min(_rank(Wq), _rank(Wk))
        ),
        "A score takes the product in which words meet, d by d, not the one that is d_k by d_k.": (
            lambda Wq, Wk: _rank(Wq.T @ Wk)
        ),
        "The two matrices are multiplied, not set side by side.": (
            lambda Wq, Wk: _rank(np.concatenate([Wq, Wk], axis=1))
        ),
    },
)

# ---- symmetric_init


def _layer_of(rng: np.random.Generator, d: int, h: int) -> dict:
    return {"P": _parameters(rng, d), "h": h}


def _take(P: dict, rows: np.ndarray, columns: np.ndarray, names: str = "W b Wo") -> dict:
    """The parameters with other rows of W and b and other columns of Wo, where they are named."""
    d = len(P["bo"])
    thirds = np.concatenate([rows, rows + d, rows + 2 * d])
    changed = {"W": P["W"][thirds], "b": P["b"][thirds], "Wo": P["Wo"][:, columns]}
    return P | {name: changed[name] for name in names.split()}


def _first(P: dict, h: int) -> np.ndarray:
    """For every feature the one that has its place in the first head."""
    d = len(P["bo"])
    return np.tile(np.arange(d // h), h)


def _of_first(names: str) -> Callable:
    return lambda P, h: _take(P, _first(P, h), _first(P, h), names)


def _first_of_all(P: dict, h: int) -> dict:
    """The first rows of W, which are queries, for keys and values too."""
    rows = np.tile(_first(P, h), 3)
    return reference.symmetric_init(P, h) | {"W": P["W"][rows], "b": P["b"][rows]}


def _repeated(P: dict, h: int) -> dict:
    d = len(P["bo"])
    repeated = np.repeat(np.arange(d // h), h)
    return _take(P, repeated, repeated)


def _mean_head(P: dict, h: int) -> dict:
    def mean(rows: np.ndarray) -> np.ndarray:
        return np.tile(rows.reshape(h, -1, *rows.shape[1:]).mean(0), (h, *[1] * (rows.ndim - 1)))

    thirds = {name: np.concatenate([*map(mean, np.split(P[name], 3))]) for name in ("W", "b")}
    return P | thirds | {"Wo": mean(P["Wo"].T).T}


def _queries_and_keys(P: dict, h: int) -> dict:
    equal = reference.symmetric_init(P, h)
    d = len(P["bo"])
    parts = {name: np.concatenate([equal[name][: 2 * d], P[name][2 * d :]]) for name in ("W", "b")}
    return P | parts | {"Wo": equal["Wo"]}


symmetric_init = Check(
    reference=reference.symmetric_init,
    cases={
        "three heads of four features": lambda rng: _layer_of(rng, 12, 3),
        "four heads of two features": lambda rng: _layer_of(rng, 8, 4),
        "heads of one feature": lambda rng: _layer_of(rng, 5, 5),
        "float32 numbers": lambda rng: _float32(_layer_of(rng, 12, 3)),
        "stored column by column": lambda rng: _column_by_column(_layer_of(rng, 12, 3)),
    },
    mistakes={
        "Heads whose outputs count differently get different gradients: look at Wo too.": (
            _of_first("W b")
        ),
        "Heads that start with different biases do not stay equal: look at b too.": (
            _of_first("W Wo")
        ),
        "Biases and Wo make heads differ too, not only W.": _of_first("W"),
        "Heads are made equal in W and b first of all, then in Wo.": _of_first("Wo"),
        "These are the parameters as they came: the heads still differ.": lambda P, h: dict(P),
        "A head's share of Wo is its columns, which meet its features; you took rows.": (
            lambda P, h: reference.symmetric_init(P, h) | {"Wo": P["Wo"][_first(P, h)]}
        ),
        "Queries, keys and values each have their own rows in W: do not make these equal.": (
            _first_of_all
        ),
        "A head's features are neighbours: repeat the first head's whole block.": _repeated,
        "The first head keeps its numbers; you took the mean of all heads.": _mean_head,
        "The first head keeps its numbers; zeros could never learn.": (
            lambda P, h: {name: np.zeros_like(array) for name, array in P.items()}
        ),
        "Values belong to heads as well as queries and keys do.": _queries_and_keys,
        "bo belongs to no head: leave it as it is.": (
            lambda P, h: reference.symmetric_init(P, h) | {"bo": P["bo"][_first(P, h)]}
        ),
        "Make the columns of Wo equal, not smaller.": (
            lambda P, h: (
                reference.symmetric_init(P, h) | {"Wo": reference.symmetric_init(P, h)["Wo"] / h}
            )
        ),
    },
)
