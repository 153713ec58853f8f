"""Checks of chapter `feed_forward`."""

from collections.abc import Mapping

import numpy as np

from autograde.check import Check
from autograde.checks.attention import FLOAT32, over_all
from autograde.reference import feed_forward as reference
from autograde.reference.vectors import softmax


def _float32(inputs: dict) -> dict:
    return {name: array.astype(np.float32) for name, array in inputs.items()}


def _column_by_column(inputs: dict) -> dict:
    return {name: np.asfortranarray(array) for name, array in inputs.items()}


# ---- ffn


def _tokens(rng: np.random.Generator, *leading: int, n: int = 4, d: int = 6, d_ff: int = 9) -> dict:
    """No two axes have the same size, so no wrong axis goes unseen."""
    return {
        "x": rng.normal(size=(*leading, n, d)),
        "W1": rng.normal(size=(d, d_ff)) / 2,
        "b1": rng.normal(size=d_ff),
        "W2": rng.normal(size=(d_ff, d)) / 2,
        "b2": rng.normal(size=d),
    }


def _one_token(rng: np.random.Generator) -> dict:
    inputs = _tokens(rng)
    return inputs | {"x": inputs["x"][0]}


def _whole(rng: np.random.Generator) -> dict:
    """Tokens of integers; the parameters are floats, as learned ones are."""
    return _tokens(rng, 2) | {"x": rng.integers(-3, 4, size=(2, 4, 6))}


def _nothing_negative(rng: np.random.Generator) -> dict:
    """The ReLU lets everything through."""
    inputs = {name: np.abs(array) for name, array in _tokens(rng, 2).items()}
    return inputs | {"W2": rng.normal(size=(9, 6)), "b2": rng.normal(size=6)}


def _all_negative(rng: np.random.Generator) -> dict:
    """The ReLU lets nothing through, and only b2 is left."""
    inputs = {name: np.abs(array) for name, array in _tokens(rng, 2).items()}
    return inputs | {"x": -inputs["x"], "b1": -inputs["b1"], "b2": rng.normal(size=6)}


def _relu(z: np.ndarray) -> np.ndarray:
    return np.maximum(0, z)


def _gelu(z: np.ndarray) -> np.ndarray:
    """The usual approximation by tanh."""
    return z / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))


def _bent_by(bend):
    """Right but for what stands between the two matrices."""
    return lambda x, W1, b1, W2, b2: bend(x @ W1 + b1) @ W2 + b2


def _mixed_places(x, W1, b1, W2, b2):
    """The matrices act on the axis of the places."""
    return np.swapaxes(reference.ffn(np.swapaxes(x, -1, -2), W1, b1, W2, b2), -1, -2)


def _mean_of_places(x, W1, b1, W2, b2):
    return np.broadcast_to(
        reference.ffn(x, W1, b1, W2, b2).mean(-2, keepdims=True) if x.ndim > 1 else b2, x.shape
    )


