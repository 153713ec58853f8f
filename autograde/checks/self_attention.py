"""Checks of chapter `self_attention`."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from autograde.check import Check
from autograde.checks.attention import (
    FLOAT32,
    READY_MADE,
    mixed,
    over_all,
    sum_to_1,
    unshifted,
    without_the_axis,
)
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
        "short integers": lambda rng: (
            _ids(rng, 2, 4) | {"ids": rng.integers(0, VOCABULARY, size=(2, 4)).astype(np.int8)}
        ),
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
        "The words are the rows of E; you took columns.": lambda ids, E: np.moveaxis(
            E[:, ids], 0, -2
        ),
        "Take a whole row for each word; you took one number.": lambda ids, E: E.ravel()[ids],
        "Each word keeps a vector of its own: do not blend them.": (lambda ids, E: E[ids].mean(-2)),
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


def _scaled_by(factor):
    """Right but for the factor of the scores, a function of X, Q and V."""

    def wrong(X, Wq, Wk, Wv):
        Q, K, V = X @ Wq, X @ Wk, X @ Wv
        return mixed(softmax(Q @ np.swapaxes(K, -1, -2) * factor(X, Q, V)), V)

    return wrong


def _weighed_by(weigh):
    """Right but for how the scores become weights."""
    return lambda X, Wq, Wk, Wv: mixed(weigh(_scores(X @ Wq, X @ Wk)), X @ Wv)


def _not_itself(scores: np.ndarray) -> np.ndarray:
    return softmax(np.where(np.eye(scores.shape[-1], dtype=bool), -np.inf, scores))


def _scores_beside(X, Wq, Wk, Wv):
    return reference.self_attention(X, Wq, Wk, Wv)[0], _scores(X @ Wq, X @ Wk)


def _from_queries(X, Wq, Wk, Wv):
    Q = X @ Wq
    return mixed(_weights(Q, Q @ Wk), Q @ Wv)


self_attention = Check(
    reference=reference.self_attention,
    from_scratch=READY_MADE,
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
            lambda X, Wq, Wk, Wv: mixed(
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
            lambda X, Wq, Wk, Wv: mixed(_weights(X @ Wq, X @ Wk), X)
        ),
        "The values have a projection of their own, Wv; these are the keys.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wq, Wk, Wk)
        ),
        "The projections are missing: queries, keys and values are X times a matrix.": (
            lambda X, Wq, Wk, Wv: mixed(_weights(X, X), X)
        ),
        "Each projection is used as it is, not transposed.": (
            lambda X, Wq, Wk, Wv: reference.self_attention(X, Wq.T, Wk.T, Wv.T)
        ),
        "Keys and values are projections of X, not of the queries.": _from_queries,
        "Transpose the last two axes of the keys only; axes before them are a batch.": (
            lambda X, Wq, Wk, Wv: mixed(
                softmax(X @ Wq @ np.transpose(X @ Wk) / np.sqrt(Wq.shape[1])), X @ Wv
            )
        ),
        "The weights of each word sum to 1: take the softmax over the keys, not the queries.": (
            lambda X, Wq, Wk, Wv: mixed(_weights(X @ Wq, X @ Wk, -2), X @ Wv)
        ),
        "The keys are on the last axis of the scores, which is the second only without a batch.": (
            lambda X, Wq, Wk, Wv: mixed(_weights(X @ Wq, X @ Wk, 1), X @ Wv)
        ),
        "The weights of each word sum to 1, not those of the whole matrix.": (
            _weighed_by(over_all)
        ),
        "exp of a large score overflows; shifting a word's scores alike changes no weight.": (
            _weighed_by(unshifted)
        ),
        "Far below the others a word's weights underflow to 0/0: each word needs a maximum of "
        "its own.": _weighed_by(lambda scores: unshifted(scores - scores.max())),
        "Each word needs its own maximum and sum: keep the axis they run over, with length 1.": (
            _weighed_by(without_the_axis)
        ),
        "A word attends to all words, itself included.": _weighed_by(_not_itself),
    },
    properties={"The weights of a word must sum to 1.": sum_to_1},
    returns=("output", "weights"),
    atol=FLOAT32,
)

# ---- not_self


def _lengths(X: np.ndarray) -> np.ndarray:
    """(n,) without squares, which could over- or underflow."""
    return np.array([math.hypot(*row) for row in X.tolist()])


def _margins(X: np.ndarray) -> np.ndarray:
    """(n,) by how much each word's best other score exceeds its own, as a share of its own."""
    X = X.astype(np.float64)
    own = _lengths(X)
    divisors = np.where(own == 0, 1, own)
    scores = X / divisors[:, None] @ X.T  # row i divided by |x_i|, so that it holds x_i's too
    others = np.where(np.eye(len(X), dtype=bool), -np.inf, scores)
    return (others.max(axis=1) - own) / divisors


_STRICT = 1e-6  # a smaller margin is a tie, rounded


def _not_themselves(X: np.ndarray) -> int:
    return int((_margins(X) > _STRICT).sum())


def _lengths_differ(arguments: Mapping, X: np.ndarray) -> bool:
    lengths = _lengths(X)
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


def _on_a_circle(n: int, d: int, lengths: np.ndarray | float) -> np.ndarray:
    """Words of these lengths in directions as far apart as can be in a plane."""
    angles = 2 * np.pi * np.arange(n) / n
    X = np.zeros((n, d))
    X[:, 0], X[:, 1] = lengths * np.cos(angles), lengths * np.sin(angles)
    return X


