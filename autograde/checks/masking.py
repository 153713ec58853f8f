"""Checks of chapter `masking`."""

from collections.abc import Callable, Mapping

import numpy as np

from autograde.check import Check
from autograde.reference import masking as reference

# ---- causal_mask


def _tokens(n: int, past: int = 0) -> dict:
    return {"n": n, "past": past}


causal_mask = Check(
    reference=reference.causal_mask,
    cases={
        "a single token": lambda rng: _tokens(1),
        "two tokens": lambda rng: _tokens(2),
        "several tokens": lambda rng: _tokens(int(rng.integers(4, 8))),
        "many tokens": lambda rng: _tokens(int(rng.integers(20, 40))),
        "three tokens after others": lambda rng: _tokens(3, int(rng.integers(1, 3))),
        "a single token after others": lambda rng: _tokens(1, int(rng.integers(4, 9))),
        "more tokens before than now": lambda rng: _tokens(4, int(rng.integers(5, 9))),
    },
    mistakes={
        "A token may look at itself: the diagonal is open.": (
            lambda n, past=0: np.tri(n, past + n, past - 1, dtype=bool)
        ),
        "Rows are queries and columns are keys; you swapped them.": (
            lambda n, past=0: np.tri(n, past + n, past, dtype=bool).T
        ),
        "True means that a query may look; yours is True where it may not.": (
            lambda n, past=0: ~np.tri(n, past + n, past, dtype=bool)
        ),
        "One place too far: the last open key of a token is its own.": (
            lambda n, past=0: np.tri(n, past + n, past + 1, dtype=bool)
        ),
        "A token must not look at the tokens after it; you let it see all.": (
            lambda n, past=0: np.ones((n, past + n), bool)
        ),
        "A token looks at all tokens before it, not at itself alone.": (
            lambda n, past=0: np.eye(n, past + n, past, dtype=bool)
        ),
        "Return true and false, not the numbers 1 and 0.": (
            lambda n, past=0: np.tri(n, past + n, past)
        ),
        "Return true and false, not numbers to be added to the scores.": (
            lambda n, past=0: np.where(np.tri(n, past + n, past, dtype=bool), 0.0, -np.inf)
        ),
        "Two axes are enough: queries and keys.": (
            lambda n, past=0: np.tri(n, past + n, past, dtype=bool)[None]
        ),
        "The tokens from before have keys too: there are past + n columns.": (
            lambda n, past=0: np.tri(n, dtype=bool)
        ),
        "Only the n new tokens ask: there are n rows.": (
            lambda n, past=0: np.tri(past + n, dtype=bool)
        ),
        "The first new token comes after all the tokens from before: it may look at them.": (
            lambda n, past=0: np.tri(n, past + n, dtype=bool)
        ),
        "The tokens from before stand first: their columns are on the left.": (
            lambda n, past=0: np.hstack([np.tri(n, dtype=bool), np.ones((n, past), bool)])
        ),
    },
    properties={
        "A token may look at itself and at all tokens before it, so each row has one more open "
        "key than the last.": lambda arguments, mask: bool((np.diff(mask.sum(1)) == 1).all()),
    },
)

# ---- padding_mask


def _sentences(rng: np.random.Generator, *lengths: int, m: int = 5) -> dict:
    """Sentences of these lengths in any order, padded at the end; 0 is a token like others."""
    pad = int(rng.integers(2, 8))
    ids = rng.choice([i for i in range(10) if i != pad], size=(len(lengths), m))
    ids[np.arange(m) >= rng.permutation(lengths)[:, None]] = pad
    ids[:, 0] = np.where(ids[:, 0] == pad, pad, 0)
    return {"ids": ids, "pad": pad}


def _holes(rng: np.random.Generator) -> dict:
    """Padding at the front, and in the middle."""
    inputs = _sentences(rng, 6, 6, 6, m=6)
    inputs["ids"][0, :2] = inputs["ids"][1, 2] = inputs["ids"][2, [1, 3]] = inputs["pad"]
    return inputs