ffn = Check(
    reference=reference.ffn,
    cases={
        "one sequence": _tokens,
        "a batch of sequences": lambda rng: _tokens(rng, 2),
        "two leading axes": lambda rng: _tokens(rng, 2, 3),
        "a single token, without any other axis": _one_token,
        "as many tokens as numbers in each": lambda rng: _tokens(rng, n=6),
        "no wider in the middle": lambda rng: _tokens(rng, 2, d_ff=6),
        "nothing negative in the middle": _nothing_negative,
        "everything negative in the middle": _all_negative,
        "large numbers": lambda rng: _tokens(rng) | {"x": 1000 * rng.normal(size=(4, 6))},
        "whole numbers": _whole,
        "float32 numbers": lambda rng: _float32(_tokens(rng, 2)),
        "stored column by column": lambda rng: _column_by_column(_tokens(rng, 2)),
    },
    mistakes={
        "The ReLU is missing: without a bend the two matrices are one matrix.": (
            _bent_by(lambda z: z)
        ),
        "The ReLU stands between the two matrices, not after the second.": (
            lambda x, W1, b1, W2, b2: _relu((x @ W1 + b1) @ W2 + b2)
        ),
        "Only between the matrices is a ReLU; the output may be negative.": (
            lambda x, W1, b1, W2, b2: _relu(_relu(x @ W1 + b1) @ W2 + b2)
        ),
        "The ReLU comes after the first matrix, not before it.": (
            lambda x, W1, b1, W2, b2: (_relu(x) @ W1 + b1) @ W2 + b2
        ),
        "Add b1 before the ReLU: it decides where the bend is.": (
            lambda x, W1, b1, W2, b2: (_relu(x @ W1) + b1) @ W2 + b2
        ),
        "The first bias, b1, is missing.": lambda x, W1, b1, W2, b2: _relu(x @ W1) @ W2 + b2,
        "The second bias, b2, is missing.": lambda x, W1, b1, W2, b2: _relu(x @ W1 + b1) @ W2,
        "Biases are added, not taken away.": (
            lambda x, W1, b1, W2, b2: _relu(x @ W1 - b1) @ W2 - b2
        ),
        "The ReLU keeps the positive numbers and drops the negative ones.": (
            _bent_by(lambda z: np.minimum(0, z))
        ),
        "The ReLU makes negative numbers 0; you made them positive.": _bent_by(np.abs),
        "The ReLU makes negative numbers 0; you kept a little of them.": (
            _bent_by(lambda z: np.where(z > 0, z, 0.01 * z))
        ),
        "The ReLU keeps the positive numbers as they are; you made them 1.": (
            _bent_by(lambda z: 1.0 * (z > 0))
        ),
        "This is a GELU; the task asks for the ReLU.": _bent_by(_gelu),
        "This is a sigmoid; the task asks for the ReLU.": _bent_by(lambda z: 1 / (1 + np.exp(-z))),
        "This is a tanh; the task asks for the ReLU.": _bent_by(np.tanh),
        "This is a softmax; the numbers in the middle do not compete.": _bent_by(softmax),
        "The skip is not part of the FFN: do not add x.": (
            lambda x, W1, b1, W2, b2: x + reference.ffn(x, W1, b1, W2, b2)
        ),
        "The matrices act on the features of a token; you let them mix the places.": _mixed_places,
        "Each token keeps an output of its own: do not average over the places.": _mean_of_places,
        "Use the matrices as they are, not transposed.": (
            lambda x, W1, b1, W2, b2: reference.ffn(x, W1.T, b1, W2.T, b2)
        ),
        "Any number of axes may come before the last, none too; you count on two.": (
            lambda x, W1, b1, W2, b2: (
                np.einsum("bnf,fd->bnd", _relu(np.einsum("bnd,df->bnf", x, W1) + b1), W2) + b2
            )
        ),
        "Dropout is for training only: do not scale the output.": (
            lambda x, W1, b1, W2, b2: 0.9 * reference.ffn(x, W1, b1, W2, b2)
        ),
        "Do not scale the numbers in the middle: only scores are divided by a root.": (
            _bent_by(lambda z: _relu(z) / np.sqrt(z.shape[-1]))
        ),
    },
    atol=FLOAT32,
)

# ---- token_spread


def _layers(rng: np.random.Generator, L: int = 3, n: int = 4, d: int = 6) -> dict:
    return {"X": rng.normal(size=(L, n, d))}


def _more_and_more_alike(rng: np.random.Generator) -> dict:
    """A common vector grows from layer to layer."""
    common = rng.normal(size=6)
    return {"X": rng.normal(size=(3, 4, 6)) + np.array([0.5, 2, 8])[:, None, None] * common}


def _scaled(rng: np.random.Generator) -> dict:
    """The same tokens in three sizes have one spread."""
    return {"X": rng.normal(size=(1, 4, 6)) * np.array([0.01, 1, 1000])[:, None, None]}


