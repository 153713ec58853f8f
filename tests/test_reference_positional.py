"""Chapter `positional`: other ways to the same numbers, what hands can work out, what must hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import nn

from autograde.checks import positional as checks
from autograde.reference.positional import is_equivariant, rope, shift_matrix, sinusoidal

EXACT = {"rtol": 1e-12, "atol": 1e-12}
CLOSE = {"rtol": 0, "atol": 1e-9}

drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)
even = st.integers(1, 8).map(lambda pairs: 2 * pairs)
places = st.integers(-500, 500)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def turned_by_torch(x: np.ndarray, pos: np.ndarray, base: float = 1e4) -> torch.Tensor:
    """Pairs as complex numbers, each multiplied by one of length 1."""
    pairs = torch.view_as_complex(torch.from_numpy(x).unflatten(-1, (-1, 2)).contiguous())
    speeds = base ** (-torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1])
    angles = torch.outer(torch.from_numpy(pos).double(), speeds)
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2)


# ---- sinusoidal


@pytest.mark.parametrize("d", [1, 2, 5, 8, 64])
@pytest.mark.parametrize("base", [10000, 50.0])
def test_the_table_is_that_of_torch(d, base):
    t = torch.arange(30, dtype=torch.float64)[:, None]
    expected = torch.empty(30, d, dtype=torch.float64)
    exponents = torch.arange(0, d, 2, dtype=torch.float64) / d
    expected[:, 0::2] = torch.sin(t / base**exponents)
    expected[:, 1::2] = torch.cos(t / base ** exponents[: d // 2])
    np.testing.assert_allclose(sinusoidal(30, d, base), expected, **EXACT)


def test_a_table_worked_out_by_hand():
    table = sinusoidal(3, 4)  # the second pair is 10000 ** (2 / 4) = 100 times slower
    expected = [[0, 1, 0, 1]] + [
        [np.sin(t), np.cos(t), np.sin(t / 100), np.cos(t / 100)] for t in (1, 2)
    ]
    np.testing.assert_allclose(table, expected, **EXACT)
    np.testing.assert_allclose(sinusoidal(3, 1)[:, 0], np.sin([0, 1, 2]), **EXACT)
    assert sinusoidal(0, 6).shape == (0, 6)


def test_an_odd_table_is_cut_from_no_even_one():
    assert sinusoidal(4, 5).shape == (4, 5)
    assert not np.allclose(sinusoidal(4, 5), sinusoidal(4, 6)[:, :5])


@drawn
@given(st.integers(2, 40), even)
def test_the_dot_product_of_two_positions_is_a_sum_of_cosines_of_their_offset(n, d):
    table = sinusoidal(n, d)
    offsets = np.arange(n)[:, None] - np.arange(n)
    speeds = 1e4 ** (-np.arange(0, d, 2) / d)
    np.testing.assert_allclose(
        table @ table.T, np.cos(offsets[..., None] * speeds).sum(-1), **CLOSE
    )


def test_no_two_of_512_positions_are_near_each_other():
    table = sinusoidal(512, 64)
    squared = 64 - 2 * table @ table.T + 99 * np.eye(512)
    assert squared.min() > 1.4**2


# ---- shift_matrix


@drawn
@given(places, st.integers(0, 30), even)
def test_it_carries_every_row(k, t, d):
    table = sinusoidal(1100, d)
    np.testing.assert_allclose(shift_matrix(k, d) @ table[500 + t], table[500 + t + k], **CLOSE)


@drawn
@given(places, places, even)
def test_shifts_are_rotations_that_add_up(j, k, d):
    R = shift_matrix(k, d)
    np.testing.assert_allclose(R @ R.T, np.eye(d), **CLOSE)
    np.testing.assert_allclose(np.linalg.det(R), 1, **CLOSE)
    np.testing.assert_allclose(shift_matrix(j, d) @ R, shift_matrix(j + k, d), **CLOSE)
    np.testing.assert_allclose(shift_matrix(-k, d), R.T, **EXACT)


def test_shifts_worked_out_by_hand():
    np.testing.assert_array_equal(shift_matrix(0, 6), np.eye(6))
    expected = [[np.cos(3), np.sin(3)], [-np.sin(3), np.cos(3)]]
    np.testing.assert_allclose(shift_matrix(3, 2), expected, **EXACT)
    slow = [[np.cos(0.03), np.sin(0.03)], [-np.sin(0.03), np.cos(0.03)]]
    np.testing.assert_allclose(shift_matrix(3, 4)[2:, 2:], slow, **EXACT)
    np.testing.assert_array_equal(shift_matrix(3, 4)[:2, 2:], np.zeros((2, 2)))


def test_a_matrix_of_the_half_layout_is_told_where_its_blocks_belong():
    verdict = checks.shift_matrix.verdict(checks._in_halves)
    assert verdict.hint.startswith("Sine and cosine are neighbours")


# ---- rope


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize("base", [1e4, 50.0])
def test_turning_is_multiplying_complex_numbers(rng, leading, base):
    x, pos = rng.normal(size=(*leading, 5, 8)), rng.integers(-50, 50, size=5)
    np.testing.assert_allclose(rope(x, pos, base), turned_by_torch(x, pos, base), **EXACT)


def test_a_row_turned_by_hand():
    right_angle = np.array([np.pi / 2])
    turned = rope(np.array([[3.0, 4.0, 1.0, 0.0]]), right_angle)
    slow = np.pi / 200  # the second pair is 100 times slower
    np.testing.assert_allclose(turned, [[-4, 3, np.cos(slow), np.sin(slow)]], **EXACT)


@drawn
@given(
    arrays(np.float64, (2, 4, 6), elements=st.floats(-10, 10)),
    arrays(np.int64, 4, elements=places),
    places,
)
def test_scores_depend_on_offsets_only_and_norms_are_kept(qk, pos, moved):
    q, k = qk
    scores = rope(q, pos) @ rope(k, pos).T
    np.testing.assert_allclose(rope(q, pos + moved) @ rope(k, pos + moved).T, scores, **CLOSE)
    lengths = np.linalg.norm(q, axis=-1)
    np.testing.assert_allclose(np.linalg.norm(rope(q, pos), axis=-1), lengths, **CLOSE)
    np.testing.assert_array_equal(rope(q, np.zeros(4)), q)
    np.testing.assert_allclose(rope(rope(q, pos), -pos), q, **CLOSE)


def test_turning_back_row_0_of_the_sinusoids_gives_their_rows():
    x = np.tile([0.0, 1.0], (9, 3))
    np.testing.assert_allclose(rope(x, -np.arange(9)), sinusoidal(9, 6), **EXACT)


@drawn
@given(places, even)
def test_a_turn_by_k_is_the_shift_matrix_of_minus_k(k, d):
    x = np.random.default_rng(d).normal(size=(1, d))
    np.testing.assert_allclose(rope(x, np.array([k])), x @ shift_matrix(-k, d).T, **CLOSE)


# ---- is_equivariant


def encoder(d: int) -> nn.Module:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(d, 2, 16, 0.0, batch_first=True, dtype=torch.float64)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()


def run(layer: nn.Module, mask: torch.Tensor | None = None):
    def f(X):
        with torch.no_grad():
            return layer(torch.from_numpy(X)[None], mask=mask)[0].numpy()

    return f


def test_an_encoder_of_torch_is_equivariant_until_it_gets_positions_or_a_mask():
    layer, ahead = encoder(6), nn.Transformer.generate_square_subsequent_mask(7).double()
    assert is_equivariant(run(layer), 7, 6)
    assert not is_equivariant(run(layer, ahead), 7, 6)
    assert not is_equivariant(lambda X: run(layer)(X + sinusoidal(7, 6)), 7, 6)


def test_maps_that_need_no_learning():
    assert is_equivariant(lambda X: X**2, 5, 3)
    assert is_equivariant(lambda X: X @ X.T @ X, 5, 3)
    assert not is_equivariant(lambda X: X @ X.T, 5, 3)  # its columns move, too
    assert not is_equivariant(lambda X: np.cumsum(X, axis=0), 5, 3)
    assert not is_equivariant(lambda X: X[::-1], 5, 3)
    assert is_equivariant(np.cumsum, 1, 1) is True


@drawn
@given(arrays(np.float64, (3, 3), elements=st.floats(-2, 2)), st.integers(2, 6))
def test_what_a_network_does_to_each_row_is_equivariant(W, n):
    assert is_equivariant(lambda X: np.tanh(X @ W), n, 3)


@pytest.mark.parametrize("seed", range(20))
def test_a_right_test_with_draws_of_its_own_passes(seed):
    def by_matrix(f, n, d, trials=5):
        rng = np.random.default_rng(seed)
        for _ in range(trials):
            P, X = np.eye(n)[rng.permutation(n)], rng.normal(size=(n, d))
            if not np.allclose(f(P @ X), P @ f(X)):
                return False
        return True

    verdict = checks.is_equivariant.verdict(by_matrix, str(seed))
    assert verdict.fraction == 1, verdict.text()


def float32(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, np.float32)


@pytest.mark.parametrize("seed", range(10))
def test_answers_in_float32_pass(seed):
    def table(n, d, base=1e4):
        powers = np.float32(base) ** float32(2 * (np.arange(d) // 2) / d)
        angles = float32(np.arange(n))[:, None] / powers
        return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    def turned(x, pos, base=1e4):
        d = x.shape[-1]
        angles = float32(pos)[:, None] * np.float32(base) ** float32(-np.arange(0, d, 2) / d)
        x, cos, sin = float32(x), np.cos(angles), np.sin(angles)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
        out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
        return out

    def shifted(k, d):
        return float32(shift_matrix(k, d))

    for check, answer in [
        (checks.sinusoidal, table),
        (checks.shift_matrix, shifted),
        (checks.rope, turned),
    ]:
        verdict = check.verdict(answer, str(seed))
        assert verdict.fraction == 1, verdict.text()


# ---- what is refused

a = np.ones


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        (lambda: sinusoidal(3, 0), 1, 0),
        (lambda: shift_matrix(2, 5), 5, "even"),
        (lambda: rope(a((4, 5)), np.arange(4)), 5, "even"),
        (lambda: rope(a((4, 6)), np.arange(3)), 4, 3),
        (lambda: is_equivariant(lambda X: X[1:], 5, 2), 5, 4),
        (lambda: is_equivariant(np.sum, 5, 2), 5, "()"),
    ],
)
def test_what_does_not_fit_is_named_with_both_numbers(call, one, other):
    with pytest.raises(ValueError, match=f"{one}.*{other}".replace("()", r"\(\)")):
        call()
