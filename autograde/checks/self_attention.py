"""Checks of chapter `self_attention`."""

from collections.abc import Mapping

import numpy as np

from autograde.check import Check
from autograde.reference import self_attention as reference
from autograde.reference.vectors import softmax

# ---- one_hot

VOCABULARY = 6


def _ids(rng: np.random.Generator, *shape: int) -> dict:
    return {"ids": rng.integers(0, VOCABULARY, size=shape), "V": VOCABULARY}


def _repeated(rng: np.random.Generator) -> dict:
    """Two words, each twice, and neither of them at its own place."""
    first, second = rng.permutation(np.arange(2, VOCABULARY))[:2]
    return {"ids": np.array([first, first, second, second, first]), "V": VOCABULARY}


def _count(ids: np.ndarray, V: int) -> np.ndarray:
    return np.eye(V)[ids].sum(-2)


def _only_for_one_axis(ids: np.ndarray, V: int) -> np.ndarray:
    rows = np.zeros((len(ids), V))
    rows[np.arange(len(ids)), ids] = 1
    return rows


def _by_place(ids: np.ndarray, V: int) -> np.ndarray:
    return np.broadcast_to(np.eye(ids.shape[-1], V), (*ids.shape, V))


def _ranked(ids: np.ndarray) -> np.ndarray:
    """Each id's place among those that occur."""
    return np.searchsorted(np.unique(ids), ids)


one_hot = Check(
    reference=reference.one_hot,
    cases={
        "four words": lambda rng: _ids(rng, 4),
        "repeated words": _repeated,
        "a batch of sequences": lambda rng: _ids(rng, 2, 4),
        "two leading axes": lambda rng: _ids(rng, 2, 3, 4),
        "a single word": lambda rng: {"ids": rng.integers(1, 9, size=1), "V": 9},
        "all words of the vocabulary, shuffled": lambda rng: {
            "ids": np.roll(np.arange(VOCABULARY), rng.integers(1, VOCABULARY)),
            "V": VOCABULARY,
        },
        "short integers": lambda rng: _ids(rng, 2, 4) | {
            "ids": rng.integers(0, VOCABULARY, size=(2, 4)).astype(np.int8)
        },
    },
    mistakes={
        "A row must depend on its word's id, not on the place in the sequence.": _by_place,
        "The ids count from 0.": lambda ids, V: np.eye(V)[ids - 1],
        "The column is the id itself, not its rank among the words that occur.": (
            lambda ids, V: np.eye(V)[_ranked(ids)]
        ),
        "Each word is a row; you made it a column.": (
            lambda ids, V: np.swapaxes(np.eye(V)[ids], -1, -2)
        ),
        "Each word keeps a row of its own: do not add them up.": _count,
        "Any number of axes may come before the last; you count on none.": _only_for_one_axis,
        "True and false are not numbers yet: return 1.0 and 0.0.": (
            lambda ids, V: np.eye(V, dtype=bool)[ids]
        ),
        "Return floats, since the vectors are to be multiplied with weights.": (
            lambda ids, V: np.eye(V, dtype=int)[ids]
        ),
    },
    properties={
        "Each row has a single 1, the rest is 0.": lambda arguments, rows: bool(
            ((rows == 0) | (rows == 1)).all() and (rows.sum(-1) == 1).all()
        ),
    },
)

# ---- embed


def _words(rng: np.random.Generator, *shape: int) -> dict:
    return {
        "ids": rng.integers(0, VOCABULARY, size=shape),
        "E": rng.normal(size=(VOCABULARY, 8)),
    }


embed = Check(
    reference=reference.embed,
    cases={
        "four words": lambda rng: _words(rng, 4),
        "repeated words": lambda rng: _words(rng, 4) | {"ids": _repeated(rng)["ids"]},
        "a batch of sequences": lambda rng: _words(rng, 2, 4),
        "two leading axes": lambda rng: _words(rng, 2, 3, 4),
        "a single word": lambda rng: _words(rng, 1),
        "float32 numbers": lambda rng: {
            "ids": rng.integers(0, VOCABULARY, size=(2, 4)),
            "E": rng.normal(size=(VOCABULARY, 8)).astype(np.float32),
        },
        "stored column by column": lambda rng: {
            "ids": rng.integers(0, VOCABULARY, size=(2, 4)),
            "E": np.asfortranarray(rng.normal(size=(VOCABULARY, 8))),
        },
    },
    mistakes={
        "A word's vector must depend on its id, not on the place in the sequence.": (
            lambda ids, E: np.broadcast_to(E[: ids.shape[-1]], (*ids.shape, E.shape[1]))
        ),
        "The ids count from 0.": lambda ids, E: E[ids - 1],
        "The row is the id itself, not its rank among the words that occur.": (
            lambda ids, E: E[_ranked(ids)]
        ),
        "The words are the rows of E; you took columns.": lambda ids, E: np.moveaxis(E[:, ids], 0, -2),
        "Take a whole row for each word; you took one number.": lambda ids, E: E.ravel()[ids],
        "Each word keeps a vector of its own: do not blend them.": (
            lambda ids, E: E[ids].mean(-2)
        ),
        "Return the rows as they are: do not scale them.": (
            lambda ids, E: E[ids] * np.sqrt(E.shape[1])
        ),
        "Return the looked-up vectors, not the one-hot rows.": lambda ids, E: np.eye(len(E))[ids],
    },
)

