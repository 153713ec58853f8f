"""Checks of chapter `transformer`."""

from collections.abc import Callable

import numpy as np

from autograde.check import Check
from autograde.checks.attention import FLOAT32
from autograde.reference import transformer as reference
from autograde.reference.layer_norm import layer_norm
from autograde.reference.multi_head import merge_heads, split_heads
from autograde.reference.vectors import softmax

# ---- decoder_layer


def _layer(
    rng: np.random.Generator,
    *leading: int,
    n: int = 4,
    m: int = 5,
    d: int = 12,
    h: int = 3,
    d_ff: int = 10,
    self_mask: np.ndarray | None = None,
    mem_mask: np.ndarray | None = None,
    norm_first: bool = False,
) -> dict:
    """No two axes have the same size, so no wrong axis goes unseen."""
    P: dict[str, np.ndarray] = {}
    for of in ("", "_mem"):
        P |= {
            f"W{of}": rng.normal(size=(3 * d, d)) / 3,
            f"b{of}": rng.normal(size=3 * d),
            f"Wo{of}": rng.normal(size=(d, d)) / 3,
            f"bo{of}": rng.normal(size=d),
        }
    P |= {
        "W1": rng.normal(size=(d, d_ff)) / 3,
        "b1": rng.normal(size=d_ff),
        "W2": rng.normal(size=(d_ff, d)) / 3,
        "b2": rng.normal(size=d),
    }
    for i in "123":
        P |= {f"gamma{i}": rng.uniform(0.5, 2, size=d), f"beta{i}": rng.normal(size=d)}
    return {
        "y": 2 * rng.normal(size=(*leading, n, d)) + 1,
        "memory": 2 * rng.normal(size=(*leading, m, d)) - 1,
        "P": P,
        "h": h,
        "self_mask": self_mask,
        "mem_mask": mem_mask,
        "norm_first": norm_first,
    }


def _causal(n: int) -> np.ndarray:
    return np.tri(n, dtype=bool)


def _padding(rng: np.random.Generator) -> np.ndarray:
    """(2, 1, 1, 5): the last tokens are padding, one or two of each source."""
    lengths = np.array([3, 4])[rng.permutation(2)]
    return (np.arange(5) < lengths[:, None])[:, None, None, :]


def _translation(rng: np.random.Generator, norm_first: bool) -> dict:
    """What training looks like: no looking ahead, and sources of different lengths."""
    return _layer(rng, 2, self_mask=_causal(4), mem_mask=_padding(rng), norm_first=norm_first)


def _nowhere(rng: np.random.Generator, norm_first: bool) -> dict:
    """The last source is empty; the first token of the first target is padding in front."""
    mem_mask, self_mask = _padding(rng), np.tile(_causal(4), (2, 1, 1, 1))
    mem_mask[1], self_mask[0, 0, :, 0] = False, False
    return _layer(rng, 2, self_mask=self_mask, mem_mask=mem_mask, norm_first=norm_first)


def _of_each_head(rng: np.random.Generator) -> dict:
    """Masks that differ by head and by query, with at least one open place in each row."""

    def mask(n: int, m: int) -> np.ndarray:
        drawn = rng.random((2, 3, n, m)) < 0.5
        drawn[..., np.arange(n), np.arange(n)] = True
        return drawn

    return _layer(rng, 2, self_mask=mask(4, 4), mem_mask=mask(4, 5))


def _sharp(rng: np.random.Generator, norm_first: bool) -> dict:
    """Scores in the thousands in the first head of both attentions, with a clear winner."""
    inputs = _layer(rng, norm_first=norm_first)
    inputs["y"] = 40 * np.eye(4, 12)[rng.permutation(4)]
    inputs["memory"] = 40 * np.eye(5, 12)[rng.permutation(5)]
    for of in ("", "_mem"):
        inputs["P"]["W" + of][:24] = 30 * np.vstack([np.eye(12), np.eye(12)])
        inputs["P"]["b" + of][:24] = 0
    return inputs


def _changed(inputs: dict, change: Callable[[np.ndarray], np.ndarray]) -> dict:
    """With every array of numbers changed."""
    P = {name: change(array) for name, array in inputs["P"].items()}
    return inputs | {"y": change(inputs["y"]), "memory": change(inputs["memory"]), "P": P}


# Sublayers are functions of the tokens, wirings of y, the memory, three sublayers and three norms.
# The second sublayer is also a function of what gives keys and what gives values.


def _in_turn(y, memory, sublayers, norms, first, skips=(True, True, True), normed=(0, 1, 2)):
    """As it should be, but for skips that are missing and norms that are missing."""
    for i, (sublayer, norm, skip) in enumerate(zip(sublayers, norms, skips, strict=True)):
        norm = norm if i in normed else _as_it_is
        seen = sublayer(norm(y) if first else y)
        y = y + seen if skip else seen
        y = y if first else norm(y)
    return y


def _as_it_is(x: np.ndarray) -> np.ndarray:
    return x


def _without(*left_out: int, skips: bool = False, norms: bool = False, sublayers: bool = False):
    """A wiring without these skips, norms or whole sublayers, counted from 0."""
    kept = [i for i in range(3) if i not in left_out]

    def wiring(y, memory, parts, of, first):
        if sublayers:
            parts, of = [parts[i] for i in kept], [of[i] for i in kept]
            return _in_turn(y, memory, parts, of, first, [True] * len(kept))
        given = [not skips or i in kept for i in range(3)]
        return _in_turn(y, memory, parts, of, first, given, kept if norms else range(3))

    return wiring


def _in_order(*order: int):
    """A wiring with the sublayers, each with its norm, in another order."""
    return lambda y, memory, sublayers, norms, first: _in_turn(
        y, memory, [sublayers[i] for i in order], [norms[i] for i in order], first
    )


def _skip_from_the_start(at: int):
    """A wiring in which a skip, counted from 0, adds the layer's input."""

    def wiring(y, memory, sublayers, norms, first):
        now = y
        for i, (sublayer, norm) in enumerate(zip(sublayers, norms, strict=True)):
            carried = y if i == at else now
            seen = sublayer(norm(now) if first else now)
            now = carried + seen if first else norm(carried + seen)
        return now

    return wiring


def _side_by_side(y, memory, sublayers, norms, first):
    """Both attentions ask with y."""
    look, consult, feed = sublayers
    norm1, norm2, norm3 = norms
    if first:
        z = y + look(norm1(y)) + consult(norm2(y))
        return z + feed(norm3(z))
    z = norm2(norm1(y + look(y)) + consult(y))
    return norm3(z + feed(z))


def _asked_too_early(y, memory, sublayers, norms, first):
    """The queries of the second attention miss the first skip, and after it the first norm."""
    look, consult, feed = sublayers
    norm1, norm2, norm3 = norms
    seen = look(norm1(y) if first else y)
    if first:
        z = y + seen + consult(norm2(seen))
        return z + feed(norm3(z))
    z = norm2(norm1(y + seen) + consult(seen))
    return norm3(z + feed(z))


