"""Checks of chapter `attention`."""

from collections.abc import Mapping

import numpy as np

from autograde.check import Check
from autograde.reference import attention as reference
from autograde.reference.vectors import softmax

FLOAT32 = 1e-5  # a sum that comes out near 0 keeps float32's error of terms as large as 10
_PARTS = ("output", "weights")

# Of torch; whoever writes attention does not call it.
READY_MADE = (
    "scaled_dot_product_attention",
    "MultiheadAttention",
    "multi_head_attention_forward",
)


def mixed(weights: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What attention returns, once its weights are known."""
    return weights @ V, weights


def unshifted(scores: np.ndarray) -> np.ndarray:
    """A softmax whose exponentials may overflow, or all underflow."""
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


def _float32(inputs: dict) -> dict:
    return {name: array.astype(np.float32) for name, array in inputs.items()}


def _column_by_column(inputs: dict) -> dict:
    return {name: np.asfortranarray(array) for name, array in inputs.items()}


def sum_to_1(arguments: Mapping, answer: list) -> bool:
    """A property of (output, weights)."""
    return np.allclose(answer[1].sum(-1, dtype=np.float64), 1, rtol=0, atol=1e-4)


def _between_the_values(arguments: Mapping, answer: list) -> bool:
    """In every feature an average lies between the smallest and the largest value."""
    output, V = np.atleast_2d(answer[0]), arguments["V"]
    room = 1e-4 * (1 + np.abs(V).max())
    lowest, highest = V.min(-2, keepdims=True), V.max(-2, keepdims=True)
    return bool(((output > lowest - room) & (output < highest + room)).all())


_PROPERTIES = {
    "The weights of a query must sum to 1.": sum_to_1,
    "The output is an average, so it lies between the smallest and the largest value.": (
        _between_the_values
    ),
}

# ---- attend_one


def _look_up(rng: np.random.Generator, m: int = 5) -> dict:
    return {
        "q": rng.normal(size=6),
        "K": rng.normal(size=(m, 6)),
        "V": rng.normal(size=(m, 7)),
    }


def _whole_look_up(rng: np.random.Generator) -> dict:
    """Whole scores, exact in float32 however large beta makes them."""
    return {
        "q": rng.integers(-3, 4, size=6).astype(float),
        "K": rng.integers(-3, 4, size=(5, 6)).astype(float),
        "V": rng.normal(size=(5, 7)),
    }


def _one_winner(rng: np.random.Generator) -> dict:
    """Scores that differ by 3 at least, so that no weight is shared when beta is large."""
    inputs = _whole_look_up(rng)
    inputs["q"][0] = 1
    inputs["K"][:, 0] = 3 * rng.permutation(5) - inputs["K"][:, 1:] @ inputs["q"][1:]
    return inputs | {"beta": 1000.0}


def _far_from_0(rng: np.random.Generator, shift: float) -> dict:
    """All scores move alike, which changes no weight."""
    inputs = _whole_look_up(rng)
    inputs["q"][0], inputs["K"][:, 0] = shift / 40, 40
    return inputs


attend_one = Check(
    reference=reference.attend_one,
    from_scratch=READY_MADE,
    cases={
        "five pairs": _look_up,
        "beta below 1": lambda rng: _look_up(rng) | {"beta": 0.25},
        "beta 0: every pair counts alike": lambda rng: _look_up(rng) | {"beta": 0.0},
        "beta 1000: the best key wins": _one_winner,
        "a single pair": lambda rng: _look_up(rng, m=1) | {"beta": 2.0},
        "scores near 1000": lambda rng: _far_from_0(rng, 1000),
        "scores near −1000": lambda rng: _far_from_0(rng, -1000),
        "whole numbers": lambda rng: {
            "q": rng.integers(-2, 3, size=6),
            "K": rng.integers(-2, 3, size=(5, 6)),
            "V": rng.integers(-9, 10, size=(5, 7)),
            "beta": 0.5,
        },
        "float32 numbers": lambda rng: _float32(_look_up(rng)),
        "stored column by column": lambda rng: _column_by_column(_look_up(rng)),
    },
    mistakes={
        "These are scores, not weights: they do not sum to 1.": (
            lambda q, K, V, beta=1.0: mixed(beta * K @ q, V)
        ),
        "Return the weights that made the output, not the scores.": (
            lambda q, K, V, beta=1.0: (softmax(beta * K @ q) @ V, beta * K @ q)
        ),
        "Return the output first, then the weights.": (
            lambda q, K, V, beta=1.0: mixed(softmax(beta * K @ q), V)[::-1]
        ),
        "beta is missing: it decides how sharply the best key wins.": (
            lambda q, K, V, beta=1.0: mixed(softmax(K @ q), V)
        ),
        "A larger beta must sharpen the weights: it is not a temperature.": (
            lambda q, K, V, beta=1.0: mixed(softmax(K @ q / beta), V)
        ),
        "beta multiplies the scores, not the weights.": (
            lambda q, K, V, beta=1.0: mixed(beta * softmax(K @ q), V)
        ),
        "Do not divide by the square root of d_k here; only beta changes the scores.": (
            lambda q, K, V, beta=1.0: mixed(softmax(beta * K @ q / np.sqrt(K.shape[-1])), V)
        ),
        "The score is the plain dot product; do not divide by the lengths.": (
            lambda q, K, V, beta=1.0: mixed(
                softmax(beta * K @ q / (np.linalg.norm(K, axis=1) * np.linalg.norm(q))), V
            )
        ),
        "A soft look-up blends all values; you took only the best one.": (
            lambda q, K, V, beta=1.0: mixed(np.eye(len(K))[np.argmax(beta * K @ q)], V)
        ),
        "Scores may be negative, weights not: scores divided by their sum are not a softmax.": (
            lambda q, K, V, beta=1.0: mixed(beta * K @ q / (beta * K @ q).sum(), V)
        ),
        "exp of a large score overflows; shifting all scores alike changes no weight.": (
            lambda q, K, V, beta=1.0: mixed(unshifted(beta * K @ q), V)
        ),
        "The keys only decide the weights: blend the values.": (
            lambda q, K, V, beta=1.0: mixed(softmax(beta * K @ q), K)
        ),
    },
    properties=_PROPERTIES,
    returns=_PARTS,
    atol=FLOAT32,
)

# ---- attention


def _sequences(rng: np.random.Generator, *leading: int, n: int = 4, m: int = 5) -> dict:
    """No two axes have the same size, so no wrong axis goes unseen."""
    return {
        "Q": rng.normal(size=(*leading, n, 6)),
        "K": rng.normal(size=(*leading, m, 6)),
        "V": rng.normal(size=(*leading, m, 7)),
    }


def _whole_sequences(rng: np.random.Generator, *leading: int) -> dict:
    return {
        "Q": rng.integers(-3, 4, size=(*leading, 4, 6)),
        "K": rng.integers(-3, 4, size=(*leading, 5, 6)),
        "V": rng.integers(-9, 10, size=(*leading, 5, 7)),
    }


def _shifted_rows(rng: np.random.Generator, shifts: list[float], *leading: int) -> dict:
    """All scores of a query move by its shift, which changes no weight; exact in float32."""
    inputs = {name: array.astype(float) for name, array in _whole_sequences(rng, *leading).items()}
    inputs["Q"][..., 0], inputs["K"][..., 0] = np.array(shifts) / 40, 40
    return inputs


def _scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2)


def _one_shift(scores: np.ndarray) -> np.ndarray:
    return unshifted(scores - scores.max())


def without_the_axis(scores: np.ndarray) -> np.ndarray:
    """A softmax that drops the axis of its maximum and its sum, which then fit other rows."""
    powers = np.exp(scores - scores.max(-1))
    return powers / powers.sum(-1)


def over_all(scores: np.ndarray) -> np.ndarray:
    """A softmax over queries and keys together."""
    powers = np.exp(scores - scores.max(axis=(-1, -2), keepdims=True))
    return powers / powers.sum(axis=(-1, -2), keepdims=True)


def _across_sequences(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every query sees the keys of all sequences, as if they were one."""
    output, weights = reference.attention(
        *(array.reshape(-1, array.shape[-1]) for array in (Q, K, V))
    )
    return output.reshape(*Q.shape[:-1], -1), weights.reshape(*Q.shape[:-1], -1)


attention = Check(
    reference=reference.attention,
    from_scratch=READY_MADE,
    cases={
        "one sequence": _sequences,
        "a batch of sequences": lambda rng: _sequences(rng, 2),
        "two leading axes": lambda rng: _sequences(rng, 2, 3),
        "a single query": lambda rng: _sequences(rng, n=1),
        "a single key": lambda rng: _sequences(rng, m=1),
        "scores near 1000": lambda rng: _shifted_rows(rng, [1000]),
        "scores near −1000": lambda rng: _shifted_rows(rng, [-1000]),
        "queries with scores far apart": lambda rng: _shifted_rows(rng, [1000, -1000, 0, 500], 2),
        "whole numbers": lambda rng: _whole_sequences(rng, 2),
        "float32 numbers": lambda rng: _float32(_sequences(rng)),
        "stored column by column": lambda rng: _column_by_column(_sequences(rng, 2)),
    },
    mistakes={
        "These are scores, not weights: they do not sum to 1.": (
            lambda Q, K, V: mixed(_scores(Q, K), V)
        ),
        "Return the weights that made the output, not the scores.": (
            lambda Q, K, V: (softmax(_scores(Q, K)) @ V, _scores(Q, K))
        ),
        "Return the output first, then the weights.": (
            lambda Q, K, V: mixed(softmax(_scores(Q, K)), V)[::-1]
        ),
        "Transpose the last two axes of the keys only; axes before them are a batch.": (
            lambda Q, K, V: mixed(softmax(Q @ np.transpose(K)), V)
        ),
        "Any number of axes may come before the last two, none too; you count on one.": (
            lambda Q, K, V: mixed(softmax(np.einsum("bnd,bmd->bnm", Q, K)), V)
        ),
        "The keys are to be transposed: a new shape alone mixes up their numbers.": (
            lambda Q, K, V: mixed(softmax(Q @ K.reshape(*K.shape[:-2], K.shape[-1], -1)), V)
        ),
        "Sequences of a batch do not see each other: keep the leading axes apart.": (
            _across_sequences
        ),
        "The weights of each query sum to 1: take the softmax over the keys, not the queries.": (
            lambda Q, K, V: mixed(softmax(_scores(Q, K), -2), V)
        ),
        "The weights of each query sum to 1, not those of the whole matrix.": (
            lambda Q, K, V: mixed(over_all(_scores(Q, K)), V)
        ),
        "The keys are on the last axis of the scores, which is the second only without a batch.": (
            lambda Q, K, V: mixed(softmax(_scores(Q, K), 1), V)
        ),
        "The softmax runs over the keys, not over the first axis.": (
            lambda Q, K, V: mixed(softmax(_scores(Q, K), 0), V)
        ),
        "Do not divide by the square root of d_k here; a later chapter does.": (
            lambda Q, K, V: mixed(softmax(_scores(Q, K) / np.sqrt(K.shape[-1])), V)
        ),
        "exp of a large score overflows; shifting a query's scores alike changes no weight.": (
            lambda Q, K, V: mixed(unshifted(_scores(Q, K)), V)
        ),
        "Far below the others a query's weights underflow to 0/0: each query needs a maximum of "
        "its own.": lambda Q, K, V: mixed(_one_shift(_scores(Q, K)), V),
        "Each query needs its own maximum and sum: keep the axis they run over, with length 1.": (
            lambda Q, K, V: mixed(without_the_axis(_scores(Q, K)), V)
        ),
        "A soft look-up blends all values; you took only the best one.": (
            lambda Q, K, V: mixed(np.eye(K.shape[-2])[_scores(Q, K).argmax(-1)], V)
        ),
        "The keys only decide the weights: blend the values.": (
            lambda Q, K, V: mixed(softmax(_scores(Q, K)), K)
        ),
    },
    properties=_PROPERTIES,
    returns=_PARTS,
    atol=FLOAT32,
)

# ---- additive_scores


def _unlike(
    rng: np.random.Generator, *leading: int, n: int = 4, m: int = 5, d_q: int = 6, h: int = 8
) -> dict:
    """Queries and keys of different sizes."""
    return {
        "Q": rng.normal(size=(*leading, n, d_q)),
        "K": rng.normal(size=(*leading, m, 7)),
        "Wq": rng.normal(size=(h, d_q)),
        "Wk": rng.normal(size=(h, 7)),
        "v": rng.normal(size=h),
    }


def _whole(rng: np.random.Generator, factor: int = 1) -> dict:
    inputs = {name: rng.integers(-2, 3, size=x.shape) for name, x in _unlike(rng, 2).items()}
    return inputs | {"Wq": factor * inputs["Wq"], "Wk": factor * inputs["Wk"]}


def _hidden(Q: np.ndarray, K: np.ndarray, Wq: np.ndarray, Wk: np.ndarray) -> np.ndarray:
    """(..., n, m, h), before the tanh."""
    return (Q @ Wq.T)[..., :, None, :] + (K @ Wk.T)[..., None, :, :]


def _tanh(x: np.ndarray) -> np.ndarray:
    """Written out, which overflows."""
    return (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))


