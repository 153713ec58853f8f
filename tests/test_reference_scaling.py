"""Chapter `scaling`: what torch does, what hands can work out, what drawing numbers shows."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograde.checks import scaling as checks
from autograde.reference.attention import attention
from autograde.reference.scaling import (
    cross_entropy_and_grad,
    scaled_attention,
    score_variance,
    softmax_jacobian,
)
from autograde.reference.vectors import softmax

EXACT = {"rtol": 1e-12, "atol": 1e-12}
LEADING = [(), (2,), (2, 3)]

drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def numbers(*shape: int, largest: float = 1e3):
    return arrays(np.float64, shape, elements=st.floats(-largest, largest))


def torch_of(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.from_numpy(array) for array in arrays]


def sequences(rng: np.random.Generator, *leading: int) -> tuple[np.ndarray, ...]:
    return tuple(rng.normal(size=(*leading, *shape)) for shape in [(4, 6), (5, 6), (5, 7)])


def slopes(function, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """The derivatives of a function's values by each entry of x, on the last axes."""
    columns = []
    for index in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[index] = step
        columns.append((function(x + moved) - function(x - moved)) / (2 * step))
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape)


# ---- scaled_attention


@pytest.mark.parametrize("leading", LEADING)
@pytest.mark.parametrize("scale", [None, 0.0, 0.3, 1.0, -2.0])
def test_scaled_attention_is_that_of_torch(rng, leading, scale):
    Q, K, V = sequences(rng, *leading)
    expected = F.scaled_dot_product_attention(*torch_of(Q, K, V), scale=scale)
    output, weights = scaled_attention(Q, K, V, scale)
    np.testing.assert_allclose(output, expected, **EXACT)
    assert weights.shape == (*leading, 4, 5)


def test_scaled_attention_worked_out_by_hand():
    Q, K, V = np.eye(1, 4), np.log(9) * np.eye(2, 4)[::-1], np.array([[8], [4]])
    output, weights = scaled_attention(Q, K, V)
    np.testing.assert_allclose(weights, [[0.25, 0.75]], **EXACT)
    np.testing.assert_allclose(output, [[5]], **EXACT)


@drawn
@given(numbers(2, 3), numbers(4, 3), numbers(4, 2))
def test_a_scale_of_1_is_none_and_one_of_0_is_the_mean(Q, K, V):
    for ours, theirs in zip(scaled_attention(Q, K, V, 1.0), attention(Q, K, V), strict=True):
        np.testing.assert_allclose(ours, theirs, **EXACT)
    np.testing.assert_allclose(scaled_attention(Q, K, V, 0.0)[0][0], V.mean(axis=0), atol=1e-9)


@drawn
@given(numbers(2, 4), numbers(3, 4), numbers(3, 2))
def test_the_scale_is_a_temperature_of_the_root_of_d_k(Q, K, V):
    weights = scaled_attention(Q, K, V)[1]
    np.testing.assert_allclose(weights, softmax(Q @ K.T, temperature=2.0), atol=1e-9)


# ---- softmax_jacobian


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5)])
def test_the_jacobian_is_that_of_torch(rng, shape):
    z = rng.normal(size=shape)
    rows = [
        torch.autograd.functional.jacobian(lambda row: torch.softmax(row, 0), row)
        for row in torch.from_numpy(z).reshape(-1, 5)
    ]
    expected = torch.stack(rows).reshape(*shape, 5)
    np.testing.assert_allclose(softmax_jacobian(softmax(z)), expected, **EXACT)


def test_the_jacobian_is_what_moving_a_score_does(rng):
    z = rng.normal(size=5)
    np.testing.assert_allclose(softmax_jacobian(softmax(z)), slopes(softmax, z), atol=1e-9)


def test_the_jacobian_worked_out_by_hand():
    expected = np.array([[4, -2, -2], [-2, 3, -1], [-2, -1, 3]]) / 16
    np.testing.assert_allclose(softmax_jacobian(np.array([0.5, 0.25, 0.25])), expected, **EXACT)
    np.testing.assert_array_equal(softmax_jacobian(np.array([0, 1, 0])), np.zeros((3, 3)))
    np.testing.assert_array_equal(softmax_jacobian(np.ones((4, 1))), np.zeros((4, 1, 1)))


@drawn
@given(numbers(3, 4, largest=50))
def test_the_jacobian_is_symmetric_sums_to_0_and_has_no_negative_eigenvalue(z):
    J = softmax_jacobian(softmax(z))
    np.testing.assert_allclose(J, np.swapaxes(J, -1, -2), **EXACT)
    np.testing.assert_allclose(J.sum(axis=-1), 0, **EXACT)
    assert (np.linalg.eigvalsh(J) >= -1e-12).all()


# ---- cross_entropy_and_grad


@pytest.mark.parametrize("spread", [1, 30, 1000])
def test_loss_and_gradient_are_those_of_torch(rng, spread):
    logits, y = spread * rng.normal(size=(7, 5)), rng.integers(5, size=7)
    given = torch.from_numpy(logits).requires_grad_()
    expected = F.cross_entropy(given, torch.from_numpy(y))
    expected.backward()
    loss, gradient = cross_entropy_and_grad(logits, y)
    np.testing.assert_allclose(loss, expected.item(), **EXACT)
    np.testing.assert_allclose(gradient, given.grad, **EXACT)