def _open(ids: np.ndarray, pad: int) -> np.ndarray:
    return ids != pad


padding_mask = Check(
    reference=reference.padding_mask,
    cases={
        "sentences of different lengths": lambda rng: _sentences(rng, 5, 3, 2),
        "no padding": lambda rng: _sentences(rng, 5, 5),
        "a sentence of padding only": lambda rng: _sentences(rng, 5, 0),
        "padding at the front and in the middle": _holes,
        "a single sentence": lambda rng: _sentences(rng, 3),
        "a single token each": lambda rng: _sentences(rng, 1, 0, 1, m=1),
        "as many sentences as tokens": lambda rng: _sentences(rng, 4, 3, 2, 1, m=4),
        "short integers": lambda rng: {
            "ids": rng.choice([-7, 3, 5], size=(2, 6)).astype(np.int8),
            "pad": -7,
        },
        "stored column by column": lambda rng: {
            name: np.asfortranarray(value) if name == "ids" else value
            for name, value in _sentences(rng, 5, 4, 2).items()
        },
    },
    mistakes={
        "True means that a query may look; yours is True at the padding.": (
            lambda ids, pad: (ids == pad)[:, None, None]
        ),
        "The padding is hidden as a key, for every query: the keys are the last axis.": (
            lambda ids, pad: _open(ids, pad)[:, None, :, None]
        ),
        "This blocks queries; keep the keys on the last axis, after an axis each for heads and "
        "queries.": lambda ids, pad: _open(ids, pad)[:, :, None],
        "Axes of size 1 are missing: the mask is to fit scores with heads and queries.": _open,
        "There is one axis for the heads and one for the queries; you have one in all.": (
            lambda ids, pad: _open(ids, pad)[:, None]
        ),
        "The batch comes first: axes of size 1 go between the batch and the keys.": (
            lambda ids, pad: _open(ids, pad)[None, None]
        ),
        "Padding as a query is harmless, and a query without any key is not: hide keys only.": (
            lambda ids, pad: _open(ids, pad)[:, None, None, :] & _open(ids, pad)[:, None, :, None]
        ),
        "Return true and false, not the numbers 1 and 0.": (
            lambda ids, pad: _open(ids, pad)[:, None, None].astype(float)
        ),
        "Return true and false, not numbers to be added to the scores.": (
            lambda ids, pad: np.where(_open(ids, pad), 0, -np.inf)[:, None, None]
        ),
        "The padding has the id that is given, which need not be 0.": (
            lambda ids, pad: _open(ids, 0)[:, None, None]
        ),
        "Any token may have a smaller id than the padding: compare for equality.": (
            lambda ids, pad: (ids > pad)[:, None, None]
        ),
        "Padding may stand before tokens: do not hide all that comes after it.": (
            lambda ids, pad: np.cumprod(_open(ids, pad), -1).astype(bool)[:, None, None]
        ),
        "Padding need not stand at the end: a count of the tokens does not say where they are.": (
            lambda ids, pad: (np.arange(ids.shape[1]) < _open(ids, pad).sum(1)[:, None])[
                :, None, None
            ]
        ),
        "Each sentence has padding of its own; you hid what is padding in any of them.": (
            lambda ids, pad: np.broadcast_to(_open(ids, pad).all(0), ids.shape)[:, None, None]
        ),
    },
)

# ---- masked_softmax


def _look(rng: np.random.Generator, *leading: int, n: int = 4, m: int = 5) -> dict:
    """Every query has an open key and a hidden one; no two axes have the same size."""
    shape = (*leading, n, m)
    mask = rng.random(shape) < 0.5
    order = rng.random(shape).argsort(-1)
    np.put_along_axis(mask, order[..., :1], True, -1)
    np.put_along_axis(mask, order[..., -1:], False, -1)
    return {"scores": 2 * rng.normal(size=shape), "mask": mask}


