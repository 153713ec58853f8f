"""Checks of chapter `scaling`."""

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
from autograde.reference import scaling as reference
from autograde.reference.vectors import softmax

# ---- scaled_attention


def _sequences(
    rng: np.random.Generator, *leading: int, n: int = 4, m: int = 5, d_k: int = 6
) -> dict:
    """No two axes have the same size, so no wrong axis goes unseen."""
    return {
        "Q": rng.normal(size=(*leading, n, d_k)),
        "K": rng.normal(size=(*leading, m, d_k)),
        "V": rng.normal(size=(*leading, m, 7)),
    }


def _whole_sequences(rng: np.random.Generator) -> dict:
    """d_k is 4, so that dividing by its root is exact in float32 too."""
    inputs = _sequences(rng, 2, n=3, d_k=4)
    return {name: rng.integers(-3, 4, size=array.shape) for name, array in inputs.items()}


def _shifted_rows(rng: np.random.Generator, *shifts: float) -> dict:
    """All scores of a query move by its shift, which changes no weight."""
    inputs = {name: array.astype(float) for name, array in _whole_sequences(rng).items()}
    inputs["Q"][..., 0], inputs["K"][..., 0] = np.array(shifts) / 40, 40
    return inputs


def _scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2)


def _scale(K: np.ndarray, scale: float | None) -> float:
    return 1 / np.sqrt(K.shape[-1]) if scale is None else scale


def _scaled_by(factor: Callable) -> Callable:
    """Right but for the scale where none is given, a function of Q, K and V."""
    return lambda Q, K, V, scale=None: reference.scaled_attention(
        Q, K, V, factor(Q, K, V) if scale is None else scale
    )


def _weighed_by(weigh: Callable) -> Callable:
    """Right but for how the scaled scores become weights."""
    return lambda Q, K, V, scale=None: mixed(weigh(_scores(Q, K) * _scale(K, scale)), V)


def _heads(K: np.ndarray) -> int:
    """How many heads there are if an axis holds them, else 1."""
    return K.shape[-3] if K.ndim > 3 else 1


def _scale_after(Q, K, V, scale=None):
    return mixed(softmax(_scores(Q, K)) * _scale(K, scale), V)


def _scale_the_output(Q, K, V, scale=None):
    weights = softmax(_scores(Q, K))
    return _scale(K, scale) * (weights @ V), weights


def _scores_beside(Q, K, V, scale=None):
    scores = _scores(Q, K) * _scale(K, scale)
    return softmax(scores) @ V, scores


