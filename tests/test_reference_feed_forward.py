"""The references of chapter feed_forward, and right answers of another kind to its checks."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograde.check import PRACTICE
from autograde.checks import feed_forward as checks
from autograde.reference.feed_forward import collapse, ffn, token_spread
from autograde.reference.self_attention import self_attention

EXACT = {"rtol": 1e-12, "atol": 1e-12}

# The same inputs in every run, and nothing written beside the tests.
drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def numbers(*shape: int, size: float = 1e3):
    return arrays(np.float64, shape, elements=st.floats(-size, size))


def network(rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.normal(size=shape) for shape in [(6, 9), (9,), (9, 6), (6,)]]


def stack(rng: np.random.Generator, L: int = 3) -> tuple[np.ndarray, ...]:
    return tuple(rng.normal(size=shape) / 2 for shape in [(5, 6), (L, 6, 4), (L, 6, 4), (L, 6, 6)])


# ---- ffn


@pytest.mark.parametrize("leading", [(), (4,), (2, 4), (2, 3, 4)])
def test_ffn_is_that_of_torch(rng, leading):
    x, parameters = rng.normal(size=(*leading, 6)), network(rng)
    tx, W1, b1, W2, b2 = map(torch.from_numpy, [x, *parameters])
    expected = F.linear(F.relu(F.linear(tx, W1.T, b1)), W2.T, b2)
    np.testing.assert_allclose(ffn(x, *parameters), expected, **EXACT)


def test_ffn_is_the_feed_forward_part_of_torchs_encoder_layer(rng):
    layer = torch.nn.TransformerEncoderLayer(6, 2, 9, 0.0, batch_first=True, dtype=torch.float64)
    x = rng.normal(size=(2, 4, 6))
    one, two = layer.linear1, layer.linear2
    parameters = [p.detach().numpy() for p in (one.weight.T, one.bias, two.weight.T, two.bias)]
    expected = layer._ff_block(torch.from_numpy(x)).detach()
    np.testing.assert_allclose(ffn(x, *parameters), expected, **EXACT)


def test_ffn_worked_out_by_hand():
    W1, W2 = np.array([[1, 0, 2], [1, -1, 0]]), np.array([[1, 5], [0, 1], [3, 0]])
    # In the middle -1, 2 and 2 - 1; then 0, 2 and 1.
    output = ffn(np.array([1, -2]), W1, np.array([0, 0, -1]), W2, np.array([0, 10]))
    np.testing.assert_array_equal(output, [3, 12])


@drawn
@given(numbers(4, 6), st.permutations(range(4)), st.integers(0, 99))
def test_ffn_treats_each_token_by_itself(x, order, seed):
    parameters = network(np.random.default_rng(seed))
    together = ffn(x, *parameters)
    np.testing.assert_allclose(ffn(x[order], *parameters), together[order], rtol=1e-9)
    np.testing.assert_allclose(ffn(x[1], *parameters), together[1], rtol=1e-9)


@drawn
@given(numbers(4, 6), st.floats(0, 1e3), st.integers(0, 99))
def test_ffn_without_biases_scales_with_its_input(x, factor, seed):
    W1, b1, W2, b2 = network(np.random.default_rng(seed))
    scaled = ffn(factor * x, W1, 0 * b1, W2, 0 * b2)
    np.testing.assert_allclose(scaled, factor * ffn(x, W1, 0 * b1, W2, 0 * b2), 1e-9, 1e-6)


# ---- token_spread


def test_token_spread_worked_out_by_hand():
    equal, opposite = [[1, 2], [1, 2]], [[1, 2], [-1, -2]]
    half = [[3, 0], [1, 0]]  # the mean is 2, what is left is 1 and -1: √2 / √10
    zero = [[0, 0], [0, 0]]
    expected = [0, 1, np.sqrt(0.2), 0]
    np.testing.assert_allclose(
        token_spread(np.array([equal, opposite, half, zero])), expected, **EXACT
    )


@drawn
@given(numbers(3, 4, 6), st.floats(0.01, 100))
def test_token_spread_is_bounded_and_free_of_scale(X, factor):
    spread = token_spread(X)
    assert ((spread >= 0) & (spread <= 1 + 1e-12)).all()
    np.testing.assert_allclose(token_spread(factor * X), spread, atol=1e-9)


@drawn
@given(st.integers(0, 99))
def test_no_matrix_of_equal_rows_is_nearer_than_the_mean(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(4, 6))
    other = X.mean(0) + 0.1 * rng.normal(size=6)
    assert np.linalg.norm(X - other) / np.linalg.norm(X) >= token_spread(X[None])[0]


# ---- collapse


def test_collapse_follows_the_layers(rng):
    X, *weights = stack(rng)
    states, skipped = [X], [X]
    for Ws in zip(*weights, strict=True):
        states.append(self_attention(states[-1], *Ws)[0])
        skipped.append(skipped[-1] + self_attention(skipped[-1], *Ws)[0])
    np.testing.assert_allclose(collapse(X, *weights), token_spread(np.stack(states)), **EXACT)
    np.testing.assert_allclose(
        collapse(X, *weights, skip=True), token_spread(np.stack(skipped)), **EXACT
    )


def test_a_skip_keeps_tokens_apart_where_attention_alone_makes_them_equal(rng):
    X, *weights = stack(rng, L=12)
    assert collapse(X, *weights)[-1] < 1e-6
    assert collapse(X, *weights, skip=True)[-1] > 1e-3


def test_layers_that_give_nothing_leave_the_skip_alone(rng):
    X, Wq, Wk, Wv = stack(rng)
    np.testing.assert_allclose(
        collapse(X, Wq, Wk, 0 * Wv, skip=True), token_spread(X[None])[0], **EXACT
    )
    np.testing.assert_array_equal(collapse(X, Wq, Wk, 0 * Wv)[1:], 0)


# ---- shapes that disagree

a = np.ones


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        (lambda: ffn(a((4, 5)), a((6, 9)), a(9), a((9, 6)), a(6)), 5, 6),
        (lambda: ffn(a((4, 6)), a((6, 9)), a(8), a((9, 6)), a(6)), 9, 8),
        (lambda: ffn(a((4, 6)), a((6, 9)), a(9), a((8, 6)), a(6)), 9, 8),
        (lambda: ffn(a((4, 6)), a((6, 9)), a(9), a((9, 6)), a(7)), 6, 7),
        (lambda: collapse(a((5, 6)), a((3, 6, 4)), a((2, 6, 4)), a((3, 6, 6))), 3, 2),
        (lambda: collapse(a((5, 6)), a((3, 7, 4)), a((3, 6, 4)), a((3, 6, 6))), 6, 7),
    ],
)
def test_shapes_that_disagree_are_named_with_both_numbers(call, one, other):
    with pytest.raises(ValueError, match=f"{one}.*{other}"):
        call()


# ---- right answers of another kind pass


def ffn_one_by_one(x, W1, b1, W2, b2):
    def of_a_token(token):
        middle = [max(0.0, sum(token * column) + b) for column, b in zip(W1.T, b1, strict=True)]
        return [sum(middle * column) + b for column, b in zip(W2.T, b2, strict=True)]

    return np.apply_along_axis(of_a_token, -1, x.astype(float))


def ffn_in_float32(x, W1, b1, W2, b2):
    x, W1, b1, W2, b2 = (array.astype(np.float32) for array in (x, W1, b1, W2, b2))
    return np.einsum("...f,fd->...d", (x @ W1 + b1).clip(min=0), W2) + b2


def ffn_by_torch(x, W1, b1, W2, b2):
    x, W1, b1, W2, b2 = (torch.from_numpy(array).float() for array in (x, W1, b1, W2, b2))
    return torch.relu(x @ W1 + b1) @ W2 + b2


def spread_one_by_one(X):
    found = []
    for tokens in X.astype(float):
        apart = sum(((tokens - tokens.mean(0)) ** 2).ravel())
        found.append((apart / max(sum((tokens**2).ravel()), 1e-300)) ** 0.5)
    return np.array(found)


def spread_in_float32(X):
    X = X.astype(np.float32)
    apart = np.sqrt(((X - X.mean(1, keepdims=True)) ** 2).sum((1, 2)))
    size = np.sqrt((X**2).sum((1, 2)))
    return np.divide(apart, size, out=np.zeros_like(size), where=size > 0)


def collapse_by_torch(X, Wq, Wk, Wv, skip=False):
    X, Wq, Wk, Wv = (torch.from_numpy(array).float() for array in (X, Wq, Wk, Wv))
    states = [X]
    for q, k, v in zip(Wq, Wk, Wv, strict=True):
        output = F.scaled_dot_product_attention(X @ q, X @ k, X @ v)
        X = X + output if skip else output
        states.append(X)
    return spread_in_float32(torch.stack(states).numpy())


@pytest.mark.parametrize("seed", [PRACTICE, "one release", "another release"])
@pytest.mark.parametrize(
    ("check", "function"),
    [
        (checks.ffn, ffn_one_by_one),
        (checks.ffn, ffn_in_float32),
        (checks.ffn, ffn_by_torch),
        (checks.token_spread, spread_one_by_one),
        (checks.token_spread, spread_in_float32),
        (checks.collapse, collapse_by_torch),
    ],
)
def test_a_right_answer_of_another_kind_passes(check, function, seed):
    verdict = check.verdict(function, seed)
    assert verdict.fraction == 1, verdict.text()