not_self = Check(
    reference=reference.not_self,
    cases={
        "more words than numbers in each": lambda rng: {"n": int(rng.integers(6, 9)), "d": 3},
        "more numbers than words": lambda rng: {"n": 4, "d": int(rng.integers(5, 8))},
        "words in a plane": lambda rng: {"n": 5, "d": 2},
        "two words": lambda rng: {"n": 2, "d": 3},
    },
    mistakes={
        "Among words of one length Cauchy–Schwarz forbids it: make some longer.": (
            lambda n, d: _on_a_circle(n, d, 1)
        ),
        "A tie does not count: another word's score must be larger than the word's own.": (
            lambda n, d: _line(n, d, np.arange(n))
        ),
        "Every word still prefers itself: longer words must also point its way.": (
            lambda n, d: _on_a_circle(n, d, 1 + 0.01 * np.arange(n))
        ),
        "Only the longest word must prefer itself; all the others can prefer another.": (
            lambda n, d: _line(n, d, (-2.0) ** np.arange(n))
        ),
    },
    properties={
        "Among words of one length Cauchy–Schwarz forbids it: make some longer.": _lengths_differ,
        "A tie does not count: another word's score must be larger than the word's own.": _no_ties,
        "Every word still prefers itself: longer words must also point its way.": _some,
        "Only the longest word must prefer itself; all the others can prefer another.": (
            _all_but_one
        ),
    },
    one_answer=False,
)

# ---- gauge


def _invertible(rng: np.random.Generator, n: int = 4) -> np.ndarray:
    """Stretches by factors from 1/2 to 2 between two rotations: far from orthogonal or singular."""
    return _orthogonal(rng, n) @ np.diag(np.geomspace(0.5, 2, n)) @ _orthogonal(rng, n)


def _orthogonal(rng: np.random.Generator, n: int = 4) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


def _projections(rng: np.random.Generator, R: np.ndarray) -> dict:
    return {"Wq": rng.normal(size=(6, len(R))), "Wk": rng.normal(size=(6, len(R))), "R": R}


def _near(one: np.ndarray, other: np.ndarray) -> bool:
    one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return bool(np.abs(one - other).max() <= 1e-4 * np.abs(other).max())


def _same_scores(arguments: Mapping, answer: list) -> bool:
    """For every X, since x_i · (Wq Wkᵀ) · x_j is the same for all x_i and x_j."""
    Wq, Wk = (np.asarray(W, np.float64) for W in answer)
    return _near(Wq @ Wk.T, arguments["Wq"].astype(np.float64) @ arguments["Wk"].T)


def _both_new(arguments: Mapping, answer: list) -> bool:
    changed = not _near(answer[0], arguments["Wq"]) and not _near(answer[1], arguments["Wk"])
    return changed and _same_scores(arguments, answer)


def _made_with_R(arguments: Mapping, answer: list) -> bool:
    R = arguments["R"].astype(np.float64)
    ways = (R, R.T, np.linalg.inv(R), np.linalg.inv(R).T)
    made = any(_near(answer[0], arguments["Wq"] @ way) for way in ways)
    return made and _both_new(arguments, answer)


# Wrong ways to change Wk along with Wq R. For some R two of them are the same; what the later one
# says is then true.
_CHANGES = {
    "The transpose of R does not undo R.": lambda Wq, Wk, R: (Wq @ R, Wk @ R.T),
    "R for both is only right if R is orthogonal.": lambda Wq, Wk, R: (Wq @ R, Wk @ R),
    "The scores use the keys transposed, so what undoes R must be transposed too.": (
        lambda Wq, Wk, R: (Wq @ R, Wk @ np.linalg.inv(R))
    ),
    "The keys must undo what R does to the queries; you changed one matrix only.": (
        lambda Wq, Wk, R: (Wq @ R, Wk)
    ),
}


def _right_or_else(*others) -> Callable[[Mapping, list], bool]:
    """Whether the scores are the same, or wrong in a way that a later sentence says better."""

    def holds(arguments: Mapping, answer: list) -> bool:
        return _same_scores(arguments, answer) or any(
            all(map(_near, answer, other(**arguments))) for other in others
        )

    return holds


gauge = Check(
    reference=reference.gauge,
    cases={
        "any invertible R": lambda rng: _projections(rng, _invertible(rng)),
        "R orthogonal": lambda rng: _projections(rng, _orthogonal(rng)),
        "R triangular, of whole numbers": lambda rng: _projections(
            rng, np.eye(4) + np.triu(rng.integers(1, 3, size=(4, 4)), 1)
        ),
        "one number for each query and key": lambda rng: _projections(
            rng, np.array([[rng.uniform(-3, -2)]])
        ),
        "float32 numbers": lambda rng: {
            name: array.astype(np.float32)
            for name, array in _projections(rng, _invertible(rng)).items()
        },
        "stored column by column": lambda rng: {
            name: np.asfortranarray(array)
            for name, array in _projections(rng, _invertible(rng)).items()
        },
    },
    mistakes={
        "No X may have other scores: the new Wq and Wk must have the same product.": (
            lambda Wq, Wk, R: (Wq @ R.T, Wk @ R)
        ),
        **_CHANGES,
        "Both matrices must change, and the scores stay.": lambda Wq, Wk, R: (Wq, Wk),
        "The change must be made with R, whatever else would keep the scores.": (
            lambda Wq, Wk, R: (2 * Wq, Wk / 2)
        ),
    },
    properties={
        "No X may have other scores: the new Wq and Wk must have the same product.": (
            _right_or_else(*_CHANGES.values())
        ),
        **{
            sentence: _right_or_else(*list(_CHANGES.values())[i + 1 :])
            for i, sentence in enumerate(_CHANGES)
        },
        "Both matrices must change, and the scores stay.": _both_new,
        "The change must be made with R, whatever else would keep the scores.": _made_with_R,
    },
    returns=("new Wq", "new Wk"),
    one_answer=False,
)