def _skip_from_the_memory(y, memory, sublayers, norms, first):
    """Fails wherever the sentences differ in length."""
    look, consult, feed = sublayers
    norm1, norm2, norm3 = norms
    if first:
        z = memory + consult(norm2(y + look(norm1(y))))
        return z + feed(norm3(z))
    z = norm2(memory + consult(norm1(y + look(y))))
    return norm3(z + feed(z))


def _normed_branches(y, memory, sublayers, norms, first):
    for sublayer, norm in zip(sublayers, norms, strict=True):
        y = y + (sublayer(norm(y)) if first else norm(sublayer(y)))
    return y


def _skip_from_the_norm(y, memory, sublayers, norms, first):
    if not first:
        return _in_turn(y, memory, sublayers, norms, first)
    for sublayer, norm in zip(sublayers, norms, strict=True):
        y = norm(y)
        y = y + sublayer(y)
    return y


def _always(first: bool):
    return lambda y, memory, sublayers, norms, _: _in_turn(y, memory, sublayers, norms, first)


def _swapped_places(y, memory, sublayers, norms, first):
    return _in_turn(y, memory, sublayers, norms, not first)


def _memory_normed_too(y, memory, sublayers, norms, first):
    if not first:
        return _in_turn(y, memory, sublayers, norms, first)
    look, consult, feed = sublayers
    normed = norms[1](memory)
    return _in_turn(y, memory, [look, lambda x: consult(x, normed, normed), feed], norms, first)


def _consulting(keys: str, values: str):
    """A wiring with other sources of keys and values: "y", "memory" or the "start"."""

    def wiring(y, memory, sublayers, norms, first):
        look, consult, feed = sublayers
        sources = {"memory": memory, "start": y}

        def consult_others(x):
            found = sources | {"y": x}
            return consult(x, found[keys], found[values])

        return _in_turn(y, memory, [look, consult_others, feed], norms, first)

    return wiring


def _attend(asks, keys, values, P, h, mask, weigh=None, split=split_heads, join=None):
    """`multi_head` with keys and values from different sources, and a part of it changed."""
    Q, K, V = (
        split(source @ W.T + b, h)
        for source, W, b in zip(
            (asks, keys, values), np.split(P["W"], 3), np.split(P["b"], 3), strict=True
        )
    )
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    heads = (weigh or _weights)(scores, mask) @ V
    return (join or _joined)(heads, P, mask)


def _joined(heads: np.ndarray, P: dict, mask: np.ndarray | None, merge=merge_heads) -> np.ndarray:
    return merge(heads) @ P["Wo"].T + P["bo"]


def _joined_by_shape(heads: np.ndarray) -> np.ndarray:
    *leading, h, n, d_head = heads.shape
    return heads.reshape(*leading, n, h * d_head)


def _split_by_shape(x: np.ndarray, h: int) -> np.ndarray:
    return x.reshape(*x.shape[:-2], h, x.shape[-2], -1)


def _in_turn_split(x: np.ndarray, h: int) -> np.ndarray:
    """Feature i goes to head i modulo h."""
    return np.swapaxes(x.reshape(*x.shape[:-1], -1, h), -1, -2).swapaxes(-2, -3)


def _in_turn_merged(heads: np.ndarray) -> np.ndarray:
    *leading, h, n, d_head = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*leading, n, h * d_head)


def _no_bias_where_nowhere(heads: np.ndarray, P: dict, mask: np.ndarray | None) -> np.ndarray:
    """A query without any key in any head comes out as 0."""
    open_places = True if mask is None else mask.any(-1, keepdims=True)
    nowhere = ~np.broadcast_to(open_places, heads.shape).any((-3, -1))
    output = _joined(heads, P, mask)
    output[nowhere] = 0
    return output