def _nowhere(rng: np.random.Generator, *leading: int) -> dict:
    inputs = _look(rng, *leading)
    inputs["mask"][..., rng.integers(4), :] = False
    return inputs


def _padded_heads(rng: np.random.Generator) -> dict:
    """The second sentence is padding only."""
    return _look(rng, 2, 3) | {"mask": np.array([[1, 1, 0, 1, 0], [0] * 5], bool)[:, None, None]}


def _quarters(rng: np.random.Generator, shifts: list[float], hidden: float | None = None) -> dict:
    """Scores that float32 holds exactly; all of a query move by its shift."""
    inputs = _look(rng, 2)
    scores = rng.integers(-8, 9, size=(2, 4, 5)) / 4 + np.array(shifts)[:, None]
    if hidden is not None:
        scores = np.where(inputs["mask"], scores, hidden + rng.integers(-3, 4, size=(2, 4, 5)))
    return inputs | {"scores": scores}


def _poisoned(rng: np.random.Generator) -> dict:
    inputs = _look(rng, 2)
    poison = rng.choice([np.nan, np.inf], size=(2, 4, 5))
    return inputs | {"scores": np.where(inputs["mask"], inputs["scores"], poison)}


def _not_a_number(rng: np.random.Generator) -> dict:
    """In a row without hidden keys, so that it is NaN everywhere."""
    inputs = _look(rng)
    inputs["mask"][1] = True
    inputs["scores"][1, rng.integers(5)] = np.nan
    return inputs


def _half(rng: np.random.Generator) -> dict:
    """In each row the best scores are tied, 3 or 5 of them, and the rest far below.

    The weights are those tied scores' shares, which float16 rounds so much that the float64
    numbers differ from them.
    """
    best = rng.integers(-100, 100, size=(4, 1))
    far_below = 40 + rng.integers(20, size=(4, 6))
    scores = best - np.where(np.arange(6) < np.array([[3], [3], [5], [5]]), 0, far_below)
    mask = np.arange(6) < np.array([[4], [5], [5], [0]])
    scores = np.where(mask, scores, rng.choice([-30_000, 30_000], size=(4, 6)))
    order = rng.permutation(6)
    return {"scores": scores[:, order].astype(np.float16), "mask": mask[:, order]}


def _exact(dtype: type) -> Callable[[np.random.Generator], dict]:
    def draw(rng: np.random.Generator) -> dict:
        inputs = _nowhere(rng, 2)
        return inputs | {"scores": rng.integers(-4, 5, size=(2, 4, 5)).astype(dtype)}

    return draw


def _filled(scores: np.ndarray, mask: np.ndarray, value: float) -> np.ndarray:
    """The scores, with the value at hidden places, in their own precision."""
    scores = _real(scores)
    return np.where(mask, scores, scores.dtype.type(value))