def test_the_gradient_is_what_moving_a_logit_does(rng):
    logits, y = rng.normal(size=(3, 4)), np.array([3, 0, 3])
    expected = slopes(lambda x: np.array(cross_entropy_and_grad(x, y)[0]), logits)
    np.testing.assert_allclose(cross_entropy_and_grad(logits, y)[1], expected, atol=1e-9)


def test_loss_and_gradient_worked_out_by_hand():
    loss, gradient = cross_entropy_and_grad(np.log([[3, 1], [1, 1]]), np.array([1, 0]))
    np.testing.assert_allclose(loss, 1.5 * np.log(2), **EXACT)
    np.testing.assert_allclose(gradient, [[3 / 8, -3 / 8], [-1 / 4, 1 / 4]], **EXACT)


def test_the_gradient_does_not_vanish_when_confidently_wrong():
    loss, gradient = cross_entropy_and_grad(np.array([[1000, 0, 0]]), np.array([2]))
    assert loss == 1000
    np.testing.assert_array_equal(gradient, [[1, 0, -1]])


def test_a_single_class_costs_nothing():
    loss, gradient = cross_entropy_and_grad(np.array([[5.0], [-3.0]]), np.array([0, 0]))
    assert loss == 0
    np.testing.assert_array_equal(gradient, [[0], [0]])


@drawn
@given(numbers(4, 3), arrays(np.int64, 4, elements=st.integers(0, 2)), st.floats(-1e3, 1e3))
def test_a_shift_changes_neither_loss_nor_gradient(logits, y, shift):
    loss, gradient = cross_entropy_and_grad(logits, y)
    assert loss >= 0
    np.testing.assert_allclose(gradient.sum(axis=1), 0, **EXACT)
    shifted_loss, shifted_gradient = cross_entropy_and_grad(logits + shift, y)
    np.testing.assert_allclose(shifted_loss, loss, atol=1e-9)
    np.testing.assert_allclose(shifted_gradient, gradient, atol=1e-9)


# ---- score_variance


@pytest.mark.parametrize("mean", [0.0, 1.0, -0.5])
@pytest.mark.parametrize("rho", [0.0, 0.5, -0.1])
@pytest.mark.parametrize("d", [1, 8])
def test_the_variance_is_what_drawing_shows(rng, d, mean, rho):
    root = np.linalg.cholesky((1 - rho) * np.eye(d) + rho)
    q, k = mean + rng.normal(size=(2, 200_000, d)) @ root.T
    np.testing.assert_allclose(score_variance(d, mean, rho), (q * k).sum(axis=1).var(), rtol=0.05)


def test_variances_worked_out_by_hand():
    assert score_variance(64) == 64
    assert score_variance(1, mean=1) == 3  # E[t²] = 2 · 2, E[t] = 1
    assert score_variance(2, mean=-1) == 6
    assert score_variance(64, rho=0.5) == 64 + 64 * 63 / 4
    assert score_variance(5, rho=1) == 25  # five times the same term
    assert type(score_variance(3)) is float


@drawn
@given(st.integers(1, 50), st.floats(-3, 3), st.floats(0, 1))
def test_the_variance_is_a_sum_over_matrices(d, mean, rho):
    covariance = (1 - rho) * np.eye(d) + rho
    means = np.full(d, mean)
    expected = np.trace(covariance @ covariance) + 2 * means @ covariance @ means
    np.testing.assert_allclose(score_variance(d, mean, rho), expected, rtol=1e-9)
    np.testing.assert_allclose(score_variance(d, -mean, rho), expected, rtol=1e-9)


def test_a_drawn_variance_is_told_to_be_an_estimate():
    def drawing(d, mean=0.0, rho=0.0):
        return 1.01 * score_variance(d, mean, rho)

    verdict = checks.score_variance.verdict(drawing)
    assert verdict.fraction == 0
    assert verdict.hint.startswith("Near, but not exact")


def test_any_epsilon_in_the_logarithm_is_told_to_cap_the_loss():
    for epsilon in (1e-5, 1e-8, 1e-9, 1e-15):

        def capped(logits, y, epsilon=epsilon):
            p = softmax(logits)
            gradient = cross_entropy_and_grad(logits, y)[1]
            return float(-np.log(p[np.arange(len(y)), y] + epsilon).mean()), gradient

        assert "caps your loss" in checks.cross_entropy_and_grad.verdict(capped).text()


# ---- what is refused

a = np.ones


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        (lambda: scaled_attention(a((4, 6)), a((5, 3)), a((5, 7))), 6, 3),
        (lambda: scaled_attention(a((4, 6)), a((5, 6)), a((3, 7))), 5, 3),
        (lambda: cross_entropy_and_grad(a((4, 6)), np.zeros(3, int)), 4, 3),
        (lambda: cross_entropy_and_grad(a((1, 6)), np.array([7])), 7, 6),
        (lambda: cross_entropy_and_grad(a((1, 6)), np.array([-1])), -1, 6),
        (lambda: score_variance(0), 1, 0),
        (lambda: score_variance(5, 0.0, 1.5), 5, 1.5),
        (lambda: score_variance(5, 0.0, -0.3), 5, -0.3),
    ],
)
def test_what_does_not_fit_is_named_with_both_numbers(call, one, other):
    with pytest.raises(ValueError, match=f"{one}.*{other}"):
        call()