def _weights(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Zeros where a query may look nowhere."""
    if mask is None:
        return softmax(scores)
    mask = np.broadcast_to(mask, scores.shape)
    anywhere = mask.any(-1, keepdims=True)
    return np.where(anywhere, softmax(np.where(mask | ~anywhere, scores, -np.inf)), 0)


def _where_masked(weigh: Callable[[np.ndarray, np.ndarray], np.ndarray]):
    return lambda scores, mask: softmax(scores) if mask is None else weigh(scores, mask)


def _nan_where_nowhere(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    anywhere = np.broadcast_to(mask, scores.shape).any(-1, keepdims=True)
    return np.where(anywhere, _weights(scores, mask), np.nan)


def _unshifted(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    powers = np.exp(scores) if mask is None else np.exp(scores) * mask
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def _over_queries(scores: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    turned = None if mask is None else np.swapaxes(np.broadcast_to(mask, scores.shape), -1, -2)
    return np.swapaxes(_weights(np.swapaxes(scores, -1, -2), turned), -1, -2)


def _of_memory(P: dict) -> dict:
    """The parameters of the second attention, by the names of the first."""
    return {name: P[f"{name}_mem"] for name in ("W", "b", "Wo", "bo")}


def _made_of(
    wiring=_in_turn,
    masks=lambda self_mask, mem_mask, n, m: (self_mask, mem_mask),
    parameters=lambda P, h: P,
    second=_of_memory,
    first_of=lambda P: P,
    norms="123",
    heads=None,
    weigh=None,
    split=split_heads,
    join=_joined,
    bend=lambda z: np.maximum(0, z),
):
    """A decoder layer with a part of it changed."""

    def wrong(y, memory, P, h, self_mask, mem_mask, norm_first=False):
        h = heads or h
        self_mask, mem_mask = masks(self_mask, mem_mask, y.shape[-2], memory.shape[-2])
        P = parameters(P, h)

        def look(x):
            return _attend(x, x, x, first_of(P), h, self_mask, weigh, split, join)

        def consult(x, keys=memory, values=memory):
            # Tokens of the target as keys come with the mask that fits them.
            mask = mem_mask if keys.shape[-2] == memory.shape[-2] else self_mask
            return _attend(x, keys, values, second(P), h, mask, weigh, split, join)

        def feed(x):
            return bend(x @ P["W1"] + P["b1"]) @ P["W2"] + P["b2"]

        of = [lambda x, i=i: layer_norm(x, P[f"gamma{i}"], P[f"beta{i}"]) for i in norms]
        return wiring(y, memory, [look, consult, feed], of, norm_first)

    return wrong


def _asked_by_the_memory(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    """Fails wherever the sentences differ in length, since the skip adds them."""

    def wiring(y, memory, sublayers, norms, first):
        look, _, feed = sublayers

        def asked(x):
            of_memory = {name: P[f"{name}_mem"] for name in ("W", "b", "Wo", "bo")}
            return _attend(memory, x, x, of_memory, h, None)

        return _in_turn(y, memory, [look, asked, feed], norms, first)

    return _made_of(wiring)(y, memory, P, h, self_mask, mem_mask, norm_first)


def _in_both(change: Callable[..., tuple]):
    """The parameters with W, b, Wo and bo of both attentions changed."""

    def changed(P, h):
        P = dict(P)
        for of in ("", "_mem"):
            names = [name + of for name in ("W", "b", "Wo", "bo")]
            P |= dict(zip(names, change(*(P[name] for name in names), h), strict=True))
        return P

    return changed


def _scaled_queries(factor: Callable[[int, int], float]):
    """Scores that are divided by something else, as a factor of d and h in the queries."""

    def change(W, b, Wo, bo, h):
        d = len(bo)
        scale = np.where(np.arange(3 * d) < d, factor(d, h), 1)
        return W * scale[:, None], b * scale, Wo, bo

    return _in_both(change)


def _values_as_they_are(W, b, Wo, bo, h):
    d = len(bo)
    return (
        np.concatenate([W[: 2 * d], np.eye(d)]),
        np.concatenate([b[: 2 * d], np.zeros(d)]),
        Wo,
        bo,
    )


def _turned(W, b, Wo, bo, h):
    return np.concatenate([part.T for part in np.split(W, 3)]), b, Wo, bo


def _keys_first(W, b, Wo, bo, h):
    Q, K, V = np.split(np.arange(len(b)), 3)
    order = np.concatenate([K, Q, V])
    return W[order], b[order], Wo, bo


def _some(self_mask: Callable, mem_mask: Callable):
    """Masks changed, each by a function of the mask, n and m, where there is one."""

    def change(of_self, of_memory, n, m):
        return (
            None if of_self is None else self_mask(of_self, n, m),
            None if of_memory is None else mem_mask(of_memory, n, m),
        )

    return change


def _same(mask: np.ndarray, n: int, m: int) -> np.ndarray:
    return mask


decoder_layer = Check(
    reference=reference.decoder_layer,
    from_scratch=("TransformerDecoderLayer", "MultiheadAttention", "LayerNorm"),
    cases={
        "one pair of sentences": _layer,
        "a batch of pairs": lambda rng: _layer(rng, 2),
        "a batch of pairs, pre-norm": lambda rng: _layer(rng, 2, norm_first=True),
        "causal, the source padded": lambda rng: _translation(rng, False),
        "causal, the source padded, pre-norm": lambda rng: _translation(rng, True),
        "masks of their own for each head": _of_each_head,
        "a source and a target of one length": lambda rng: _layer(
            rng, 2, n=5, self_mask=_causal(5), mem_mask=_padding(rng)
        ),
        "a query that may look nowhere": lambda rng: _nowhere(rng, False),
        "a query that may look nowhere, pre-norm": lambda rng: _nowhere(rng, True),
        "scores in the thousands": lambda rng: _sharp(rng, False),
        "scores in the thousands, pre-norm": lambda rng: _sharp(rng, True),
        "a single head": lambda rng: _layer(rng, 2, h=1),
        "a single token in the target": lambda rng: _layer(rng, 2, n=1, norm_first=True),
        "a single token in the source": lambda rng: _layer(rng, 2, m=1),
        "float32 numbers": lambda rng: _changed(_layer(rng, 2), lambda a: a.astype(np.float32)),
        "stored column by column": lambda rng: _changed(_layer(rng, 2), np.asfortranarray),
    },
    mistakes={
        "Keys and values of the second attention come from the memory, not from the target.": (
            _made_of(_consulting("y", "y"))
        ),
        "Queries come from the target, keys and values from the memory; you swapped them.": (
            _asked_by_the_memory
        ),
        "The values come from the memory, as the keys do; yours come from the target.": (
            _made_of(_consulting("memory", "y"))
        ),
        "The keys come from the memory, as the values do; yours come from the target.": (
            _made_of(_consulting("y", "memory"))
        ),
        "The queries of the second attention are what the first has made, not the layer's input.": (
            _made_of(_side_by_side)
        ),
        "The second attention asks with the sum of the first skip, not with the first attention.": (
            _made_of(_asked_too_early)
        ),
        "The skip around the second attention adds the target, not the memory.": (
            _made_of(_skip_from_the_memory)
        ),
        "The source is all there: no causal mask in the second attention.": _made_of(
            masks=lambda self_mask, mem_mask, n, m: (
                self_mask,
                np.tri(n, m, dtype=bool) & (True if mem_mask is None else mem_mask),
            )
        ),
        "No mask means that all may be seen: the caller hides the future, not the layer.": _made_of(
            masks=lambda self_mask, mem_mask, n, m: (
                _causal(n) if self_mask is None else self_mask,
                mem_mask,
            )
        ),
        "self_mask has no effect: the target sees its own future.": _made_of(
            masks=lambda self_mask, mem_mask, n, m: (None, mem_mask)
        ),
        "mem_mask has no effect: the target looks at padding of the source.": _made_of(
            masks=lambda self_mask, mem_mask, n, m: (self_mask, None)
        ),
        "Neither mask has an effect.": _made_of(masks=lambda *given: (None, None)),
        "self_mask is inverted: true means that a query may look.": _made_of(
            masks=_some(lambda mask, n, m: ~mask, _same)
        ),
        "mem_mask is inverted: true means that a query may look.": _made_of(
            masks=_some(_same, lambda mask, n, m: ~mask)
        ),
        "Both masks are inverted: true means that a query may look.": _made_of(
            masks=_some(lambda mask, n, m: ~mask, lambda mask, n, m: ~mask)
        ),
        "self_mask is for the first attention and mem_mask for the second; you swapped them.": (
            _made_of(masks=lambda self_mask, mem_mask, n, m: (mem_mask, self_mask))
        ),
        "In the target rows of the mask are queries: it is transposed.": _made_of(
            masks=_some(lambda mask, n, m: np.swapaxes(mask, -1, -2), _same)
        ),
        "Attention to the memory comes before the FFN.": _made_of(_in_order(0, 2, 1)),
        "The target looks at itself first, then at the memory.": _made_of(_in_order(1, 0, 2)),
        "Attention to the target itself is missing.": _made_of(_without(0, sublayers=True)),
        "Attention to the memory is missing.": _made_of(_without(1, sublayers=True)),
        "The FFN is missing.": _made_of(_without(2, sublayers=True)),
        "All skips are missing: add what went in to what comes out.": _made_of(
            _without(0, 1, 2, skips=True)
        ),
        "The skip around the first attention is missing.": _made_of(_without(0, skips=True)),
        "The skip around the second attention is missing.": _made_of(_without(1, skips=True)),
        "The skip around the FFN is missing.": _made_of(_without(2, skips=True)),
        "The skip around the second attention adds what went into it, not the layer's input.": (
            _made_of(_skip_from_the_start(1))
        ),
        "The skip around the FFN adds what went into it, not the layer's input.": _made_of(
            _skip_from_the_start(2)
        ),
        "All norms are missing.": _made_of(_without(0, 1, 2, norms=True)),
        "The first norm is missing.": _made_of(_without(0, norms=True)),
        "The second norm is missing.": _made_of(_without(1, norms=True)),
        "The third norm is missing.": _made_of(_without(2, norms=True)),
        "The three norms have parameters of their own; you used the first for all.": _made_of(
            norms="111"
        ),
        "The second norm goes with the memory, the third with the FFN; you swapped them.": _made_of(
            norms="132"
        ),
        "The first norm goes with the target, the second with the memory; you swapped them.": (
            _made_of(norms="213")
        ),
        "The third norm is there for the FFN; you used the second once more.": _made_of(
            norms="122"
        ),
        "The second norm is there for the memory; you used the first once more.": _made_of(
            norms="113"
        ),
        "norm_first has no effect: pre-norm normalizes what goes into a sublayer.": _made_of(
            _always(False)
        ),
        "Without norm_first the sum is normalized: you always use pre-norm.": _made_of(
            _always(True)
        ),
        "You swapped pre-norm and post-norm.": _made_of(_swapped_places),
        "Post-norm normalizes the sum; you normalized the sublayer's output and then added.": (
            _made_of(_normed_branches)
        ),
        "In pre-norm the skip adds the tokens as they were before the norm.": _made_of(
            _skip_from_the_norm
        ),
        "In pre-norm the memory is used as it is: only what the target asks with is normalized.": (
            _made_of(_memory_normed_too)
        ),
        "The second attention has parameters of its own; you used those of the first.": _made_of(
            second=lambda P: P
        ),
        "The first attention has parameters of its own; you used those of the second.": _made_of(
            first_of=lambda P: {name: P[f"{name}_mem"] for name in ("W", "b", "Wo", "bo")}
        ),
        "The parameters that end in “_mem” are those of the second attention; you swapped them.": (
            _made_of(
                first_of=lambda P: {name: P[f"{name}_mem"] for name in ("W", "b", "Wo", "bo")},
                second=lambda P: P,
            )
        ),
        "The ReLU of the FFN is missing.": _made_of(bend=lambda z: z),
        "The scale is missing: divide the scores by the root of a head's width.": _made_of(
            parameters=_scaled_queries(lambda d, h: np.sqrt(d / h))
        ),
        "Divide the scores by the root of a head's width, not of d.": _made_of(
            parameters=_scaled_queries(lambda d, h: 1 / np.sqrt(h))
        ),
        "You used a single head of the full width.": _made_of(heads=1),
        "Splitting by a new shape alone mixes tokens: cut each row, then move the heads' axis.": (
            _made_of(split=_split_by_shape)
        ),
        "Before you merge, bring the axis of the heads back next to the features.": _made_of(
            join=lambda heads, P, mask: _joined(heads, P, mask, _joined_by_shape)
        ),
        "Split and merge both need to move the axis of the heads: a new shape alone mixes "
        "tokens.": _made_of(
            split=_split_by_shape,
            join=lambda heads, P, mask: _joined(heads, P, mask, _joined_by_shape),
        ),
        "A head takes neighbouring features, not every h-th one.": _made_of(
            split=_in_turn_split,
            join=lambda heads, P, mask: _joined(heads, P, mask, _in_turn_merged),
        ),
        "The heads are mixed by Wo and bo, which are missing.": _made_of(
            parameters=_in_both(lambda W, b, Wo, bo, h: (W, b, np.eye(len(bo)), 0 * bo))
        ),
        "Wo is transposed: PyTorch keeps a row for each output.": _made_of(
            parameters=_in_both(lambda W, b, Wo, bo, h: (W, b, Wo.T, bo))
        ),
        "W is transposed: PyTorch keeps a row for each output.": _made_of(
            parameters=_in_both(_turned)
        ),
        "The biases of the projections, b, are missing.": _made_of(
            parameters=_in_both(lambda W, b, Wo, bo, h: (W, 0 * b, Wo, bo))
        ),
        "The parts of W are for queries, keys and values, in this order.": _made_of(
            parameters=_in_both(_keys_first)
        ),
        "The values are projected too: the tokens themselves are blended here.": _made_of(
            parameters=_in_both(_values_as_they_are)
        ),
        "The weights of a token sum to 1: take the softmax over the keys, not the queries.": (
            _made_of(weigh=_over_queries)
        ),
        "Mask the scores before the softmax; afterwards the weights no longer sum to 1.": _made_of(
            weigh=_where_masked(lambda scores, mask: softmax(scores) * mask)
        ),
        "A score of 0 is not a weight of 0: do not multiply the scores by the mask.": _made_of(
            weigh=_where_masked(lambda scores, mask: softmax(scores * mask))
        ),
        "A query that may look nowhere gets zeros from attention, not an average.": _made_of(
            weigh=_where_masked(lambda scores, mask: softmax(np.where(mask, scores, -1e9)))
        ),
        "A query that may look nowhere gets zeros from attention, not NaN.": _made_of(
            weigh=_where_masked(_nan_where_nowhere)
        ),
        "A query that may look nowhere gets zeros from the heads, and then bo, as others do.": (
            _made_of(join=_no_bias_where_nowhere)
        ),
        "exp of a large score overflows; shifting a token's scores alike changes no weight.": (
            _made_of(weigh=_unshifted)
        ),
    },
    atol=1e-4,  # sums of many terms in float32, which the norms then scale up
)

# ---- seq_loss


def _predicted(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    lengths: list[int],
    V: int = 9,
    size: float = 2,
) -> dict:
    """Logits for sentences of these lengths, in any order, filled up with padding."""
    pad = int(rng.integers(V))
    words = np.array([v for v in range(V) if v != pad])
    targets = rng.choice(words, size=(len(lengths), shape[-1]))
    targets[np.arange(shape[-1]) >= rng.permutation(lengths)[:, None]] = pad
    logits = size * rng.normal(size=(*shape, V))
    return {"logits": logits, "targets": targets.reshape(shape), "pad": pad}


def _far_apart(rng: np.random.Generator) -> dict:
    """Logits in the thousands, with rows at very different heights."""
    inputs = _predicted(rng, (2, 5), [5, 3], size=300)
    return inputs | {"logits": inputs["logits"] + 2000 * rng.normal(size=(2, 5, 1))}


def _smoothed(rng: np.random.Generator, smoothing: float = 0.1) -> dict:
    return _predicted(rng, (3, 5), [5, 3, 2]) | {"smoothing": smoothing}


def _log_p(logits: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = logits.astype(np.float64) - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _mean_of_real(losses: np.ndarray, targets: np.ndarray, pad: int) -> float:
    real = targets != pad
    return losses[real].mean() if real.any() else 0.0


def _spread(
    log_p: np.ndarray, targets: np.ndarray, pad: int, smoothing: float
) -> tuple[np.ndarray, np.ndarray]:
    """The two parts of the smoothed loss at each place: of the target, of all words alike."""
    of_target = np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return -(1 - smoothing) * of_target, -smoothing * log_p.mean(-1)


def _lossy(parts: Callable = _spread, log_p: Callable = _log_p, average: Callable = _mean_of_real):
    """A loss with its parts, its probabilities or its average changed."""

    def wrong(logits, targets, pad, smoothing=0.0):
        losses = sum(parts(log_p(logits), targets, pad, smoothing))
        return float(average(losses, targets, pad))

    return wrong


def _shared_out(log_p, targets, pad, smoothing, left_out):
    """The smoothing goes to some words only; `left_out` says to which not, (..., V) bool."""
    of_target, _ = _spread(log_p, targets, pad, smoothing)
    given = np.where(left_out, 0, log_p)
    count = (~left_out).sum(-1)
    return of_target, -smoothing * given.sum(-1) / count


def _less_entropy(without: int):
    """The divergence from targets smoothed without themselves (1) and without the padding (2)."""

    def parts(log_p, targets, pad, smoothing):
        words = np.arange(log_p.shape[-1])
        rest = smoothing / (len(words) - without)
        shares = np.where(words == targets[..., None], 1 - smoothing, rest)
        if without == 2:
            shares = np.where(words == pad, 0, shares)
        logs = np.log(np.where(shares > 0, shares, 1))
        return ((shares * (logs - log_p)).sum(-1),)

    return parts


def _target(log_p: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """(..., V) bool, True at the target of each place."""
    return np.arange(log_p.shape[-1]) == targets[..., None]


def _less_without_the_target(log_p, targets, pad, smoothing):
    of_target, of_all = _spread(log_p, targets, pad, smoothing)
    own = np.take_along_axis(log_p, targets[..., None], -1)[..., 0]
    return of_target, of_all + smoothing * own / log_p.shape[-1]


def _naive(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits)
    return np.log(powers / powers.sum(-1, keepdims=True))


def _moved(by: int):
    """Targets compared with the logits of another place."""

    def wrong(logits, targets, pad, smoothing=0.0):
        pairs = (logits[..., :-1, :], targets[..., 1:])
        if by < 0:
            pairs = (logits[..., 1:, :], targets[..., :-1])
        return reference.seq_loss(*pairs, pad, smoothing)

    return wrong


def _padding_smoothed_too(logits, targets, pad, smoothing=0.0):
    of_target, of_all = _spread(_log_p(logits), targets, pad, smoothing)
    real = targets != pad
    return float((of_target[real].sum() + of_all.sum()) / real.sum()) if real.any() else 0.0


seq_loss = Check(
    reference=reference.seq_loss,
    from_scratch=("cross_entropy", "CrossEntropyLoss", "nll_loss", "log_softmax"),
    cases={
        "sentences without padding": lambda rng: _predicted(rng, (2, 5), [5, 5]),
        "sentences of different lengths": lambda rng: _predicted(rng, (3, 5), [5, 3, 2]),
        "a sentence of padding only": lambda rng: _predicted(rng, (3, 5), [4, 0, 2]),
        "smoothing 0.1": _smoothed,
        "smoothing 0.4, a sentence of padding": lambda rng: (
            _predicted(rng, (3, 5), [5, 0, 2]) | {"smoothing": 0.4}
        ),
        "logits in the thousands": _far_apart,
        "a single sentence, without a batch": lambda rng: _predicted(rng, (5,), [4]),
        "two leading axes": lambda rng: (
            _predicted(rng, (2, 3, 5), [5, 4, 1, 2, 5, 3]) | {"smoothing": 0.1}
        ),
        "a single token": lambda rng: _predicted(rng, (2, 1), [1, 1]),
        "float32 numbers": lambda rng: (
            (inputs := _smoothed(rng)) | {"logits": inputs["logits"].astype(np.float32)}
        ),
        "stored column by column": lambda rng: {
            name: np.asfortranarray(value) if isinstance(value, np.ndarray) else value
            for name, value in _smoothed(rng).items()
        },
    },
    mistakes={
        "Divide by the number of real tokens; you counted the padding too.": _lossy(
            average=lambda losses, targets, pad: np.where(targets == pad, 0, losses).mean()
        ),
        "Padding is nothing to be predicted: leave these places out.": _lossy(
            average=lambda losses, targets, pad: losses.mean()
        ),
        "You kept the padding and left out the tokens.": _lossy(
            average=lambda losses, targets, pad: (
                losses[targets == pad].mean() if (targets == pad).any() else 0.0
            )
        ),
        "Each token counts alike: average over all at once, not over each sentence first.": _lossy(
            average=lambda losses, targets, pad: np.mean(
                [
                    _mean_of_real(one, of_one, pad)
                    for one, of_one in zip(
                        losses.reshape(-1, losses.shape[-1]),
                        targets.reshape(-1, losses.shape[-1]),
                        strict=True,
                    )
                ]
            )
        ),
        "Return the mean over the tokens, not their sum.": _lossy(
            average=lambda losses, targets, pad: losses[targets != pad].sum()
        ),
        "Divide by the number of tokens, not of sentences.": _lossy(
            average=lambda losses, targets, pad: (
                losses[targets != pad].sum() / max(1, losses.size // losses.shape[-1])
            )
        ),
        "The padding's id is an argument; you took 0.": (
            lambda logits, targets, pad, smoothing=0.0: reference.seq_loss(
                logits, targets, 0, smoothing
            )
        ),
        "Logits and targets of one place belong together: the shift was made in the inputs.": (
            _moved(1)
        ),
        "You compare each place's logits with the target before it.": _moved(-1),
        "Smoothing has no effect.": (
            lambda logits, targets, pad, smoothing=0.0: reference.seq_loss(logits, targets, pad)
        ),
        "The target keeps its share of the smoothing: it goes to all V words alike.": _lossy(
            lambda log_p, targets, pad, smoothing: _shared_out(
                log_p, targets, pad, smoothing, _target(log_p, targets)
            )
        ),
        "The smoothing goes to all V words, also to the padding and to the target.": _lossy(
            lambda log_p, targets, pad, smoothing: _shared_out(
                log_p,
                targets,
                pad,
                smoothing,
                _target(log_p, targets) | (np.arange(log_p.shape[-1]) == pad),
            )
        ),
        "The padding is one of the V words, and gets its share of the smoothing.": _lossy(
            lambda log_p, targets, pad, smoothing: _shared_out(
                log_p,
                targets,
                pad,
                smoothing,
                np.broadcast_to(np.arange(log_p.shape[-1]) == pad, log_p.shape),
            )
        ),
        "The target keeps its share of the smoothing, and the loss is not less by any entropy.": (
            _lossy(_less_entropy(1))
        ),
        "Padding and target get shares of the smoothing too; and this is less, a divergence.": (
            _lossy(_less_entropy(2))
        ),
        "The target's share of the smoothing comes on top of what it keeps.": _lossy(
            _less_without_the_target
        ),
        "The target loses what the smoothing gives to others: 1 is to be shared out.": _lossy(
            lambda log_p, targets, pad, smoothing: (
                _spread(log_p, targets, pad, 0)[0],
                _spread(log_p, targets, pad, smoothing)[1],
            )
        ),
        "Only the target lost by the smoothing: the other words get their shares.": _lossy(
            lambda log_p, targets, pad, smoothing: _spread(log_p, targets, pad, smoothing)[:1]
        ),
        "Smoothing is what all words share; you gave it to the target.": _lossy(
            lambda log_p, targets, pad, smoothing: _spread(log_p, targets, pad, 1 - smoothing)
        ),
        "Each word gets its part of the smoothing, one in V, not all of it.": _lossy(
            lambda log_p, targets, pad, smoothing: (
                _spread(log_p, targets, pad, smoothing)[0],
                -smoothing * log_p.sum(-1),
            )
        ),
        "Padding has no part in the smoothing either: leave these places out of both sums.": (
            _padding_smoothed_too
        ),
        "exp of a large logit overflows: work with the logarithms themselves.": _lossy(
            log_p=_naive
        ),
        "A tiny probability has a large loss; a number added inside the logarithm hides it.": (
            _lossy(log_p=lambda logits: np.log(softmax(logits) + 1e-9))
        ),
        "Take the logarithm of the softmax; these are the logits themselves.": _lossy(
            log_p=lambda logits: logits
        ),
        "Take the logarithm of the probabilities.": _lossy(log_p=softmax),
        "The logits go through the softmax once; you took it twice.": _lossy(
            log_p=lambda logits: _log_p(softmax(logits))
        ),
        "The probabilities of the words sum to 1; yours do over the places.": _lossy(
            log_p=lambda logits: _log_p(logits, -2)
        ),
        "The loss takes the natural logarithm; yours has base 2.": _lossy(
            log_p=lambda logits: _log_p(logits) / np.log(2)
        ),
        "The loss is minus the logarithm.": (
            lambda logits, targets, pad, smoothing=0.0: (
                -reference.seq_loss(logits, targets, pad, smoothing)
            )
        ),
        "Return the mean loss; this is the perplexity, its exponential.": (
            lambda logits, targets, pad, smoothing=0.0: float(
                np.exp(reference.seq_loss(logits, targets, pad, smoothing))
            )
        ),
    },
    atol=FLOAT32,
)

# ---- greedy_decode


def _with_a_model(greedy_decode, B, sos, eos, pad, max_len, words, places, sources, ends):
    """Let a learner's function write with a small model, and note how much it let the model read.

    The logits depend on all that was written, and on where; sentence b ends with its word ends[b].
    """
    import numpy as np

    lengths: list[int] = []

    def step(prefix):
        prefix = np.array(prefix)
        if prefix.ndim != 2 or len(prefix) != B or prefix.dtype.kind not in "iu":
            what = f"{prefix.dtype} numbers of shape {prefix.shape}"
            raise ValueError(f"step takes whole numbers of shape ({B}, length), not {what}")
        t = prefix.shape[1]
        if len(lengths) == len(places):
            raise ValueError(f"step was called {len(lengths) + 1} times, for {max_len} words")
        lengths.append(t)
        state = sources + np.sum(words[prefix] * places[:t], 1)
        logits = state @ words.T
        logits[:, [sos, pad]] = -1000.0
        logits[:, eos] = np.where(ends == t, 1000.0, -1000.0)
        return logits

    given = greedy_decode(step, B, sos, eos, pad, max_len)
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"return ids and done, not a {type(given).__name__}")
    return [*given, np.array(lengths, dtype=int)]


MOST = 14  # words; a model has places for a few more than any sentence may have


def _model(rng: np.random.Generator, ends: list[int], max_len: int, V: int = 11) -> dict:
    """A model whose sentences end with these words, counted from 1, in any order."""
    sos, eos, pad = (int(number) for number in rng.permutation(V)[:3])
    return {
        "B": len(ends),
        "sos": sos,
        "eos": eos,
        "pad": pad,
        "max_len": max_len,
        "words": rng.normal(size=(V, 6)),
        "places": rng.choice([-1, 1], size=(MOST, 6)) * rng.uniform(0.5, 2, size=(MOST, 6)),
        "sources": rng.normal(size=(len(ends), 6)),
        "ends": rng.permutation(ends),
    }


def _most_probable(arguments: dict, answer: list) -> bool:
    """Whether each word that is neither <SOS> nor padding is what the model finds most probable."""
    ids = answer[0]

    def check(step, B, sos, eos, pad, max_len):
        best = [np.argmax(step(ids[:, :t]), -1) for t in range(1, min(ids.shape[1], MOST))]
        written = ids[:, 1 : 1 + len(best)]
        right = (np.array(best, dtype=int).T.reshape(written.shape) == written) | (written == pad)
        return bool(right.all()), None

    if not np.isin(ids, np.arange(len(arguments["words"]))).all():
        return False
    return _with_a_model(check, *arguments.values())[0]


def _writing(
    start: Callable = lambda B, sos, eos, pad: np.full((B, 1), sos),
    read: Callable = lambda ids, max_len, pad: ids,
    choose: Callable = lambda logits: logits.argmax(-1),
    written: Callable = lambda best, done, eos, pad: np.where(done, pad, best),
    finished: Callable = lambda done, best, ids, eos: done | (best == eos),
    stop: Callable = np.all,
    limit: Callable = lambda max_len: max_len,
    result: Callable = lambda ids, done, eos, pad, max_len: (ids, done),
):
    """Greedy decoding with a part of it changed."""

    def wrong(step, B, sos, eos, pad, max_len):
        ids, done = start(B, sos, eos, pad), np.zeros(B, bool)
        for _ in range(limit(max_len)):
            if stop(done):
                break
            best = choose(step(read(ids, max_len, pad)))
            ids = np.concatenate([ids, written(best, done, eos, pad)[:, None]], 1)
            done = finished(done, best, ids, eos)
        return result(ids, done, eos, pad, max_len)

    return wrong


def _filled_up(ids: np.ndarray, max_len: int, pad: int) -> np.ndarray:
    """With padding up to the greatest length."""
    return np.pad(ids, ((0, 0), (0, 1 + max_len - ids.shape[1])), constant_values=pad)


def _nothing_after_done(best, done, eos, pad):
    """The word that ends a sentence is lost: done is looked at too late."""
    return np.where(done | (best == eos), pad, best)


def _asked_after_the_end(step, B, sos, eos, pad, max_len):
    ids, done = reference.greedy_decode(step, B, sos, eos, pad, max_len)
    step(ids)
    return ids, done


def _asked_before_the_start(step, B, sos, eos, pad, max_len):
    step(np.full((B, 1), sos))
    return reference.greedy_decode(step, B, sos, eos, pad, max_len)


greedy_decode = Check(
    reference=reference.greedy_decode,
    cases={
        "one sentence": lambda rng: _model(rng, [4], 9),
        "sentences that end one after the other": lambda rng: _model(rng, [2, 4, 7], 9),
        "sentences that end together": lambda rng: _model(rng, [5, 5, 5], 8),
        "a sentence without a word": lambda rng: _model(rng, [1, 3, 6], 9),
        "a sentence that never ends": lambda rng: _model(rng, [3, 99, 5], 7),
        "no sentence ends": lambda rng: _model(rng, [99, 99], 5),
        "the last word that is allowed is <EOS>": lambda rng: _model(rng, [6, 2], 6),
        "one word at most": lambda rng: _model(rng, [1, 2, 3], 1),
        "no word at all": lambda rng: _model(rng, [1, 2], 0),
        "as many sentences as words in the vocabulary": lambda rng: _model(
            rng, [3, 1, 5, 2, 4, 6, 99], 8, V=7
        ),
    },
    mistakes={
        "The model needs all that was written; you gave it the last word only.": _writing(
            read=lambda ids, max_len, pad: ids[:, -1:]
        ),
        "The model reads <SOS> too; you left it out.": _writing(
            read=lambda ids, max_len, pad: ids[:, 1:]
        ),
        "The model reads what was written so far, not padding for the words to come.": _writing(
            read=_filled_up
        ),
        "Ask the model once for each word; you asked it once more when all was written.": (
            _asked_after_the_end
        ),
        "Ask the model once for each word; you asked it once more before the first.": (
            _asked_before_the_start
        ),
        "Begin with <SOS>; you began with <EOS>.": _writing(
            start=lambda B, sos, eos, pad: np.full((B, 1), eos)
        ),
        "Begin with <SOS>; you began with padding.": _writing(
            start=lambda B, sos, eos, pad: np.full((B, 1), pad)
        ),
        "Begin with <SOS>; you began with nothing.": _writing(
            start=lambda B, sos, eos, pad: np.zeros((B, 0), int)
        ),
        "The ids that you return begin with <SOS>.": _writing(
            result=lambda ids, done, eos, pad, max_len: (ids[:, 1:], done)
        ),
        "Go on until all sentences have ended; you stopped at the first <EOS> of any.": _writing(
            stop=np.any
        ),
        "Stop when all sentences have ended; you went on to the greatest length.": _writing(
            stop=lambda done: False
        ),
        "The ids end with the longest sentence; you filled them up to the greatest length.": (
            _writing(
                result=lambda ids, done, eos, pad, max_len: (_filled_up(ids, max_len, pad), done)
            )
        ),
        "After <EOS> a sentence gets padding; you let the model write on.": _writing(
            written=lambda best, done, eos, pad: best
        ),
        "After <EOS> a sentence gets padding, not <EOS> again and again.": _writing(
            written=lambda best, done, eos, pad: np.where(done, eos, best)
        ),
        "The padding's id is an argument; you took 0.": _writing(
            written=lambda best, done, eos, pad: np.where(done, 0, best)
        ),
        "<EOS> is written, and padding only after it.": _writing(written=_nothing_after_done),
        "A sentence that has ended stays ended; you looked at its last word only.": _writing(
            finished=lambda done, best, ids, eos: ids[:, -1] == eos
        ),
        "Sentences need not end together: one that has ended stays ended, and gets padding.": (
            _writing(
                written=lambda best, done, eos, pad: best,
                finished=lambda done, best, ids, eos: best == eos,
            )
        ),
        "done says which sentences came to <EOS>, not which were still going on.": _writing(
            result=lambda ids, done, eos, pad, max_len: (ids, ~done)
        ),
        "A sentence that was cut off has not ended: done is false for it.": _writing(
            result=lambda ids, done, eos, pad, max_len: (ids, np.ones(len(ids), bool))
        ),
        "done is for each sentence; you said whether all have ended.": _writing(
            result=lambda ids, done, eos, pad, max_len: (ids, bool(done.all()))
        ),
        "done is true or false for each sentence; you returned their lengths.": _writing(
            result=lambda ids, done, eos, pad, max_len: (ids, (ids != pad).sum(1))
        ),
        "At most max_len words are written, <SOS> not counted; you wrote one less.": _writing(
            limit=lambda max_len: max_len - 1
        ),
        "At most max_len words are written; you wrote one more.": _writing(
            limit=lambda max_len: max_len + 1
        ),
        "Nothing makes sure that <EOS> comes: stop after max_len words.": _writing(
            limit=lambda max_len: 10 * MOST
        ),
        "Each sentence has a best word of its own; you gave all that of the first.": _writing(
            choose=lambda logits: np.full(len(logits), logits[0].argmax())
        ),
        "Take the most probable of the words, not of the sentences.": _writing(
            choose=lambda logits: logits.argmax(0)
        ),
        "Take the most probable word, not the least probable.": _writing(
            choose=lambda logits: logits.argmin(-1)
        ),
    },
    properties={
        "Each word is the most probable after those before it: do not draw, do not skip one.": (
            _most_probable
        ),
    },
    probe=_with_a_model,
    returns=("ids", "done", "lengths that step was given"),
)

# ---- cached_step


def _kept(
    rng: np.random.Generator, *leading: int, t: int = 4, d: int = 12, h: int = 3, places: int = 9
) -> dict:
    """No two axes have the same size."""
    return {
        "x_t": 2 * rng.normal(size=(*leading, d)),
        "cache": 2 * rng.normal(size=(2, *leading, h, t, d // h)),
        "P": {
            "pe": rng.normal(size=(places, d)),
            "W": rng.normal(size=(3 * d, d)) / 3,
            "b": rng.normal(size=3 * d),
            "Wo": rng.normal(size=(d, d)) / 3,
            "bo": rng.normal(size=d),
        },
        "h": h,
    }


def _loud(rng: np.random.Generator) -> dict:
    """Scores in the thousands."""
    inputs = _kept(rng, 2)
    return inputs | {"x_t": 300 * inputs["x_t"], "cache": 30 * inputs["cache"]}


def _kept_as(inputs: dict, change: Callable[[np.ndarray], np.ndarray]) -> dict:
    P = {name: change(array) for name, array in inputs["P"].items()}
    return inputs | {"x_t": change(inputs["x_t"]), "cache": change(inputs["cache"]), "P": P}


def _stepping(
    place: Callable = lambda t, places: places[t],
    project: Callable = lambda x, W, b: np.split(x @ W.T + b, 3, axis=-1),
    split: Callable = split_heads,
    old: Callable = lambda cache, P, h: cache,
    seen: Callable = lambda old, new: np.concatenate([old, new], -2),
    kept: Callable = lambda old, new: np.concatenate([old, new], -2),
    scale: Callable = lambda d_head, h: np.sqrt(d_head),
    weigh: Callable = softmax,
    mix: Callable = lambda heads, P: merge_heads(heads) @ P["Wo"].T + P["bo"],
):
    """One step with a part of it changed."""

    def wrong(x_t, cache, P, h):
        x = (x_t + place(cache.shape[-2], P["pe"]))[..., None, :]
        q, k, v = (split(part, h) for part in project(x, P["W"], P["b"]))
        new, before = np.stack([k, v]), old(cache, P, h)
        K, V = seen(before, new)
        scores = q @ np.swapaxes(K, -1, -2) / scale(q.shape[-1], h)
        return mix(weigh(scores) @ V, P)[..., 0, :], kept(cache, new)

    return wrong


def _old_only(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    return old if old.shape[-2] else np.zeros_like(new)


def _projected_again(cache: np.ndarray, P: dict, h: int) -> np.ndarray:
    parts = zip(cache, np.split(P["W"], 3)[1:], np.split(P["b"], 3)[1:], strict=True)
    return np.stack([split_heads(merge_heads(part) @ W.T + b, h) for part, W, b in parts])


def _of_the_first(cache: np.ndarray, P: dict, h: int) -> np.ndarray:
    """The first row of a batch looks right, all others look at its past."""
    if cache.ndim < 5:
        return cache
    return np.broadcast_to(cache[:, :1], cache.shape)


def _unshifted_weights(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


def _place_in_the_queries_only(x_t, cache, P, h):
    return _place_for(x_t, cache, P, h, (True, False, False))


def _no_place_in_the_values(x_t, cache, P, h):
    return _place_for(x_t, cache, P, h, (True, True, False))


def _place_for(x_t, cache, P, h, which):
    place = P["pe"][cache.shape[-2]]
    q, k, v = (
        split_heads(((x_t + place if given else x_t) @ W.T + b)[..., None, :], h)
        for given, W, b in zip(which, np.split(P["W"], 3), np.split(P["b"], 3), strict=True)
    )
    cache = np.concatenate([cache, np.stack([k, v])], -2)
    weights = softmax(q @ np.swapaxes(cache[0], -1, -2) / np.sqrt(q.shape[-1]))
    return (merge_heads(weights @ cache[1]) @ P["Wo"].T + P["bo"])[..., 0, :], cache


cached_step = Check(
    reference=reference.cached_step,
    from_scratch=("MultiheadAttention", "scaled_dot_product_attention"),
    cases={
        "one sentence": _kept,
        "a batch of sentences": lambda rng: _kept(rng, 2),
        "two leading axes": lambda rng: _kept(rng, 2, 5),
        "the first token, nothing kept": lambda rng: _kept(rng, 2, t=0),
        "the second token": lambda rng: _kept(rng, 2, t=1),
        "the last place": lambda rng: _kept(rng, 2, t=8),
        "a single head": lambda rng: _kept(rng, 2, h=1),
        "scores in the thousands": _loud,
        "float32 numbers": lambda rng: _kept_as(_kept(rng, 2), lambda a: a.astype(np.float32)),
        "stored column by column": lambda rng: _kept_as(_kept(rng, 2), np.asfortranarray),
    },
    mistakes={
        "The token's place is the number of tokens kept; you gave it the first place.": _stepping(
            place=lambda t, places: places[0]
        ),
        "Places count from 0: with t tokens kept the new one has place t, not t + 1.": _stepping(
            place=lambda t, places: places[(t + 1) % len(places)]
        ),
        "With t tokens kept the new one has place t; t − 1 is the place of the last one kept.": (
            _stepping(place=lambda t, places: places[max(t - 1, 0)])
        ),
        "The place is missing: add its row of pe to the token.": _stepping(
            place=lambda t, places: 0
        ),
        "All of a token has its place, keys and values too; you gave it to the queries only.": (
            _place_in_the_queries_only
        ),
        "The values come from the token with its place, as queries and keys do.": (
            _no_place_in_the_values
        ),
        "A token sees itself too: add its key and value before it looks.": _stepping(
            seen=_old_only
        ),
        "The new token looks at all that is kept, not only at itself.": _stepping(
            seen=lambda old, new: new
        ),
        "The cache grows by one: return the new key and value with it.": _stepping(
            kept=lambda old, new: old
        ),
        "Return the whole cache, not only what is new in it.": _stepping(kept=lambda old, new: new),
        "The new key and value come behind the old ones.": _stepping(
            kept=lambda old, new: np.concatenate([new, old], -2)
        ),
        "All that was kept stays; you dropped the oldest.": _stepping(
            kept=lambda old, new: np.concatenate([old[..., 1:, :], new], -2)
        ),
        "The cache holds keys first, then values; you swapped the new ones.": _stepping(
            kept=lambda old, new: np.concatenate([old, new[::-1]], -2)
        ),
        "The cache holds keys first, then values; you took them the other way round.": _stepping(
            seen=lambda old, new: np.concatenate([old[::-1], new], -2)
        ),
        "Keys and values in the cache are ready: you projected them once more.": _stepping(
            old=_projected_again
        ),
        "Each sentence has a past of its own; you showed all of them that of the first.": _stepping(
            old=_of_the_first
        ),
        "The parts of W are for queries, keys and values, in this order.": _stepping(
            project=lambda x, W, b: [np.split(x @ W.T + b, 3, axis=-1)[i] for i in (1, 0, 2)]
        ),
        "W is transposed: PyTorch keeps a row for each output.": _stepping(
            project=lambda x, W, b: [
                x @ part + bias for part, bias in zip(np.split(W, 3), np.split(b, 3), strict=True)
            ]
        ),
        "The biases of the projections, b, are missing.": _stepping(
            project=lambda x, W, b: np.split(x @ W.T, 3, axis=-1)
        ),
        "A head's features stand next to each other; you dealt them out in turn.": _stepping(
            split=_in_turn_split
        ),
        "The scale is missing: divide the scores by the root of a head's width.": _stepping(
            scale=lambda d_head, h: 1
        ),
        "Divide the scores by the root of a head's width, not of d.": _stepping(
            scale=lambda d_head, h: np.sqrt(h * d_head)
        ),
        "Divide the scores by the root of a head's width, not by the width.": _stepping(
            scale=lambda d_head, h: d_head
        ),
        "The weights of a query sum to 1 over all keys; you took a softmax of each alone.": (
            _stepping(weigh=lambda scores: softmax(scores, -2))
        ),
        "Each head has its own weights over the keys; yours sum to 1 over the heads.": _stepping(
            weigh=lambda scores: softmax(scores, -3)
        ),
        "exp of a large score overflows; shifting a token's scores alike changes no weight.": (
            _stepping(weigh=_unshifted_weights)
        ),
        "The heads are mixed by Wo and bo, which are missing.": _stepping(
            mix=lambda heads, P: merge_heads(heads)
        ),
        "Wo is transposed: PyTorch keeps a row for each output.": _stepping(
            mix=lambda heads, P: merge_heads(heads) @ P["Wo"] + P["bo"]
        ),
        "The bias of the output, bo, is missing.": _stepping(
            mix=lambda heads, P: merge_heads(heads) @ P["Wo"].T
        ),
    },
    returns=("output", "cache"),
    atol=1e-5,
)