def _one_layer_equal(rng: np.random.Generator) -> dict:
    """Whole numbers, whose mean is exact."""
    X = rng.integers(1, 9, size=(3, 4, 6)).astype(float)
    X[1] = X[1, 0]
    return {"X": X}


def _one_layer_zero(rng: np.random.Generator) -> dict:
    X = rng.normal(size=(3, 4, 6))
    X[1] = 0
    return {"X": X}


def _size(X: np.ndarray) -> np.ndarray:
    return np.linalg.norm(X, axis=(-2, -1))


def _apart(X: np.ndarray) -> np.ndarray:
    return X - X.mean(-2, keepdims=True)


def _divided(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return one / np.where(other == 0, 1, other)


def _by_token(X: np.ndarray) -> np.ndarray:
    """The mean of each token's own share."""
    sizes = np.linalg.norm(_apart(X), axis=-1), np.linalg.norm(X, axis=-1)
    return _divided(*sizes).mean(-1)


def _from_0_to_1(arguments: Mapping, spread: np.ndarray) -> bool:
    return bool(((spread >= 0) & (spread <= 1 + 1e-5)).all())


token_spread = Check(
    reference=reference.token_spread,
    cases={
        "random tokens": _layers,
        "more tokens than numbers in each": lambda rng: _layers(rng, L=4, n=7, d=5),
        "tokens more and more alike": _more_and_more_alike,
        "one number for each token": lambda rng: {"X": 2 + rng.normal(size=(3, 4, 1))},
        "small and large tokens": _scaled,
        "equal tokens in one layer": _one_layer_equal,
        "only zeros in one layer": _one_layer_zero,
        "a single token": lambda rng: {"X": rng.normal(size=(3, 1, 6))},
        "whole numbers": lambda rng: {"X": rng.integers(-5, 10, size=(3, 4, 6))},
        "float32 numbers": lambda rng: _float32(_layers(rng)),
        "stored column by column": lambda rng: _column_by_column(_layers(rng)),
    },
    mistakes={
        "The mean token is the mean over the tokens; you took the mean over the features.": (
            lambda X: _divided(_size(X - X.mean(-1, keepdims=True)), _size(X))
        ),
        "The mean token is a vector: one mean for each feature, not one for all numbers.": (
            lambda X: _divided(_size(X - X.mean((-2, -1), keepdims=True)), _size(X))
        ),
        "Each layer has a mean token of its own: do not average over the layers.": (
            lambda X: _divided(_size(X - X.mean(0)), _size(X))
        ),
        "Each layer has a size of its own: do not divide by the size of all layers.": (
            lambda X: _size(_apart(X)) / np.linalg.norm(X)
        ),
        "Divide by the size of X: a spread must not depend on the scale.": (
            lambda X: _size(_apart(X))
        ),
        "Divide by the size of X, not by that of what is left without the mean.": (
            lambda X: _divided(_size(X.mean(-2, keepdims=True)), _size(_apart(X)))
        ),
        "Divide by the size of all of X, not by that of the mean token.": (
            lambda X: _divided(_size(_apart(X)), np.linalg.norm(X.mean(-2), axis=-1))
        ),
        "The size is the root of the sum of squares; you left out the root.": (
            lambda X: _divided(_size(_apart(X)) ** 2, _size(X) ** 2)
        ),
        "The size is the root of the sum of squares, not the sum of absolute values.": (
            lambda X: _divided(np.abs(_apart(X)).sum((-2, -1)), np.abs(X).sum((-2, -1)))
        ),
        "The size is taken over all entries; this is the largest singular value.": (
            lambda X: _divided(
                np.linalg.norm(_apart(X), 2, axis=(-2, -1)), np.linalg.norm(X, 2, axis=(-2, -1))
            )
        ),
        "Take one quotient of two sizes, not the mean of the quotients of all tokens.": _by_token,
        "Compare with the mean token, not with the first token.": (
            lambda X: _divided(_size(X - X[:, :1]), _size(X))
        ),
        "This is the share of the mean token; the spread is the share of the rest.": (
            lambda X: 1 - reference.token_spread(X)
        ),
        "Tokens that are all zero do not differ: their spread is 0, not NaN.": (
            lambda X: _size(_apart(X)) / _size(X)
        ),
    },
    properties={"A spread lies between 0 and 1.": _from_0_to_1},
    atol=FLOAT32,
)

# ---- collapse


def _stack(
    rng: np.random.Generator, L: int = 3, n: int = 5, d: int = 6, d_k: int = 4, skip: bool = False
) -> dict:
    """Weights small enough that layers differ by more than float32 loses."""
    return {
        "X": rng.normal(size=(n, d)),
        "Wq": rng.normal(size=(L, d, d_k)) / 2,
        "Wk": rng.normal(size=(L, d, d_k)) / 2,
        "Wv": rng.normal(size=(L, d, d)) / 2,
        "skip": skip,
    }


def _as_float32(inputs: dict) -> dict:
    return {
        name: value if name == "skip" else value.astype(np.float32)
        for name, value in inputs.items()
    }


def _sharp(rng: np.random.Generator, skip: bool) -> dict:
    """Scores in the thousands, whose exponentials overflow, and a clear winner in each row."""
    inputs = _stack(rng, L=2, n=4, d=6, d_k=6, skip=skip)
    inputs["X"][:, :4] = 40 * np.eye(4)[rng.permutation(4)]
    inputs["X"][:, 4:] = 0
    inputs["Wq"][:] = inputs["Wk"][:] = 2 * np.eye(6)
    inputs["Wv"][:] = np.eye(6)
    return inputs


def _attended(X, Wq, Wk, Wv, weigh=softmax, scale=None):
    scale = np.sqrt(Wq.shape[1]) if scale is None else scale
    return weigh((X @ Wq) @ (X @ Wk).T / scale) @ (X @ Wv)


def _plain(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


def _states(X, Wq, Wk, Wv, step) -> np.ndarray:
    """(L + 1, n, d): the input and what each layer makes of it; step is given all that is known."""
    states = [X]
    for layer in range(len(Wq)):
        states.append(step(states, Wq[layer], Wk[layer], Wv[layer]))
    return np.stack(states)


def _with_step(step):
    """Right but for the step from layer to layer, a function of states, matrices and skip."""

    def wrong(X, Wq, Wk, Wv, skip=False):
        states = _states(X, Wq, Wk, Wv, lambda states, *Ws: step(states, *Ws, skip))
        return reference.token_spread(states)

    return wrong


def _with_attention(**changes):
    """Right but for how attention is computed."""

    def step(states, Wq, Wk, Wv, skip):
        output = _attended(states[-1], Wq, Wk, Wv, **changes)
        return states[-1] + output if skip else output

    return _with_step(step)


def _unprojected(states, Wq, Wk, Wv, skip):
    X = states[-1]
    output = softmax((X @ Wq) @ (X @ Wk).T / np.sqrt(Wq.shape[1])) @ X
    return X + output if skip else output


def _of_the_layers_output(X, Wq, Wk, Wv, skip=False):
    """Looks at what attention gives, before the skip is added."""
    outputs = [X]
    for Ws in zip(Wq, Wk, Wv, strict=True):
        outputs.append(_attended(X, *Ws))
        X = X + outputs[-1] if skip else outputs[-1]
    return reference.token_spread(np.stack(outputs))


def _first_layers_weights(X, Wq, Wk, Wv, skip=False):
    Wq, Wk, Wv = (np.broadcast_to(W[:1], W.shape) for W in (Wq, Wk, Wv))
    return reference.collapse(X, Wq, Wk, Wv, skip)


collapse = Check(
    reference=reference.collapse,
    cases={
        "three layers": _stack,
        "three layers with a skip": lambda rng: _stack(rng, skip=True),
        "six layers with a skip": lambda rng: _stack(rng, L=6, skip=True),
        "more tokens than numbers in each": lambda rng: _stack(rng, n=9, d=5),
        "a single layer": lambda rng: _stack(rng, L=1),
        "a single layer with a skip": lambda rng: _stack(rng, L=1, skip=True),
        "scores in the thousands": lambda rng: _sharp(rng, skip=False),
        "scores in the thousands, with a skip": lambda rng: _sharp(rng, skip=True),
        "float32 numbers": lambda rng: _as_float32(_stack(rng, L=2, skip=True)),
        "stored column by column": lambda rng: (
            _column_by_column({k: v for k, v in _stack(rng).items() if k != "skip"})
            | {"skip": True}
        ),
    },
    mistakes={
        "The skip has no effect: add each layer's input to its output.": (
            lambda X, Wq, Wk, Wv, skip=False: reference.collapse(X, Wq, Wk, Wv, False)
        ),
        "Add a layer's input to its output only if there is a skip.": (
            lambda X, Wq, Wk, Wv, skip=False: reference.collapse(X, Wq, Wk, Wv, True)
        ),
        "The skip is the wrong way round: true means that the input is added.": (
            lambda X, Wq, Wk, Wv, skip=False: reference.collapse(X, Wq, Wk, Wv, not skip)
        ),
        "A skip adds the input of its own layer, not that of the first.": _with_step(
            lambda states, Wq, Wk, Wv, skip: skip * states[0] + _attended(states[-1], Wq, Wk, Wv)
        ),
        "A skip adds the whole input to the output; it does not average the two.": _with_step(
            lambda states, Wq, Wk, Wv, skip: (
                (states[-1] + _attended(states[-1], Wq, Wk, Wv)) / 2
                if skip
                else _attended(states[-1], Wq, Wk, Wv)
            )
        ),
        "Measure the tokens that go on to the next layer, the skip included.": (
            _of_the_layers_output
        ),
        "Each layer takes what the layer before gave, not the first input.": _with_step(
            lambda states, Wq, Wk, Wv, skip: skip * states[0] + _attended(states[0], Wq, Wk, Wv)
        ),
        "Each layer has matrices of its own; you used those of the first.": _first_layers_weights,
        "The first number is the spread before any layer.": (
            lambda X, Wq, Wk, Wv, skip=False: reference.collapse(X, Wq, Wk, Wv, skip)[1:]
        ),
        "After the last layer there is a spread too.": (
            lambda X, Wq, Wk, Wv, skip=False: reference.collapse(X, Wq, Wk, Wv, skip)[:-1]
        ),
        "The scale is missing: divide the scores by the square root of d_k.": (
            _with_attention(scale=1)
        ),
        "d_k is the length of a key, not of a token.": _with_step(
            lambda states, Wq, Wk, Wv, skip: (
                skip * states[-1] + _attended(states[-1], Wq, Wk, Wv, scale=np.sqrt(len(Wq)))
            )
        ),
        "The weights of each token sum to 1: take the softmax over the keys, not the queries.": (
            _with_attention(weigh=lambda scores: softmax(scores, -2))
        ),
        "The weights of each token sum to 1, not those of the whole matrix.": (
            _with_attention(weigh=over_all)
        ),
        "exp of a large score overflows; shifting a token's scores alike changes no weight.": (
            _with_attention(weigh=_plain)
        ),
        "The values are projected too: the tokens themselves are blended here.": (
            _with_step(_unprojected)
        ),
        "Queries are the rows of the scores, keys the columns; you swapped them.": (
            lambda X, Wq, Wk, Wv, skip=False: reference.collapse(X, Wk, Wq, Wv, skip)
        ),
    },
    atol=FLOAT32,
)