scaled_attention = Check(
    reference=reference.scaled_attention,
    from_scratch=READY_MADE,
    cases={
        "one sequence": _sequences,
        "a batch of sequences": lambda rng: _sequences(rng, 2),
        "a batch with three heads": lambda rng: _sequences(rng, 2, 3),
        "a single query": lambda rng: _sequences(rng, n=1),
        "a single key": lambda rng: _sequences(rng, m=1),
        "keys of length 1": lambda rng: _sequences(rng, d_k=1),
        "long keys": lambda rng: _sequences(rng, 2, d_k=64),
        "a scale that is given": lambda rng: _sequences(rng, 2) | {"scale": rng.uniform(0.6, 0.9)},
        "a scale of 0: every key counts alike": lambda rng: _sequences(rng) | {"scale": 0.0},
        "scores near 1000": lambda rng: _shifted_rows(rng, 2000),
        "queries with scores far apart": lambda rng: _shifted_rows(rng, 2000, -2000, 600),
        "whole numbers": _whole_sequences,
        "float32 numbers": lambda rng: {
            name: array.astype(np.float32) for name, array in _sequences(rng, 2).items()
        },
        "stored column by column": lambda rng: {
            name: np.asfortranarray(array) for name, array in _sequences(rng, 2).items()
        },
    },
    mistakes={
        "The scale is missing: divide the scores by the square root of d_k.": (
            _scaled_by(lambda Q, K, V: 1)
        ),
        "Divide by the square root of d_k, not by d_k.": (
            _scaled_by(lambda Q, K, V: 1 / K.shape[-1])
        ),
        "Divide by the square root of d_k; you multiplied by it.": (
            _scaled_by(lambda Q, K, V: np.sqrt(K.shape[-1]))
        ),
        "The power 1/2 needs brackets; without them it is half of d_k.": (
            _scaled_by(lambda Q, K, V: 2 / K.shape[-1])
        ),
        "d_k is the length of a key, not the number of keys.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(K.shape[-2]))
        ),
        "d_k is the length of a key, not the number of queries.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(Q.shape[-2]))
        ),
        "d_k is the length of a key, not of a value.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(V.shape[-1]))
        ),
        "d_k is the length of the keys of one head, not of all heads together.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(_heads(K) * K.shape[-1]))
        ),
        "d_k is the length of a key, not the number of heads.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(K.shape[-3] if K.ndim > 3 else K.shape[-1]))
        ),
        "d_k is the size of the last axis, which is the second only without a batch.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(K.shape[1]))
        ),
        "d_k is the size of the last axis, however many axes come before it.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(Q.shape[2]))
        ),
        "d_k is the size of the last axis; the length of an array is that of its first.": (
            _scaled_by(lambda Q, K, V: 1 / np.sqrt(len(K)))
        ),
        "The scale is a fixed number: do not take it from the scores themselves.": (
            _weighed_by(
                lambda scores: softmax(scores / (scores.std(axis=-1, keepdims=True) + 1e-9))
            )
        ),
        "Divide by the square root of d_k, not by the lengths of query and key.": (
            lambda Q, K, V, scale=None: mixed(
                softmax(
                    _scores(
                        Q / np.linalg.norm(Q, axis=-1, keepdims=True),
                        K / np.linalg.norm(K, axis=-1, keepdims=True),
                    )
                ),
                V,
            )
        ),
        "A scale that is given must be used: it takes the place of 1/√d_k.": (
            lambda Q, K, V, scale=None: reference.scaled_attention(Q, K, V)
        ),
        "A scale that is given takes the place of 1/√d_k: do not use both.": (
            lambda Q, K, V, scale=None: reference.scaled_attention(
                Q, K, V, _scale(K, None) * (1 if scale is None else scale)
            )
        ),
        "The scores are multiplied by the scale; you divided by it.": (
            lambda Q, K, V, scale=None: reference.scaled_attention(
                Q, K, V, 1 / scale if scale else scale
            )
        ),
        "0 is a scale like any other: only None stands for 1/√d_k.": (
            lambda Q, K, V, scale=None: reference.scaled_attention(Q, K, V, scale or None)
        ),
        "Scale the scores before the softmax, not the weights after it.": _scale_after,
        "Scale the scores before the softmax, not the output.": _scale_the_output,
        "These are scores, not weights: they do not sum to 1.": _weighed_by(lambda scores: scores),
        "Return the weights that made the output, not the scores.": _scores_beside,
        "Return the output first, then the weights.": (
            lambda Q, K, V, scale=None: reference.scaled_attention(Q, K, V, scale)[::-1]
        ),
        "Transpose the last two axes of the keys only; axes before them are a batch.": (
            lambda Q, K, V, scale=None: mixed(softmax(Q @ np.transpose(K) * _scale(K, scale)), V)
        ),
        "The weights of each query sum to 1: take the softmax over the keys, not the queries.": (
            _weighed_by(lambda scores: softmax(scores, -2))
        ),
        "The keys are on the last axis of the scores, which is the second only without a batch.": (
            _weighed_by(lambda scores: softmax(scores, 1))
        ),
        "The weights of each query sum to 1, not those of the whole matrix.": (
            _weighed_by(over_all)
        ),
        "exp of a large score overflows; shifting a query's scores alike changes no weight.": (
            _weighed_by(unshifted)
        ),
        "Far below the others a query's weights underflow to 0/0: each query needs a maximum of "
        "its own.": _weighed_by(lambda scores: unshifted(scores - scores.max())),
        "Each query needs its own maximum and sum: keep the axis they run over, with length 1.": (
            _weighed_by(without_the_axis)
        ),
        "The keys only decide the weights: blend the values.": (
            lambda Q, K, V, scale=None: reference.scaled_attention(Q, K, K, scale)
        ),
    },
    properties={"The weights of a query must sum to 1.": sum_to_1},
    returns=("output", "weights"),
    atol=FLOAT32,
)

