"""The references do what torch does, what can be worked out by hand, and what must always hold."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograde.reference.attention import additive_scores, attend_one, attention
from autograde.reference.self_attention import embed, gauge, not_self, one_hot, self_attention
from autograde.reference.vectors import cosine_matrix, softmax, witnesses

EXACT = {"rtol": 1e-12, "atol": 1e-12}
LEADING = [(), (2,), (2, 3)]

# The same inputs in every run, and nothing written beside the tests.
drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def scores(*shape: int):
    """Arrays of numbers of every size that matters, 0 included."""
    return arrays(np.float64, shape, elements=st.floats(-1e3, 1e3))


def torch_of(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.from_numpy(array) for array in arrays]


def sequences(rng: np.random.Generator, *leading: int) -> tuple[np.ndarray, ...]:
    return tuple(rng.normal(size=(*leading, *shape)) for shape in [(4, 6), (5, 6), (5, 7)])


# ---- cosine_matrix


def test_cosines_are_those_of_torch(rng):
    X = rng.normal(size=(5, 3))
    (tensor,) = torch_of(X)
    expected = F.cosine_similarity(tensor[:, None], tensor[None, :], dim=-1)
    np.testing.assert_allclose(cosine_matrix(X), expected, **EXACT)


def test_the_cosine_of_two_vectors_worked_out_by_hand():
    X = np.array([[3, 4], [4, 3], [-3, -4], [0, 0]])  # lengths 5, 5, 5, 0
    expected = [[1, 0.96, -1, 0], [0.96, 1, -0.96, 0], [-1, -0.96, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(cosine_matrix(X), expected, **EXACT)


def test_cosines_keep_float32_and_make_float64_of_everything_else():
    assert cosine_matrix(np.ones((2, 3), np.float32)).dtype == np.float32
    assert cosine_matrix(np.ones((2, 3), np.int64)).dtype == np.float64


def test_the_cosine_of_centred_vectors_is_their_correlation(rng):
    X = rng.normal(size=(4, 9))
    centred = X - X.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(cosine_matrix(centred), np.corrcoef(X), **EXACT)


@drawn
@given(scores(4, 3), arrays(np.float64, (4, 1), elements=st.floats(1e-2, 1e2)))
def test_cosines_are_symmetric_bounded_and_free_of_length(X, factors):
    C = cosine_matrix(X)
    np.testing.assert_allclose(C, C.T, **EXACT)
    assert (np.abs(C) <= 1 + 1e-12).all()
    np.testing.assert_allclose(cosine_matrix(X * factors), C, atol=1e-9)


# ---- softmax


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("temperature", [0.01, 1.0, 8.0])
def test_softmax_is_that_of_torch(rng, axis, temperature):
    z = 30 * rng.normal(size=(2, 3, 5))
    (tensor,) = torch_of(z)
    expected = F.softmax(tensor / temperature, dim=axis)
    np.testing.assert_allclose(softmax(z, axis, temperature), expected, **EXACT)


def test_softmax_worked_out_by_hand():
    np.testing.assert_allclose(softmax(np.log([1, 3, 4])), [1 / 8, 3 / 8, 4 / 8], **EXACT)
    np.testing.assert_array_equal(softmax(np.array([1000, 0])), [1, 0])
    np.testing.assert_array_equal(softmax(np.array([0, -np.inf, 0])), [0.5, 0, 0.5])


@drawn
@given(scores(3, 4), st.floats(-1e3, 1e3), st.floats(0.1, 10))
def test_softmax_sums_to_1_and_does_not_see_a_shift(z, shift, temperature):
    weights = softmax(z, -1, temperature)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, **EXACT)
    np.testing.assert_allclose(softmax(z + shift, -1, temperature), weights, atol=1e-9)


@drawn
@given(scores(6))
def test_softmax_keeps_the_order_and_flattens_as_it_gets_warmer(z):
    cold, warm = softmax(z, temperature=1.0), softmax(z, temperature=10.0)
    assert (np.diff(cold[np.argsort(z)]) >= 0).all()
    assert warm.max() <= cold.max() + 1e-12


def test_a_temperature_of_0_or_less_is_refused():
    for temperature in (0, -1):
        with pytest.raises(ValueError, match=str(temperature)):
            softmax(np.zeros(3), temperature=temperature)


# ---- witnesses


def test_each_witness_testifies():
    pairs = witnesses()
    dots = {key: u @ v for key, (u, v) in pairs.items()}
    assert np.linalg.matrix_rank(pairs["independent_not_orthogonal"]) == 2
    assert dots["independent_not_orthogonal"] != 0
    assert np.linalg.matrix_rank(pairs["orthogonal_dependent"]) == 1
    assert dots["orthogonal_dependent"] == 0
    assert dots["orthogonal_but_correlated"] == 0
    np.testing.assert_allclose(np.corrcoef(pairs["orthogonal_but_correlated"])[0, 1], -1, **EXACT)
    u, v = pairs["uncorrelated_but_dependent"]
    np.testing.assert_allclose(np.corrcoef(u, v)[0, 1], 0, **EXACT)
    np.testing.assert_array_equal(v, u**2)


# ---- attend_one and attention


def test_a_look_up_worked_out_by_hand():
    K, V = np.array([[0, 0], [np.log(3), 5]]), np.array([[8], [4]])
    output, weights = attend_one(np.array([1, 0]), K, V)
    np.testing.assert_allclose(weights, [0.25, 0.75], **EXACT)
    np.testing.assert_allclose(output, [5], **EXACT)


def test_beta_goes_from_the_mean_to_the_best_key(rng):
    q, K, V = rng.normal(size=6), rng.normal(size=(5, 6)), rng.normal(size=(5, 7))
    np.testing.assert_allclose(attend_one(q, K, V, beta=0)[0], V.mean(axis=0), **EXACT)
    np.testing.assert_allclose(attend_one(q, K, V, beta=1e6)[0], V[np.argmax(K @ q)], **EXACT)


@pytest.mark.parametrize("leading", LEADING)
def test_attention_is_that_of_torch(rng, leading):
    Q, K, V = sequences(rng, *leading)
    expected = F.scaled_dot_product_attention(*torch_of(Q, K, V), scale=1.0)
    output, weights = attention(Q, K, V)
    np.testing.assert_allclose(output, expected, **EXACT)
    assert weights.shape == (*leading, 4, 5)


def test_each_row_of_attention_is_one_look_up(rng):
    Q, K, V = sequences(rng)
    for q, *row in zip(Q, *attention(Q, K, V), strict=True):
        for alone, together in zip(attend_one(q, K, V), row, strict=True):
            np.testing.assert_allclose(alone, together, **EXACT)


@drawn
@given(scores(2, 3), scores(4, 3), scores(4, 2), st.permutations(range(4)))
def test_attention_averages_and_does_not_see_the_order_of_pairs(Q, K, V, order):
    output, weights = attention(Q, K, V)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, **EXACT)
    assert (output >= V.min(axis=0) - 1e-9).all()
    assert (output <= V.max(axis=0) + 1e-9).all()
    np.testing.assert_allclose(attention(Q, K[order], V[order])[0], output, atol=1e-9)


# ---- additive_scores


@pytest.mark.parametrize("leading", LEADING)
def test_additive_scores_are_those_of_torch(rng, leading):
    Q, K = rng.normal(size=(*leading, 4, 6)), rng.normal(size=(*leading, 5, 7))
    Wq, Wk, v = rng.normal(size=(8, 6)), rng.normal(size=(8, 7)), rng.normal(size=8)
    tq, tk, twq, twk, tv = torch_of(Q, K, Wq, Wk, v)
    hidden = F.linear(tq, twq).unsqueeze(-2) + F.linear(tk, twk).unsqueeze(-3)
    expected = F.linear(torch.tanh(hidden), tv[None, :]).squeeze(-1)
    np.testing.assert_allclose(additive_scores(Q, K, Wq, Wk, v), expected, **EXACT)


def test_additive_scores_are_a_double_loop(rng):
    Q, K = rng.normal(size=(4, 6)), rng.normal(size=(5, 7))
    Wq, Wk, v = rng.normal(size=(8, 6)), rng.normal(size=(8, 7)), rng.normal(size=8)
    expected = [[v @ np.tanh(Wq @ q + Wk @ k) for k in K] for q in Q]
    np.testing.assert_allclose(additive_scores(Q, K, Wq, Wk, v), expected, **EXACT)


@drawn
@given(scores(2, 3), scores(4, 5), scores(6, 3), scores(6, 5), scores(6))
def test_additive_scores_are_bounded(Q, K, Wq, Wk, v):
    bound = np.abs(v).sum() * (1 + 1e-12)
    assert (np.abs(additive_scores(Q, K, Wq, Wk, v)) <= bound).all()


# ---- one_hot and embed


@pytest.mark.parametrize("shape", [(1,), (4,), (2, 4), (2, 3, 4)])
def test_words_as_vectors_are_those_of_torch(rng, shape):
    ids, E = rng.integers(0, 6, size=shape), rng.normal(size=(6, 8))
    np.testing.assert_array_equal(one_hot(ids, 6), F.one_hot(torch.from_numpy(ids), 6))
    np.testing.assert_array_equal(embed(ids, E), F.embedding(*torch_of(ids, E)))
    np.testing.assert_allclose(one_hot(ids, 6) @ E, embed(ids, E), **EXACT)


def test_words_as_vectors_worked_out_by_hand():
    np.testing.assert_array_equal(one_hot(np.array([2, 0]), 3), [[0, 0, 1], [1, 0, 0]])
    np.testing.assert_array_equal(embed(np.array([1, 1]), np.array([[5], [7]])), [[7], [7]])


# ---- self_attention


@pytest.mark.parametrize("leading", LEADING)
def test_self_attention_is_that_of_torch(rng, leading):
    X = rng.normal(size=(*leading, 5, 8))
    Ws = [rng.normal(size=(8, size)) for size in (6, 6, 7)]
    tensor, *projections = torch_of(X, *Ws)
    expected = F.scaled_dot_product_attention(*(tensor @ W for W in projections))
    np.testing.assert_allclose(self_attention(X, *Ws)[0], expected, **EXACT)


def test_different_one_hot_words_attend_alike_to_all_others():
    X = np.eye(4)
    weights = self_attention(X, np.eye(4), np.eye(4), np.eye(4))[1]
    own = np.exp(0.5) / (np.exp(0.5) + 3)  # the score is 1 / √4 with itself, 0 with the others
    np.testing.assert_allclose(weights.diagonal(), own, **EXACT)
    np.testing.assert_allclose(weights[0, 1:], (1 - own) / 3, **EXACT)


@drawn
@given(st.permutations(range(5)), st.integers(0, 99))
def test_self_attention_moves_along_when_words_are_moved(order, seed):
    rng = np.random.default_rng(seed)
    X, Ws = rng.normal(size=(5, 8)), [rng.normal(size=(8, size)) for size in (6, 6, 7)]
    output, weights = self_attention(X, *Ws)
    moved, moved_weights = self_attention(X[order], *Ws)
    np.testing.assert_allclose(moved, output[order], **EXACT)
    np.testing.assert_allclose(moved_weights, weights[order][:, order], **EXACT)


# ---- not_self and gauge


@pytest.mark.parametrize(("n", "d"), [(2, 2), (4, 6), (8, 3)])
def test_all_words_but_the_longest_prefer_another(n, d):
    X = not_self(n, d)
    assert X.shape == (n, d)
    products = X @ X.T
    prefers_another = (products > products.diagonal()[:, None]).any(axis=1)
    assert prefers_another.sum() == n - 1


@drawn
@given(scores(5, 3))
def test_no_words_at_all_do_better(X):
    products = X @ X.T
    strictly = products > products.diagonal()[:, None] * (1 + 1e-9)
    assert strictly.any(axis=1).sum() <= len(X) - 1


def test_the_scores_stay_whatever_the_words(rng):
    Wq, Wk, X = rng.normal(size=(8, 6)), rng.normal(size=(8, 6)), rng.normal(size=(5, 8))
    R = rng.normal(size=(6, 6))
    new_Wq, new_Wk = gauge(Wq, Wk, R)
    np.testing.assert_allclose(X @ new_Wq @ new_Wk.T @ X.T, X @ Wq @ Wk.T @ X.T, rtol=1e-9)
    assert not np.allclose(new_Wq, Wq)
    assert not np.allclose(new_Wk, Wk)


# ---- shapes that disagree

a = np.ones


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        (lambda: attend_one(a(6), a((5, 4)), a((5, 7))), 6, 4),
        (lambda: attend_one(a(6), a((5, 6)), a((3, 7))), 5, 3),
        (lambda: attention(a((4, 6)), a((5, 3)), a((5, 7))), 6, 3),
        (lambda: attention(a((4, 6)), a((5, 6)), a((3, 7))), 5, 3),
        (lambda: additive_scores(a((4, 6)), a((5, 7)), a((8, 3)), a((8, 7)), a(8)), 6, 3),
        (lambda: additive_scores(a((4, 6)), a((5, 7)), a((8, 6)), a((8, 3)), a(8)), 7, 3),
        (lambda: additive_scores(a((4, 6)), a((5, 7)), a((8, 6)), a((9, 7)), a(8)), 8, 9),
        (lambda: additive_scores(a((4, 6)), a((5, 7)), a((8, 6)), a((8, 7)), a(9)), 8, 9),
        (lambda: one_hot(np.array([0, 7]), 5), 7, 5),
        (lambda: one_hot(np.array([0, -1]), 5), -1, 5),
        (lambda: embed(np.array([[7]]), a((5, 2))), 7, 5),
        (lambda: self_attention(a((5, 8)), a((9, 6)), a((8, 6)), a((8, 7))), 8, 9),
        (lambda: self_attention(a((5, 8)), a((8, 6)), a((9, 6)), a((8, 7))), 8, 9),
        (lambda: self_attention(a((5, 8)), a((8, 6)), a((8, 6)), a((9, 7))), 8, 9),
        (lambda: self_attention(a((5, 8)), a((8, 6)), a((8, 4)), a((8, 7))), 6, 4),
        (lambda: gauge(a((8, 6)), a((8, 4)), np.eye(6)), 6, 4),
        (lambda: gauge(a((8, 6)), a((8, 6)), np.eye(4)), 4, 6),
    ],
)
def test_shapes_that_disagree_are_named_with_both_numbers(call, one, other):
    with pytest.raises(ValueError, match=f"{one}.*{other}"):
        call()


def test_an_R_without_an_inverse_is_refused():
    with pytest.raises(ValueError, match="Singular"):
        gauge(np.ones((3, 2)), np.ones((3, 2)), np.ones((2, 2)))