# ---- self_attention


def _sequence(
    rng: np.random.Generator, *leading: int, n: int = 5, d: int = 8, d_k: int = 6, d_v: int = 7
) -> dict:
    return {
        "X": rng.normal(size=(*leading, n, d)),
        "Wq": rng.normal(size=(d, d_k)) / 2,
        "Wk": rng.normal(size=(d, d_k)) / 2,
        "Wv": rng.normal(size=(d, d_v)),
    }


def _unprojected(rng: np.random.Generator) -> dict:
    return {"X": rng.normal(size=(5, 6))} | dict.fromkeys(("Wq", "Wk", "Wv"), np.eye(6))


def _whole_sequence(rng: np.random.Generator) -> dict:
    """d_k is 4, so that dividing by its root is exact in float32 too."""
    inputs = _sequence(rng, 2, d_k=4)
    return {name: rng.integers(-1, 2, size=array.shape) for name, array in inputs.items()}


def _shifted_rows(rng: np.random.Generator, *shifts: float) -> dict:
    """All scores of a word move by its shift, which changes no weight."""
    inputs = {name: array.astype(float) for name, array in _whole_sequence(rng).items()}
    inputs["X"][..., 0], inputs["X"][..., 1] = np.array(shifts) / 20, 1
    inputs["Wq"][:, 0] = inputs["Wk"][:, 0] = 0
    inputs["Wq"][0], inputs["Wk"][0] = [1, 0, 0, 0], 0
    inputs["Wk"][1, 0] = 40
    return inputs


def _weights(Q: np.ndarray, K: np.ndarray, axis: int = -1) -> np.ndarray:
    return softmax(_scores(Q, K), axis)


def _scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])