# ---- softmax_jacobian


def _weights(rng: np.random.Generator, *shape: int) -> dict:
    return {"p": softmax(rng.normal(size=shape))}


def _some_zeros(rng: np.random.Generator) -> dict:
    """As after a mask: two of five weights are 0."""
    z = rng.normal(size=(3, 5))
    np.put_along_axis(z, rng.permuted(np.tile(np.arange(5), (3, 1)), axis=1)[:, :2], -np.inf, 1)
    return {"p": softmax(z)}


def _diagonal(p: np.ndarray) -> np.ndarray:
    """(..., n, n), with p on the diagonal."""
    return p[..., :, None] * np.eye(p.shape[-1])


def _products(p: np.ndarray) -> np.ndarray:
    """(..., n, n), the products of all pairs."""
    return p[..., :, None] * p[..., None, :]


def _rows_sum_to_0(arguments: Mapping, J: np.ndarray) -> bool:
    return np.allclose(J.sum(-1, dtype=np.float64), 0, rtol=0, atol=1e-5)


def _is_symmetric(arguments: Mapping, J: np.ndarray) -> bool:
    return np.allclose(J, np.swapaxes(J, -1, -2), rtol=0, atol=1e-5)


def _own_score_raises(arguments: Mapping, J: np.ndarray) -> bool:
    return bool((np.diagonal(J, axis1=-2, axis2=-1) >= -1e-5).all())


softmax_jacobian = Check(
    reference=reference.softmax_jacobian,
    cases={
        "the weights of one query": lambda rng: _weights(rng, 5),
        "a table of weights": lambda rng: _weights(rng, 3, 5),
        "two leading axes": lambda rng: _weights(rng, 2, 3, 5),
        "as many queries as keys": lambda rng: _weights(rng, 4, 4),
        "equal weights": lambda rng: {"p": np.full((3, 5), 0.2)},
        "nearly all on one key": lambda rng: {"p": softmax(3 * rng.normal(size=(3, 5)))},
        "all on one key: nothing changes": lambda rng: {"p": np.eye(5)[rng.integers(5, size=3)]},
        "some weights are 0": _some_zeros,
        "a single key": lambda rng: {"p": np.ones((3, 1))},
        "float32 numbers": lambda rng: {"p": _weights(rng, 3, 5)["p"].astype(np.float32)},
        "stored column by column": lambda rng: {"p": np.asfortranarray(_weights(rng, 3, 5)["p"])},
    },
    mistakes={
        "The weights compete: raising one score lowers all the other weights too.": (
            lambda p: _diagonal(p * (1 - p))
        ),
        "Return an n × n matrix for each query: every weight depends on every score.": (
            lambda p: p * (1 - p)
        ),
        "Raising one score lowers the other weights: the products are taken away, not added.": (
            lambda p: _diagonal(p) + _products(p)
        ),
        "The signs are turned round: raising a score raises its own weight.": (
            lambda p: _products(p) - _diagonal(p)
        ),
        "Something is missing on the diagonal, where a weight meets its own score.": (
            lambda p: -_products(p)
        ),
        "On the diagonal too the square of the weight is taken away.": (
            lambda p: _diagonal(p) - _products(p) * (1 - np.eye(p.shape[-1]))
        ),
        "Off the diagonal the matrix is not 0: every score moves every weight.": (
            lambda p: _diagonal(p)
        ),
        "Only the diagonal has a term of its own; off it there is the product alone.": (
            lambda p: p[..., :, None] - _products(p)
        ),
        "Off the diagonal the derivative is negative.": lambda p: np.abs(
            reference.softmax_jacobian(p)
        ),
        "This is the derivative of the logarithm of the weights.": (
            lambda p: np.eye(p.shape[-1]) - p[..., None, :] + 0 * p[..., :, None]
        ),
        "p holds the weights already: do not take a softmax of them.": (
            lambda p: reference.softmax_jacobian(softmax(p))
        ),
        "Any number of axes may come before the last; you count on none.": (
            lambda p: np.diag(p) - np.outer(p, p)
        ),
        "Each query has a matrix of its own; you let queries mix.": (
            lambda p: _diagonal(p) - np.tensordot(p, p, (tuple(range(p.ndim - 1)),) * 2)
        ),
        "Keep the matrices of the queries apart; do not sum them up.": (
            lambda p: reference.softmax_jacobian(p).sum(axis=tuple(range(p.ndim - 1)))
        ),
    },
    properties={
        "The weights always sum to 1, so the changes of all of them sum to 0.": _rows_sum_to_0,
        "The matrix must be symmetric.": _is_symmetric,
        "Raising a score never lowers its own weight.": _own_score_raises,
    },
)