def _real(scores: np.ndarray) -> np.ndarray:
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def _plain(scores: np.ndarray, axis: int | tuple = -1) -> np.ndarray:
    """A softmax that gives NaN where all scores are minus infinity."""
    powers = np.exp(scores - scores.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _or_zero(weights: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.where(mask.any(-1, keepdims=True), weights, weights.dtype.type(0))


def _shifted_by(shift: Callable) -> Callable:
    """Right but for what is taken from all scores of a row, a function of scores and mask."""

    def wrong(scores, mask):
        powers = np.exp(_filled(scores, mask, -np.inf) - shift(_real(scores), mask))
        return _or_zero(powers / powers.sum(-1, keepdims=True), mask)

    return wrong


def _below_zero(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Whoever divides by a total of 0 with care gets zeros."""
    powers = np.exp(scores - (scores * mask).max(-1, keepdims=True)) * mask
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def _below_a_hidden_score(divisor: Callable) -> Callable:
    """In a row's maximum hidden scores count; whoever divides with care gets zeros."""

    def wrong(scores, mask):
        powers = np.exp(_real(scores) - scores.max(-1, keepdims=True)) * mask
        return powers / divisor(powers.sum(-1, keepdims=True))

    return wrong


def _over_a_little_more(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    weights = _plain(_real(scores) * mask) * mask
    return weights / (weights.sum(-1, keepdims=True) + weights.dtype.type(1e-13))


def _same_shape_only(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    hidden = _real(scores).copy()
    hidden[~mask] = -np.inf
    return _or_zero(_plain(hidden), mask)


def _by_sentence(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Zeros only where nobody in a sentence may look anywhere."""
    weights = _plain(_filled(scores, mask, -np.inf))
    return np.where(mask.any((-1, -2), keepdims=True), weights, weights.dtype.type(0))


def _sum_to_1_or_0(arguments: Mapping, weights: np.ndarray) -> bool:
    sums = weights.sum(-1, dtype=np.float64)
    somewhere = np.broadcast_to(arguments["mask"], weights.shape).any(-1)
    return bool((np.isnan(sums) | (np.abs(sums - somewhere) < 1e-3)).all())


def _keeps_float16(arguments: Mapping, weights: np.ndarray) -> bool:
    return arguments["scores"].dtype != np.float16 or weights.dtype == np.float16


masked_softmax = Check(
    reference=reference.masked_softmax,
    cases={
        "one sequence": _look,
        "a mask for each sentence and head": lambda rng: _look(rng, 2, 3),
        "one mask for all sentences": lambda rng: _look(rng, 2) | {"mask": _look(rng)["mask"]},
        "a padding mask for all heads, one sentence being padding only": _padded_heads,
        "a query that may look nowhere": lambda rng: _nowhere(rng, 2),
        "a single query": lambda rng: _look(rng, 2, n=1),
        "open scores near −300": lambda rng: _quarters(rng, [-300] * 4, hidden=0),
        "open scores near 1000": lambda rng: _quarters(rng, [1000] * 4),
        "queries with scores far apart": lambda rng: _quarters(rng, [1000, -1000, 0, 500]),
        "hidden scores near 10 000": lambda rng: _quarters(rng, [0] * 4, hidden=10_000),
        "NaN and infinity behind the mask": _poisoned,
        "NaN in the open": _not_a_number,
        "half precision (float16)": _half,
        "float32 numbers": _exact(np.float32),
        "whole numbers": _exact(np.int64),
        "stored column by column": lambda rng: {
            name: np.asfortranarray(array) for name, array in _look(rng, 2).items()
        },
    },
    mistakes={
        "A large hidden score as a row's maximum pushes all weights to 0: take it over the open "
        "scores.": _below_a_hidden_score(lambda total: np.where(total == 0, 1, total)),
        "Below a hidden maximum open powers are tiny: a number added to their sum swallows them.": (
            _below_a_hidden_score(lambda total: total + total.dtype.type(1e-12))
        ),
        "Weights that are set to 0 after the softmax leave a row that does not sum to 1.": (
            lambda scores, mask: _plain(_real(scores)) * mask
        ),
        "Minus infinity belongs among the scores: after the softmax a hidden key has weight 0.": (
            lambda scores, mask: np.where(mask, _plain(_real(scores)), -np.inf)
        ),
        "A small number in the divisor swallows rows whose open scores are very low.": (
            _over_a_little_more
        ),
        "A score of 0 is a score like any other: times the mask hides nothing.": (
            lambda scores, mask: _plain(_real(scores) * mask)
        ),
        "The mask is not used: hidden keys get weights too.": (
            lambda scores, mask: _plain(_real(scores))
        ),
        "Adding a boolean mask adds 1 to the open scores and hides nothing.": (
            lambda scores, mask: _plain(_real(scores) + mask)
        ),
        "True means that a query may look; you hid those keys and showed the others.": (
            lambda scores, mask: _or_zero(_plain(_filled(scores, ~mask, -np.inf)), ~mask)
        ),
        "A query that may look nowhere gets zeros, not NaN.": (
            lambda scores, mask: _plain(_filled(scores, mask, -np.inf))
        ),
        "Ask of each query whether it may look anywhere, not of a whole sentence.": _by_sentence,
        "Where nothing is open the same low number for all keys gives equal weights, not zeros.": (
            lambda scores, mask: _plain(_filled(scores, mask, np.finfo(_real(scores).dtype).min))
        ),
        "−1e9 does not fit float16, and where nothing is open it gives equal weights.": (
            lambda scores, mask: _plain(_filled(scores, mask, -1e9))
        ),
        "Real scores can be lower than −10: only minus infinity loses to all of them.": (
            lambda scores, mask: _plain(_filled(scores, mask, -10))
        ),
        "−1e9 added to all scores of a row changes no weight: where nothing is open, give zeros.": (
            lambda scores, mask: _plain(_real(scores) + _filled(0 * mask, mask, -1e9))
        ),
        "0 times infinity is NaN: choose between the score and minus infinity.": (
            lambda scores, mask: _plain(_real(scores) + ~mask * -np.inf)
        ),
        "Only a row with nothing open becomes zero: NaN in an open score must stay visible.": (
            lambda scores, mask: np.nan_to_num(_plain(_filled(scores, mask, -np.inf)))
        ),
        "Take a row's maximum over the open scores: a large hidden one pushes them to 0/0.": (
            _shifted_by(lambda scores, mask: scores.max(-1, keepdims=True))
        ),
        "Each row has a maximum of its own, over its open scores; you took that of all scores.": (
            _shifted_by(lambda scores, mask: scores.max())
        ),
        "A hidden score is not 0: as a row's maximum it pushes very low open scores to 0.": (
            _below_zero
        ),
        "Far below the others a query's weights underflow to 0/0: give each row its own maximum.": (
            _shifted_by(lambda scores, mask: _filled(scores, mask, -np.inf).max())
        ),
        "exp of a large score overflows; shifting a row's open scores alike changes no weight.": (
            _shifted_by(lambda scores, mask: scores.dtype.type(0))
        ),
        "The weights of each query sum to 1: take the softmax over the keys, not the queries.": (
            lambda scores, mask: np.where(mask, _plain(_filled(scores, mask, -np.inf), -2), 0)
        ),
        "The weights of each query sum to 1, not those of the whole matrix.": (
            lambda scores, mask: _plain(_filled(scores, mask, -np.inf), (-1, -2))
        ),
        "The mask broadcasts: an axis of it may have size 1, or be missing.": _same_shape_only,
        "Each query has a row of the mask of its own; you used the first for all.": (
            lambda scores, mask: reference.masked_softmax(scores, mask[..., :1, :])
        ),
    },
    properties={
        "The weights of a query sum to 1, or are all 0 if it may look nowhere.": _sum_to_1_or_0,
        "The weights keep the precision of the scores: float16 in, float16 out.": _keeps_float16,
    },
)

# ---- shift_right


def _targets(rng: np.random.Generator, shape: tuple, lengths: list[int]) -> dict:
    """Sentences of these lengths in any order, each ending with <EOS>, then padding."""
    sos, eos, pad = (int(number) for number in rng.choice(20, size=3, replace=False))
    tokens = [number for number in range(20) if number not in (sos, eos, pad)]
    targets = rng.choice(tokens, size=(len(lengths), shape[-1]))
    ends = rng.permutation(lengths)[:, None]
    targets[np.arange(shape[-1]) == ends - 1] = eos
    targets[np.arange(shape[-1]) >= ends] = pad
    return {"targets": targets.reshape(shape), "sos": sos, "pad": pad}


def _with_targets(change: Callable) -> Callable[[np.random.Generator], dict]:
    def draw(rng: np.random.Generator) -> dict:
        inputs = _targets(rng, (3, 6), [6, 4, 2])
        return inputs | {"targets": change(inputs["targets"])}

    return draw


def _moved(targets: np.ndarray, sos: int | np.ndarray) -> np.ndarray:
    """One place to the right, with something in front; padding is not looked after."""
    first = np.broadcast_to(sos, (*targets.shape[:-1], 1))
    return np.concatenate([first, targets[..., :-1]], -1).astype(targets.dtype)


def _last_token(targets: np.ndarray, pad: int) -> np.ndarray:
    """(..., 1), the last one of each row that is no padding."""
    return np.take_along_axis(targets, (targets != pad).sum(-1, keepdims=True) - 1, -1)


def _always_sos(targets: np.ndarray, sos: int, pad: int) -> np.ndarray:
    inputs = np.where(targets == pad, pad, _moved(targets, sos))
    inputs[..., 0] = sos
    return inputs


def _one_leading_axis(targets: np.ndarray, sos: int, pad: int) -> np.ndarray:
    inputs = np.full_like(targets, sos)
    inputs[:, 1:] = targets[:, :-1]
    return np.where(targets == pad, pad, inputs)


def _overwritten(targets: np.ndarray, sos: int, pad: int) -> np.ndarray:
    inputs = targets.copy()
    inputs[..., 0] = sos
    return inputs


shift_right = Check(
    reference=reference.shift_right,
    cases={
        "sentences of one length": lambda rng: _targets(rng, (2, 5), [5, 5]),
        "sentences of different lengths": lambda rng: _targets(rng, (3, 6), [6, 4, 2]),
        "a row of padding only": lambda rng: _targets(rng, (2, 5), [0, 3]),
        "a single sentence, without a batch": lambda rng: _targets(rng, (6,), [4]),
        "two leading axes": lambda rng: _targets(rng, (2, 3, 5), [5, 4, 3, 2, 1, 5]),
        "<EOS> only": lambda rng: _targets(rng, (2, 1), [1, 1]),
        "short integers": _with_targets(lambda targets: targets.astype(np.int8)),
        "stored column by column": _with_targets(np.asfortranarray),
    },
    mistakes={
        "<EOS> is predicted, never read: where the target is padding, the input is padding too.": (
            lambda targets, sos, pad: _moved(targets, sos)
        ),
        "You shifted to the left: the input is the token before the target, not after it.": (
            lambda targets, sos, pad: np.concatenate(
                [targets[..., 1:], np.full_like(targets[..., :1], pad)], -1
            )
        ),
        "The last token came back at the front: that place belongs to <SOS>.": (
            lambda targets, sos, pad: np.roll(targets, 1, -1)
        ),
        "Each row is a sentence of its own: its last token must not move into the next row.": (
            lambda targets, sos, pad: np.roll(targets, 1)
        ),
        "The inputs are as long as the targets: <SOS> comes in, the last token goes out.": (
            lambda targets, sos, pad: np.concatenate(
                [np.full_like(targets[..., :1], sos), targets], -1
            )
        ),
        "<SOS> is missing: the first token is to be predicted too.": (
            lambda targets, sos, pad: targets[..., :-1]
        ),
        "All tokens move one place to the right; you overwrote the first one.": _overwritten,
        "Begin with <SOS>, not with the last token of the row.": (
            lambda targets, sos, pad: _moved(targets, _last_token(targets, pad))
        ),
        "These are the targets: the model would read what it has to predict.": (
            lambda targets, sos, pad: targets
        ),
        "A row of padding only stays as it is: nothing is to be predicted there.": _always_sos,
        "Any number of axes may come before the last, none too; you count on one.": (
            _one_leading_axis
        ),
        "The ids stay integers.": lambda targets, sos, pad: reference.shift_right(
            targets, sos, pad
        ).astype(float),
    },
)

# ---- leaks


def _with_a_black_box(leaks, n, hide, keep, skip, feels, prefix, W):
    """Let a learner's function test a map from n numbers to n rows that it cannot look into.

    Layers of attention, one for each mask in keep. Rows come out centred, as from LayerNorm.
    feels is the sign of the inputs that it reacts to, 0 for both.
    """
    import numpy as np

    embedding, places, Wq, Wk, Wv = W[0, 0], W[1, :n], W[2], W[3], W[4]

    def f(x):
        x = np.asarray(x, dtype=float)
        if x.shape != (n,):
            raise ValueError(f"the map takes {n} numbers, not an array of shape {x.shape}")
        x = np.tanh(feels * np.maximum(feels * x, 0) if feels else x)
        X = x[:, None] * embedding + places
        for allowed in keep:
            scores = (X @ Wq) @ (X @ Wk).T
            hidden = {"fully": -np.inf, "a little": -6.0, "late": scores}[hide]
            scores = np.where(allowed, scores, hidden)
            highest = np.max(scores, 1, keepdims=True)
            powers = np.exp(scores - np.where(highest == -np.inf, 0, highest))
            total = np.sum(powers, 1, keepdims=True)
            powers = np.where(allowed | (hide != "late"), powers, 0)
            X = skip * X + powers / np.where(total == 0, 1, total) @ (X @ Wv)
        if prefix:  # the sum of x up to each place, with a rounding error that comes from behind
            X[:, 0] += np.sum(x) - (np.cumsum(x[::-1])[::-1] - x)
        return X - np.mean(X, 1, keepdims=True)

    return leaks(f, n)


def _box(rng: np.random.Generator, *keep: Callable, n: int = 0, **kind) -> dict:
    """One layer for each function that makes a mask of (n, n)."""
    n = n or int(rng.integers(4, 6))
    usual = {"hide": "fully", "keep": np.array([mask(n) for mask in keep]), "skip": 0.0}
    return {"n": n} | usual | {"feels": 0, "prefix": False} | kind | {"W": _weights(rng)}


def _weights(rng: np.random.Generator) -> np.ndarray:
    """(5, 6, 6), none of them near 0, so that nothing depends too little to be seen."""
    return rng.choice([-1, 1], size=(5, 6, 6)) * rng.uniform(0.3, 0.7, size=(5, 6, 6))


def _causal(n: int) -> np.ndarray:
    return np.tri(n, dtype=bool)


def _strict(n: int) -> np.ndarray:
    return np.tri(n, k=-1, dtype=bool)


def _window(n: int) -> np.ndarray:
    """Itself and the token before."""
    return np.tri(n, dtype=bool) & ~np.tri(n, k=-2, dtype=bool)


def _hole(n: int) -> np.ndarray:
    """Causal, but for one pair."""
    mask = _causal(n)
    mask[1, n - 1] = True
    return mask


def _tested(
    start: Callable = lambda rng, n: rng.normal(size=n),
    change: Callable = lambda rng, x, j: np.where(np.arange(len(x)) == j, rng.normal(), x),
    moved: Callable = lambda new, old: np.abs(new - old).max(1) > reference.ROUNDING,
    trials: int = reference.TRIALS,
) -> Callable:
    """The dependence of a map, found with these inputs, these changes and this comparison."""

    def test(f: Callable, n: int) -> np.ndarray:
        rng = np.random.default_rng(1)
        depends = np.zeros((n, n), bool)
        for _ in range(trials):
            x = start(rng, n)
            output = f(x.copy())
            for j in range(n):
                depends[:, j] |= moved(f(change(rng, x, j)), output)
        return depends

    return test


def _in_place(rng: np.random.Generator, x: np.ndarray, j: int) -> np.ndarray:
    x[j] = rng.normal()
    return x.copy()


def _at_every_input(f: Callable, n: int) -> np.ndarray:
    """Dependence that each of two inputs shows, one positive and one negative."""

    def found(sign: int) -> np.ndarray:
        return _tested(
            start=lambda rng, n: sign * np.ones(n),
            change=lambda rng, x, j: x + sign * (np.arange(len(x)) == j),
            trials=1,
        )(f, n)

    return found(1) & found(-1)


def _enough_inputs(arguments: dict, depends: np.ndarray) -> bool:
    """Whether no input seems to act on nothing only since it was tried where it does not.

    Which inputs those are is chance, so no mistake gives the same answers.
    """
    right = (depends == _causal(arguments["n"])).all(0)
    silent = ~depends.any(0)
    return not arguments["feels"] or bool(right.all() or not (right | silent).all())


_dependence = _tested()
_MANY_INPUTS = "Try many inputs: an output may depend on a token for some of them only."

leaks = Check(
    reference=reference.leaks,
    cases={
        "a causal layer": lambda rng: _box(rng, _causal),
        "a layer without a mask": lambda rng: _box(rng, lambda n: np.ones((n, n), bool)),
        "a strict mask": lambda rng: _box(rng, _strict),
        "a strict mask beside a residual path": lambda rng: _box(rng, _strict, skip=1.0),
        "the wrong triangle": lambda rng: _box(rng, lambda n: ~_strict(n)),
        "a causal mask with one hole": lambda rng: _box(rng, _hole),
        "two layers, each looking one token back": lambda rng: _box(rng, _window, _window),
        "−6 in the place of minus infinity": lambda rng: _box(rng, _causal, hide="a little"),
        "a mask after the softmax": lambda rng: _box(rng, _causal, hide="late"),
        "a causal map that does not react to positive inputs": (
            lambda rng: _box(rng, _causal, feels=-1)
        ),
        "a causal map that does not react to negative inputs": (
            lambda rng: _box(rng, _causal, feels=1)
        ),
        "a causal map with rounding errors": lambda rng: _box(rng, _causal, prefix=True),
        "a single token": lambda rng: _box(rng, _causal, n=1),
        "two tokens and a strict mask": lambda rng: _box(rng, _strict, n=2),
    },
    mistakes={
        "Rows are outputs and columns are inputs; you swapped them.": (
            lambda f, n: _dependence(f, n).T
        ),
        "True means that the output depends on the input; yours is True where it does not.": (
            lambda f, n: ~_dependence(f, n)
        ),
        "Return true and false, not the numbers 1 and 0.": (
            lambda f, n: _dependence(f, n).astype(float)
        ),
        _MANY_INPUTS: _at_every_input,
        "Report all dependence, not only that on later inputs.": (
            lambda f, n: np.triu(_dependence(f, n), 1)
        ),
        "Try the map: this is what a causal one should give, not what this one does.": (
            lambda f, n: _causal(n)
        ),
        "Change one input at a time, and put the old number back before the next.": (
            _tested(change=_in_place)
        ),
        "Change one input at a time; you changed all from there on.": _tested(
            change=lambda rng, x, j: np.where(np.arange(len(x)) >= j, rng.normal(size=len(x)), x)
        ),
        "Compare row by row: each output has its own answer.": _tested(
            moved=lambda new, old: np.abs(new - old).max() > reference.ROUNDING
        ),
        "Compare all numbers of a row: their sum may stay the same.": _tested(
            moved=lambda new, old: np.abs((new - old).sum(1)) > reference.ROUNDING
        ),
        "A difference of 1e-16 is a rounding error, not dependence.": _tested(
            moved=lambda new, old: (new != old).any(1)
        ),
        "A small change is a change too: only rounding errors do not count.": _tested(
            moved=lambda new, old: np.abs(new - old).max(1) > 0.1
        ),
        "NaN spreads even through weights of 0: put another number in the place.": _tested(
            change=lambda rng, x, j: np.where(np.arange(len(x)) == j, np.nan, x),
            moved=lambda new, old: np.isnan(new).any(1),
        ),
    },
    properties={_MANY_INPUTS: _enough_inputs},
    probe=_with_a_black_box,
)