def _mixed(weights: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return weights @ V, weights


def _unshifted(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


def _scaled_by(factor):
    """Right but for the factor of the scores, a function of X, Q and V."""

    def wrong(X, Wq, Wk, Wv):
        Q, K, V = X @ Wq, X @ Wk, X @ Wv
        return _mixed(softmax(Q @ np.swapaxes(K, -1, -2) * factor(X, Q, V)), V)

    return wrong


def _weighed_by(weigh):
    """Right but for how the scores become weights."""
    return lambda X, Wq, Wk, Wv: _mixed(weigh(_scores(X @ Wq, X @ Wk)), X @ Wv)


def _over_all(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=(-1, -2), keepdims=True))
    return powers / powers.sum(axis=(-1, -2), keepdims=True)


def _not_itself(scores: np.ndarray) -> np.ndarray:
    return softmax(np.where(np.eye(scores.shape[-1], dtype=bool), -np.inf, scores))


def _scores_beside(X, Wq, Wk, Wv):
    return reference.self_attention(X, Wq, Wk, Wv)[0], _scores(X @ Wq, X @ Wk)


def _from_queries(X, Wq, Wk, Wv):
    Q = X @ Wq
    return _mixed(_weights(Q, Q @ Wk), Q @ Wv)


def _sum_to_1(arguments: Mapping, answer: list) -> bool:
    return np.allclose(answer[1].sum(-1, dtype=np.float64), 1, rtol=0, atol=1e-4)


self_attention = Check(
    reference=reference.self_attention,
    cases={
        "one sequence": _sequence,
        "a batch of sequences": lambda rng: _sequence(rng, 2),
        "two leading axes": lambda rng: _sequence(rng, 2, 3),
        "a single word": lambda rng: _sequence(rng, n=1),
        "no projections: Q = K = V = X": _unprojected,
        "square projections": lambda rng: _sequence(rng, d=6, d_v=6),
        "scores near 1000": lambda rng: _shifted_rows(rng, 1000),
        "words with scores far apart": lambda rng: _shifted_rows(rng, 1000, -1000, 0, 500, -500),
        "whole numbers": _whole_sequence,
        "float32 numbers": lambda rng: {
            name: array.astype(np.float32) for name, array in _sequence(rng, 2).items()
        },
        "stored column by column": lambda rng: {
            name: np.asfortranarray(array) for name, array in _sequence(rng, 2).items()
        },
    },
    mistakes={
        "The scale is missing: divide the scores by the square root of d_k.": (
            _scaled_by(lambda X, Q, V: 1)
        ),
        "Divide by the square root of d_k, not by d_k.": (
            _scaled_by(lambda X, Q, V: 1 / Q.shape[-1])
        ),
        "Divide by the square root of d_k; you multiplied by it.": (
            _scaled_by(lambda X, Q, V: np.sqrt(Q.shape[-1]))
        ),
        "d_k is the length of a key, not of a word before its projection.": (
            _scaled_by(lambda X, Q, V: 1 / np.sqrt(X.shape[-1]))
        ),
        "d_k is the length of a key, not of a value.": (
            _scaled_by(lambda X, Q, V: 1 / np.sqrt(V.shape[-1]))
        ),
        "d_k is the length of a key, not the number of words.": (
            _scaled_by(lambda X, Q, V: 1 / np.sqrt(X.shape[-2]))
        ),
        "d_k is the size of the last axis, however many axes come before it.": (
            _scaled_by(lambda X, Q, V: 1 / np.sqrt(Q.shape[2]))
        ),
        "Scale the scores before the softmax, not the weights after it.": (
            lambda X, Wq, Wk, Wv: _mixed(
                softmax(X @ Wq @ np.swapaxes(X @ Wk, -1, -2)) / np.sqrt(Wq.shape[1]), X @ Wv
            )
        ),
        "These are scores, not weights: they do not sum to 1.": _weighed_by(lambda scores: scores),
        "Return the weights that made the output, not the scores.": _scores_beside,
        "Return the output first, then the weights.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wq, Wk, Wv)[::-1]
        ),
        "Your scores are symmetric: the keys have a projection of their own, Wk.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wq, Wq, Wv)
        ),
        "Your scores are symmetric: the queries have a projection of their own, Wq.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wk, Wk, Wv)
        ),
        "Queries are the rows of the scores, keys the columns; you swapped them.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wk, Wq, Wv)
        ),
        "The values are projected too: X itself is blended here.": (
            lambda X, Wq, Wk, Wv: _mixed(_weights(X @ Wq, X @ Wk), X)
        ),
        "The values have a projection of their own, Wv; these are the keys.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wq, Wk, Wk)
        ),
        "The projections are missing: queries, keys and values are X times a matrix.": (
            lambda X, Wq, Wk, Wv: _mixed(_weights(X, X), X)
        ),
        "Use the projections as they are: each maps d numbers to fewer or more, not back.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wq.T, Wk.T, Wv.T)
        ),
        "Keys and values are projections of X, not of the queries.": _from_queries,
        "Transpose the last two axes of the keys only; axes before them are a batch.": (
            lambda X, Wq, Wk, Wv: _mixed(
                softmax(X @ Wq @ np.transpose(X @ Wk) / np.sqrt(Wq.shape[1])), X @ Wv
            )
        ),
        "The weights of each word sum to 1: take the softmax over the keys, not the queries.": (
            lambda X, Wq, Wk, Wv: _mixed(_weights(X @ Wq, X @ Wk, -2), X @ Wv)
        ),
        "The keys are on the last axis of the scores, which is the second only without a batch.": (
            lambda X, Wq, Wk, Wv: _mixed(_weights(X @ Wq, X @ Wk, 1), X @ Wv)
        ),
        "The weights of each word sum to 1, not those of the whole matrix.": (
            _weighed_by(_over_all)
        ),
        "exp of a large score overflows; shifting a word's scores alike changes no weight.": (
            _weighed_by(_unshifted)
        ),
        "Far below the others a word's weights underflow to 0/0: each word needs a maximum of "
        "its own.": _weighed_by(lambda scores: _unshifted(scores - scores.max())),
        "A word attends to all words, itself included.": _weighed_by(_not_itself),
    },
    properties={"The weights of a word must sum to 1.": _sum_to_1},
    returns=("output", "weights"),
)

# ---- not_self


def _margins(X: np.ndarray) -> np.ndarray:
    """(n,) by how much each word's best other score exceeds its own, as a share of its own."""
    X = X.astype(np.float64)
    scores = X @ X.T
    own = scores.diagonal()
    others = np.where(np.eye(len(X), dtype=bool), -np.inf, scores)
    return (others.max(axis=1) - own) / np.where(own == 0, 1, own)


_STRICT = 1e-6  # a smaller margin is a tie, rounded


def _not_themselves(X: np.ndarray) -> int:
    return int((_margins(X) > _STRICT).sum())


def _lengths_differ(arguments: Mapping, X: np.ndarray) -> bool:
    lengths = np.linalg.norm(X.astype(np.float64), axis=1)
    return bool(lengths.max() - lengths.min() > _STRICT * lengths.max())


def _no_ties(arguments: Mapping, X: np.ndarray) -> bool:
    return _lengths_differ(arguments, X) and bool((np.abs(_margins(X)) > _STRICT).all())


def _some(arguments: Mapping, X: np.ndarray) -> bool:
    return _no_ties(arguments, X) and _not_themselves(X) > 0


def _all_but_one(arguments: Mapping, X: np.ndarray) -> bool:
    return _some(arguments, X) and _not_themselves(X) == len(X) - 1


def _line(n: int, d: int, lengths: np.ndarray) -> np.ndarray:
    """Words of these lengths in one direction."""
    X = np.zeros((n, d))
    X[:, -1] = lengths
    return X


def _on_a_circle(n: int, d: int) -> np.ndarray:
    X = np.zeros((n, d))
    X[:, 0], X[:, 1] = np.cos(np.arange(n)), np.sin(np.arange(n))
    return X