# ---- cross_entropy_and_grad


def _batch(rng: np.random.Generator, N: int = 4, C: int = 5, spread: float = 1.0) -> dict:
    return {"logits": spread * rng.normal(size=(N, C)), "y": rng.integers(0, C, size=N)}


def _whole_logits(rng: np.random.Generator) -> dict:
    return {"logits": rng.integers(-3, 4, size=(4, 5)), "y": rng.integers(0, 5, size=4)}


def _shifted_logits(rng: np.random.Generator, *shifts: float) -> dict:
    """Quarters, which float32 holds exactly near 1000 too."""
    inputs = _batch(rng)
    inputs["logits"] = rng.integers(-8, 9, size=(4, 5)) / 4 + np.array(shifts)[:, None]
    return inputs


def _confident(rng: np.random.Generator, margin: float) -> dict:
    """Every row is sure of a class, and every other row is wrong."""
    inputs = _batch(rng)
    inputs["logits"] = rng.integers(-8, 9, size=(4, 5)) / 4
    rows, sure_of = np.arange(4), inputs["y"] + [0, 1, 0, 2]
    inputs["logits"][rows, sure_of % 5] += margin
    return inputs


def _one_class(rng: np.random.Generator) -> dict:
    return _batch(rng) | {"y": np.full(4, rng.integers(5))}


