"""The references of chapter layer_norm, and right answers of another kind to its checks."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograde.check import PRACTICE
from autograde.checks import layer_norm as checks
from autograde.reference.layer_norm import encoder_layer, layer_norm

EXACT = {"rtol": 1e-12, "atol": 1e-12}

# The same inputs in every run, and nothing written beside the tests.
drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def numbers(*shape: int, size: float = 1e3):
    return arrays(np.float64, shape, elements=st.floats(-size, size))


# ---- layer_norm


@pytest.mark.parametrize("leading", [(), (4,), (2, 4), (2, 3, 4)])
@pytest.mark.parametrize("eps", [1e-5, 0.5])
@pytest.mark.parametrize("size", [1, 1e-3, 1e3])
def test_layer_norm_is_that_of_torch(rng, leading, eps, size):
    x, gamma, beta = size * rng.normal(size=(*leading, 6)), rng.normal(size=6), rng.normal(size=6)
    expected = F.layer_norm(
        *map(torch.from_numpy, [x]), (6,), *map(torch.from_numpy, [gamma, beta]), eps
    )
    np.testing.assert_allclose(layer_norm(x, gamma, beta, eps), expected, **EXACT)


def test_layer_norm_worked_out_by_hand():
    one, zero = np.ones(4), np.zeros(4)
    # The mean is 1/4 and the variance 3/16, so the first number is 3/4 over √3/4.
    normed = layer_norm(np.array([1, 0, 0, 0]), one, zero, 1e-12)
    np.testing.assert_allclose(normed, [3**0.5, *[-(3**-0.5)] * 3], rtol=1e-9)
    # A constant token has nothing left; beta is what remains.
    np.testing.assert_array_equal(layer_norm(7 * one, one, np.arange(4)), np.arange(4))
    # Half of a variance of 1 and an epsilon of 3.
    np.testing.assert_array_equal(layer_norm(np.array([1, -1]), one[:2], zero[:2], 3), [0.5, -0.5])


@drawn
@given(numbers(4, 6), st.floats(-100, 100), st.floats(0.1, 100))
def test_layer_norm_sees_no_shift_and_hardly_a_scale(x, shift, factor):
    x = x + 10 * np.arange(6)  # so that no variance is near epsilon
    one, zero = np.ones(6), np.zeros(6)
    normed = layer_norm(x, one, zero)
    np.testing.assert_allclose(normed.mean(-1), 0, atol=1e-9)
    np.testing.assert_allclose(layer_norm(x + shift, one, zero), normed, atol=1e-6)
    if (x.var(-1) > 1).all():
        np.testing.assert_allclose(normed.var(-1), 1, atol=2e-5)
        np.testing.assert_allclose(layer_norm(factor * x, one, zero), normed, atol=2e-3)


@drawn
@given(numbers(4, 6), st.permutations(range(4)))
def test_layer_norm_treats_each_token_by_itself(x, order):
    gamma, beta = np.arange(6), -np.arange(6)
    together = layer_norm(x, gamma, beta)
    np.testing.assert_allclose(layer_norm(x[order], gamma, beta), together[order], **EXACT)
    np.testing.assert_allclose(layer_norm(x[1], gamma, beta), together[1], **EXACT)


# ---- encoder_layer


def torch_layer(norm_first: bool, d: int = 12, h: int = 3) -> torch.nn.TransformerEncoderLayer:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(
        d, h, 10, 0.0, batch_first=True, norm_first=norm_first, dtype=torch.float64
    ).eval()
    for parameter in layer.parameters():  # torch starts some at 0 or 1
        torch.nn.init.normal_(parameter, std=0.5)
    return layer


def parameters_of(layer: torch.nn.TransformerEncoderLayer) -> dict[str, np.ndarray]:
    attention = layer.self_attn
    P = {
        "W": attention.in_proj_weight,
        "b": attention.in_proj_bias,
        "Wo": attention.out_proj.weight,
        "bo": attention.out_proj.bias,
        "W1": layer.linear1.weight.T,
        "b1": layer.linear1.bias,
        "W2": layer.linear2.weight.T,
        "b2": layer.linear2.bias,
        "gamma1": layer.norm1.weight,
        "beta1": layer.norm1.bias,
        "gamma2": layer.norm2.weight,
        "beta2": layer.norm2.bias,
    }
    return {name: parameter.detach().numpy() for name, parameter in P.items()}


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("h", [1, 3])
def test_encoder_layer_is_that_of_torch(rng, norm_first, h):
    layer, x = torch_layer(norm_first, h=h), rng.normal(size=(2, 5, 12))
    output = encoder_layer(x, parameters_of(layer), h, norm_first=norm_first)
    np.testing.assert_allclose(output, layer(torch.from_numpy(x)).detach(), **EXACT)


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_layer_with_padding_is_that_of_torch_at_the_words(rng, norm_first):
    layer, x = torch_layer(norm_first), rng.normal(size=(2, 5, 12))
    word = np.arange(5) < np.array([[3], [5]])
    expected = layer(torch.from_numpy(x), src_key_padding_mask=torch.from_numpy(~word)).detach()
    output = encoder_layer(x, parameters_of(layer), 3, word[:, None, None, :], norm_first)
    np.testing.assert_allclose(output[word], expected.numpy()[word], **EXACT)


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_layer_with_a_causal_mask_is_that_of_torch(rng, norm_first):
    layer, x = torch_layer(norm_first), rng.normal(size=(2, 5, 12))
    look = np.tril(np.ones((5, 5), bool))
    expected = layer(torch.from_numpy(x), src_mask=torch.from_numpy(~look)).detach()
    output = encoder_layer(x, parameters_of(layer), 3, look, norm_first)
    np.testing.assert_allclose(output, expected, **EXACT)


@pytest.mark.parametrize("norm_first", [False, True])
def test_what_may_not_be_seen_changes_nothing_and_a_query_may_see_nothing(rng, norm_first):
    P, x = parameters_of(torch_layer(norm_first)), rng.normal(size=(5, 12))
    look = np.ones((5, 5), bool)
    look[:, 4] = False
    look[2] = False
    output = encoder_layer(x, P, 3, look, norm_first)
    assert np.isfinite(output).all()
    other = np.concatenate([x[:4], rng.normal(size=(1, 12))])
    changed = encoder_layer(other, P, 3, look, norm_first)
    np.testing.assert_array_equal(changed[:4], output[:4])


def test_a_layer_whose_sublayers_give_nothing_leaves_the_skips(rng):
    P, x = parameters_of(torch_layer(True)), rng.normal(size=(5, 12))
    nothing = P | {name: 0 * P[name] for name in ("Wo", "bo", "W2", "b2")}
    np.testing.assert_array_equal(encoder_layer(x, nothing, 3, norm_first=True), x)
    once = layer_norm(x, P["gamma1"], P["beta1"])
    twice = layer_norm(once, P["gamma2"], P["beta2"])
    np.testing.assert_allclose(encoder_layer(x, nothing, 3), twice, **EXACT)


@drawn
@given(st.permutations(range(5)), st.booleans())
def test_an_encoder_layer_moves_along_when_tokens_are_moved(order, norm_first):
    P, x = parameters_of(torch_layer(norm_first)), np.random.default_rng(1).normal(size=(5, 12))
    output = encoder_layer(x, P, 3, norm_first=norm_first)
    moved = encoder_layer(x[order], P, 3, norm_first=norm_first)
    np.testing.assert_allclose(moved, output[order], **EXACT)


# ---- arguments that disagree

a = np.ones


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        (lambda: layer_norm(a((4, 6)), a(5), a(6)), 6, 5),
        (lambda: layer_norm(a((4, 6)), a(6), a(7)), 6, 7),
        (lambda: layer_norm(a((4, 6)), a(6), a(6), 0), "eps", 0),
        (lambda: encoder_layer(a((5, 10)), parameters_of(torch_layer(True)), 3), 10, 12),
        (lambda: encoder_layer(a((5, 12)), parameters_of(torch_layer(True)), 5), 12, 5),
    ],
)
def test_arguments_that_disagree_are_named(call, one, other):
    with pytest.raises(ValueError, match=f"{one}.*{other}"):
        call()


# ---- right answers of another kind pass


def norm_one_by_one(x, gamma, beta, eps=1e-5):
    def of_a_token(token):
        mean = sum(token) / len(token)
        variance = sum((token - mean) ** 2) / len(token)
        return gamma * ((token - mean) / (variance + eps) ** 0.5) + beta

    return np.apply_along_axis(of_a_token, -1, x.astype(float))


def norm_in_float32(x, gamma, beta, eps=1e-5):
    x, gamma, beta = (array.astype(np.float32) for array in (x, gamma, beta))
    variance = x.var(axis=-1, keepdims=True)
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(variance + np.float32(eps)) * gamma + beta


def norm_by_torch(x, gamma, beta, eps=1e-5):
    x, gamma, beta = (torch.from_numpy(array).float() for array in (x, gamma, beta))
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def layer_by_torch(x, P, h, mask=None, norm_first=False):
    """In float32, and with the mask added to the scores."""
    x = torch.from_numpy(x).float()
    P = {name: torch.from_numpy(array).float() for name, array in P.items()}

    def norm(x, i):
        return F.layer_norm(x, x.shape[-1:], P[f"gamma{i}"], P[f"beta{i}"])

    def attend(x):
        Q, K, V = (
            part.unflatten(-1, (h, -1)).transpose(-2, -3)
            for part in F.linear(x, P["W"], P["b"]).chunk(3, -1)
        )
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores + torch.where(torch.from_numpy(mask), 0.0, -torch.inf)
        weights = torch.softmax(scores, -1).nan_to_num(0.0)
        return F.linear((weights @ V).transpose(-2, -3).flatten(-2), P["Wo"], P["bo"])

    def feed(x):
        return F.relu(x @ P["W1"] + P["b1"]) @ P["W2"] + P["b2"]

    if norm_first:
        x = x + attend(norm(x, 1))
        return x + feed(norm(x, 2))
    x = norm(x + attend(x), 1)
    return norm(x + feed(x), 2)


def layer_head_by_head(x, P, h, mask=None, norm_first=False):
    """One sequence at a time and one head at a time."""
    if x.ndim > 2:
        masks = (
            [None] * len(x) if mask is None else np.broadcast_to(mask, (len(x), *mask.shape[-3:]))
        )
        pairs = zip(x, masks, strict=True)
        return np.stack([layer_head_by_head(one, P, h, m, norm_first) for one, m in pairs])
    n, d = x.shape
    look = np.ones((n, n), bool) if mask is None else np.broadcast_to(mask, (1, n, n))[0]

    def attend(x):
        heads = []
        for part in np.split(np.arange(d), h):
            Q, K, V = (x @ P["W"][i + part].T + P["b"][i + part] for i in (0, d, 2 * d))
            head = np.zeros_like(V)
            for i in range(n):
                seen = np.flatnonzero(look[i])
                if seen.size:
                    scores = K[seen] @ Q[i] / np.sqrt(d / h)
                    powers = np.exp(scores - scores.max())
                    head[i] = powers @ V[seen] / powers.sum()
            heads.append(head)
        return np.hstack(heads) @ P["Wo"].T + P["bo"]

    def norm(x, i):
        return norm_one_by_one(x, P[f"gamma{i}"], P[f"beta{i}"])

    def feed(x):
        return (x @ P["W1"] + P["b1"]).clip(min=0) @ P["W2"] + P["b2"]

    if norm_first:
        y = x + attend(norm(x, 1))
        return y + feed(norm(y, 2))
    y = norm(x + attend(x), 1)
    return norm(y + feed(y), 2)


@pytest.mark.parametrize("seed", [PRACTICE, "one release", "another release"])
@pytest.mark.parametrize(
    ("check", "function"),
    [
        (checks.layer_norm, norm_one_by_one),
        (checks.layer_norm, norm_in_float32),
        (checks.layer_norm, norm_by_torch),
        (checks.encoder_layer, layer_by_torch),
        (checks.encoder_layer, layer_head_by_head),
    ],
)
def test_a_right_answer_of_another_kind_passes(check, function, seed):
    verdict = check.verdict(function, seed)
    assert verdict.fraction == 1, verdict.text()