def _bounded(arguments: Mapping, scores: np.ndarray) -> bool:
    return bool((np.abs(scores) < np.abs(arguments["v"]).sum() * (1 + 1e-4)).all())


additive_scores = Check(
    reference=reference.additive_scores,
    cases={
        "one sequence": _unlike,
        "a batch of sequences": lambda rng: _unlike(rng, 2),
        "two leading axes": lambda rng: _unlike(rng, 2, 3),
        "a single query": lambda rng: _unlike(rng, 2, n=1),
        "a single key": lambda rng: _unlike(rng, m=1),
        "as many hidden units as numbers in a query": lambda rng: _unlike(rng, h=6),
        "large numbers": lambda rng: _whole(rng, factor=1000),
        "whole numbers": _whole,
        "float32 numbers": lambda rng: _float32(_unlike(rng, 2)),
        "stored column by column": lambda rng: _column_by_column(_unlike(rng, 2)),
    },
    mistakes={
        "Apply v after the tanh: the tanh acts on each hidden unit.": (
            lambda Q, K, Wq, Wk, v: np.tanh(_hidden(Q, K, Wq, Wk) @ v)
        ),
        "Without the tanh every query ranks the keys alike.": (
            lambda Q, K, Wq, Wk, v: _hidden(Q, K, Wq, Wk) @ v
        ),
        "The bend of these scores is a tanh; you took a ReLU.": (
            lambda Q, K, Wq, Wk, v: np.maximum(0, _hidden(Q, K, Wq, Wk)) @ v
        ),
        "Add the two projections first, then apply the tanh to the sum.": (
            lambda Q, K, Wq, Wk, v: (
                (np.tanh(Q @ Wq.T)[..., :, None, :] + np.tanh(K @ Wk.T)[..., None, :, :]) @ v
            )
        ),
        "The projections are added, not multiplied.": (
            lambda Q, K, Wq, Wk, v: (
                np.tanh((Q @ Wq.T)[..., :, None, :] * (K @ Wk.T)[..., None, :, :]) @ v
            )
        ),
        "Every query meets every key: you paired query i with key i.": (
            lambda Q, K, Wq, Wk, v: np.tanh(Q @ Wq.T + K @ Wk.T) @ v
        ),
        "Queries are the rows of the scores, keys the columns.": (
            lambda Q, K, Wq, Wk, v: np.swapaxes(reference.additive_scores(Q, K, Wq, Wk, v), -1, -2)
        ),
        "Each row of Wq belongs to one hidden unit: you used its columns.": (
            lambda Q, K, Wq, Wk, v: (
                np.tanh((Q @ Wq)[..., :, None, :] + (K @ Wk.T)[..., None, :, :]) @ v
            )
        ),
        "v weighs the hidden units; you counted them all alike.": (
            lambda Q, K, Wq, Wk, v: np.tanh(_hidden(Q, K, Wq, Wk)).sum(-1)
        ),
        "Return the scores, before any softmax.": (
            lambda Q, K, Wq, Wk, v: softmax(reference.additive_scores(Q, K, Wq, Wk, v))
        ),
        "The tanh keeps the scores small already: do not scale them.": (
            lambda Q, K, Wq, Wk, v: reference.additive_scores(Q, K, Wq, Wk, v) / np.sqrt(len(v))
        ),
        "A tanh made of exponentials overflows for large numbers.": (
            lambda Q, K, Wq, Wk, v: _tanh(_hidden(Q, K, Wq, Wk)) @ v
        ),
        "Any number of axes may come before the last two, none too; you count on one.": (
            lambda Q, K, Wq, Wk, v: np.einsum(
                "bnmh,h->bnm", np.tanh((Q @ Wq.T)[:, :, None] + (K @ Wk.T)[:, None]), v
            )
        ),
    },
    properties={
        "A tanh is never beyond ±1, so no score is larger than the sum of |v|.": _bounded,
    },
    atol=FLOAT32,
)