def _one_hot(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (np.arange(logits.shape[1]) == y[:, None]).astype(float)


def _probabilities(logits: np.ndarray) -> np.ndarray:
    return softmax(logits, axis=1)


def _error(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(N, C), the gradient of each row's own loss."""
    return _probabilities(logits) - _one_hot(logits, y)


def _of_probabilities(probabilities: Callable, epsilon: float = 0.0) -> Callable:
    """Right but for rounding, and for where the probabilities come from."""

    def wrong(logits, y):
        p, N = probabilities(logits), len(y)
        loss = -np.log(p[np.arange(N), y] + epsilon).mean()
        return loss, (p - _one_hot(logits, y)) / N

    return wrong


def _with_loss(loss: Callable) -> Callable:
    """Right but for the loss, a function of logits, probabilities and the right classes."""

    def wrong(logits, y):
        given = loss(logits, _probabilities(logits), _one_hot(logits, y))
        return given, _error(logits, y) / len(y)

    return wrong


def _loss_times(factor: Callable) -> Callable:
    """Right but for a factor of the loss, a function of N."""

    def wrong(logits, y):
        loss, gradient = reference.cross_entropy_and_grad(logits, y)
        return loss * factor(len(y)), gradient

    return wrong


def _with_gradient(gradient: Callable) -> Callable:
    """Right but for the gradient, a function of probabilities and the right classes."""

    def wrong(logits, y):
        loss, _ = reference.cross_entropy_and_grad(logits, y)
        return loss, gradient(_probabilities(logits), _one_hot(logits, y)) / len(y)

    return wrong


def _through_softmax(p: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """A gradient by the weights of a softmax, turned into one by its logits."""
    return p * (slope - (slope * p).sum(axis=1, keepdims=True))


def _squared_error(logits, y):
    p, error, N = _probabilities(logits), _error(logits, y), len(y)
    return (error**2).sum() / N, 2 * _through_softmax(p, error) / N


def _all_pairs(logits, y):
    p, N = _probabilities(logits), len(y)
    loss = -np.log(np.maximum(p[:, y], 1e-300)).mean()
    p[:, y] -= 1
    return loss, p / N


def _summed(logits, y):
    loss, gradient = reference.cross_entropy_and_grad(logits, y)
    return loss * len(y), gradient * len(y)


def _over_all_entries(logits, y):
    loss, gradient = reference.cross_entropy_and_grad(logits, y)
    return loss / logits.shape[1], gradient / logits.shape[1]


def _first_row_only(logits, y):
    loss, _ = reference.cross_entropy_and_grad(logits[:1], y[:1])
    return loss / len(y), _error(logits, y) / len(y)


def _no_mean(logits, y):
    losses = [reference.cross_entropy_and_grad(*row)[0] for row in _rows(logits, y)]
    return np.array(losses), _error(logits, y) / len(y)


def _rows(logits: np.ndarray, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(logits[i : i + 1], y[i : i + 1]) for i in range(len(y))]


def _every_class(logits: np.ndarray, p: np.ndarray, one_hot: np.ndarray) -> float:
    """The loss of as many yes-or-no questions as there are classes."""
    p = np.clip(p, 1e-300, 1 - 1e-16)
    return -(one_hot * np.log(p) + (1 - one_hot) * np.log(1 - p)).sum(axis=1).mean()


def _costs_what_it_misses(arguments: Mapping, answer: list) -> bool:
    """The loss is at least the mean distance of the right logit from the largest."""
    logits = arguments["logits"].astype(np.float64)
    right = np.take_along_axis(logits, arguments["y"][:, None], axis=1)
    return bool(answer[0] > (logits.max(axis=1, keepdims=True) - right).mean() * 0.999 - 1e-3)


def _gradient_sums_to_0(arguments: Mapping, answer: list) -> bool:
    return np.allclose(answer[1].sum(axis=1, dtype=np.float64), 0, rtol=0, atol=1e-5)


_CAPPED = "Confidently wrong must cost as much as the logits are apart; something caps your loss."

cross_entropy_and_grad = Check(
    reference=reference.cross_entropy_and_grad,
    from_scratch=("cross_entropy", "CrossEntropyLoss", "nll_loss"),
    cases={
        "a few rows": _batch,
        "a single row": lambda rng: _batch(rng, N=1),
        "more rows than classes": lambda rng: _batch(rng, N=7, C=3),
        "two classes": lambda rng: _batch(rng, C=2),
        "a single class": lambda rng: _batch(rng, N=3, C=1),
        "every row of the same class": _one_class,
        "sure by 40, of wrong classes too": lambda rng: _confident(rng, 40),
        "sure by 1000, of wrong classes too": lambda rng: _confident(rng, 1000),
        "logits near 1000": lambda rng: _shifted_logits(rng, *(4 * [1000])),
        "one row far below the others": lambda rng: _shifted_logits(rng, 0, -2000, 0, 3),
        "whole numbers": _whole_logits,
        "float32 numbers": lambda rng: {
            name: array.astype(np.float32) if name == "logits" else array
            for name, array in _batch(rng, spread=3).items()
        },
        "stored column by column": lambda rng: {
            name: np.asfortranarray(array) for name, array in _batch(rng, spread=3).items()
        },
    },
    mistakes={
        "The logarithm of a weight that underflowed is −infinity: take both in one step.": (
            _of_probabilities(_probabilities)
        ),
        _CAPPED: _of_probabilities(_probabilities, 1e-12),
        "exp of a large logit overflows; shifting a row alike changes nothing.": (
            _of_probabilities(unshifted)
        ),
        "Far below the others a row underflows to 0/0: each row needs a maximum of its own.": (
            _of_probabilities(lambda logits: unshifted(logits - logits.max()))
        ),
        "Each row sums to 1 over the classes; you took the softmax over the rows.": (
            _of_probabilities(lambda logits: softmax(logits, axis=0))
        ),
        "These are sigmoids of each logit alone; in a softmax the classes compete.": (
            _of_probabilities(lambda logits: 1 / (1 + np.exp(-logits)))
        ),
        "The loss is a mean over the N rows, so its gradient is divided by N too.": (
            _with_gradient(lambda p, one_hot: (p - one_hot) * len(p))
        ),
        "Take the mean over the rows, of the loss and of the gradient.": _summed,
        "The loss is the mean over the rows, not their sum.": (_loss_times(lambda N: N)),
        "The mean runs over the N rows, not over all N × C entries.": _over_all_entries,
        "The gradient's mean runs over the N rows too, not over all N × C entries.": (
            _with_gradient(lambda p, one_hot: (p - one_hot) / p.shape[1])
        ),
        "Every row has a loss: you took the first row's only.": _first_row_only,
        "The loss is one number, the mean over the rows.": _no_mean,
        "Return the loss first, then the gradient.": (
            lambda logits, y: reference.cross_entropy_and_grad(logits, y)[::-1]
        ),
        "The loss is not negative: a minus belongs before the logarithm.": (
            _loss_times(lambda N: -1)
        ),
        "Take the natural logarithm, not that to base 2.": (_loss_times(lambda N: 1 / np.log(2))),
        "The loss is the logarithm of the right class's weight, not the weight.": (
            _with_loss(lambda logits, p, one_hot: -(p * one_hot).sum(axis=1).mean())
        ),
        "Logits are no logarithms of weights yet: the rest of their row counts too.": (
            _with_loss(lambda logits, p, one_hot: -(logits * one_hot).sum(axis=1).mean())
        ),
        "Only the right class of a row enters its loss.": _with_loss(_every_class),
        "The gradient points uphill: raising the right class's logit must lower the loss.": (
            _with_gradient(lambda p, one_hot: one_hot - p)
        ),
        "The right class is missing in the gradient.": _with_gradient(lambda p, one_hot: p),
        "The gradient is by all logits, not by those of the right classes alone.": (
            _with_gradient(lambda p, one_hot: (p - 1) * one_hot)
        ),
        "y holds the numbers of classes, not values to subtract.": (
            lambda logits, y: (
                reference.cross_entropy_and_grad(logits, y)[0],
                (_probabilities(logits) - y[:, None]) / len(y),
            )
        ),
        "Row i goes with class i of y: you took every row with every class.": _all_pairs,
        "Softmax and loss together have this slope already: do not pass it back once more.": (
            _with_gradient(lambda p, one_hot: _through_softmax(p, p - one_hot))
        ),
        "Return the gradient by the logits, not by the weights after the softmax.": (
            _with_gradient(lambda p, one_hot: -one_hot / np.maximum(p, 1e-300))
        ),
        "The factor 2 is that of a squared error; this loss has none.": (
            _with_gradient(lambda p, one_hot: 2 * (p - one_hot))
        ),
        "This is the squared error, whose slope vanishes for a row that is surely wrong.": (
            _squared_error
        ),
    },
    properties={
        _CAPPED: _costs_what_it_misses,
        "The gradient of a row sums to 0, since shifting all its logits changes nothing.": (
            _gradient_sums_to_0
        ),
    },
    returns=("loss", "gradient"),
    atol=FLOAT32,
)

# ---- score_variance


def _correlated(rng: np.random.Generator, d: int, mean: float = 0.0) -> dict:
    return {"d": d, "mean": mean, "rho": float(rng.uniform(0.2, 0.8))}


def _together(itself: Callable, another: Callable) -> Callable:
    """A sum over all pairs of entries, each with itself and with another."""
    return lambda d, mean=0.0, rho=0.0: float(
        d * itself(mean, rho) + d * (d - 1) * another(mean, rho)
    )


def _itself(mean: float, rho: float) -> float:
    return 1 + 2 * mean**2


def _another(mean: float, rho: float) -> float:
    return rho**2 + 2 * mean**2 * rho


def _not_an_estimate(arguments: Mapping, variance: float) -> bool:
    """Whether it is right, or so far off that no simulation gave it."""
    right = reference.score_variance(**arguments)
    return not 1e-4 * right < abs(variance - right) < 0.05 * right


score_variance = Check(
    reference=reference.score_variance,
    cases={
        "mean 0, uncorrelated": lambda rng: {"d": int(rng.integers(5, 100))},
        "a mean": lambda rng: {
            "d": int(rng.integers(5, 100)),
            "mean": float(rng.uniform(0.5, 2)),
        },
        "correlated entries": lambda rng: _correlated(rng, int(rng.integers(5, 100))),
        "both": lambda rng: _correlated(rng, int(rng.integers(5, 20)), float(rng.uniform(0.5, 2))),
        "a negative mean": lambda rng: _correlated(rng, 12, float(rng.uniform(-2, -0.5))),
        "a negative correlation": lambda rng: {
            "d": 6,
            "mean": float(rng.uniform(0.5, 2)),
            "rho": float(rng.uniform(-0.19, -0.1)),
        },
        "all entries the same": lambda rng: {"d": 8, "mean": 0.0, "rho": 1.0},
        "a single entry": lambda rng: _correlated(rng, 1, float(rng.uniform(0.5, 2))),
        "many entries": lambda rng: _correlated(rng, 1024, float(rng.uniform(0.5, 2))),
    },
    mistakes={
        "The variance is d only for zero mean and uncorrelated entries.": (
            lambda d, mean=0.0, rho=0.0: d
        ),
        "The mean changes the variance too, though shifting a single number would not.": (
            lambda d, mean=0.0, rho=0.0: reference.score_variance(d, 0.0, rho)
        ),
        "The correlation changes the variance: the terms of the sum vary together.": (
            lambda d, mean=0.0, rho=0.0: reference.score_variance(d, mean, 0.0)
        ),
        "A mean and a correlation also act together: there is a term with both.": _together(
            _itself, lambda mean, rho: rho**2
        ),
        "Both q and k have the correlation, so the covariance of two terms has its square.": (
            _together(_itself, lambda mean, rho: rho)
        ),
        "Both q and k have the correlation: where no mean is, its square enters.": _together(
            _itself, lambda mean, rho: rho + 2 * mean**2 * rho
        ),
        "Both q and k have a mean: it enters twice.": _together(
            lambda mean, rho: 1 + mean**2, lambda mean, rho: rho**2 + mean**2 * rho
        ),
        "From the mean of the square take away the square of the mean.": _together(
            lambda mean, rho: (1 + mean**2) ** 2, lambda mean, rho: (rho + mean**2) ** 2
        ),
        "The mean enters as its square, so that its sign does not count.": _together(
            lambda mean, rho: 1 + 2 * mean, lambda mean, rho: rho**2 + 2 * mean * rho
        ),
        "Each pair of entries counts twice, as i with j and as j with i.": (
            lambda d, mean=0.0, rho=0.0: float(
                d * _itself(mean, rho) + d * (d - 1) / 2 * _another(mean, rho)
            )
        ),
        "An entry has d − 1 others: do not count it among them.": (
            lambda d, mean=0.0, rho=0.0: float(d * _itself(mean, rho) + d**2 * _another(mean, rho))
        ),
        "This is the variance after dividing by √d; give that of the score itself.": (
            lambda d, mean=0.0, rho=0.0: reference.score_variance(d, mean, rho) / d
        ),
        "This is the standard deviation, the root of the variance.": (
            lambda d, mean=0.0, rho=0.0: np.sqrt(reference.score_variance(d, mean, rho))
        ),
        "Variances of independent terms add up; do not square their number.": (
            lambda d, mean=0.0, rho=0.0: float(d**2 * _itself(mean, rho))
        ),
        "This is the mean of the score, not its variance.": (
            lambda d, mean=0.0, rho=0.0: float(d * mean**2)
        ),
        "The query and the key are independent; this is for a query equal to its key.": (
            lambda d, mean=0.0, rho=0.0: 2 * reference.score_variance(d, mean, rho)
        ),
    },
    properties={
        "Near, but not exact: work the formula out, do not estimate by drawing.": _not_an_estimate,
        "A variance is not negative.": lambda arguments, variance: bool(variance >= 0),
    },
)
