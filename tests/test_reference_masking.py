"""The references of `masking` do what torch does, what is worked out by hand, what always holds."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograde.check import PRACTICE
from autograde.checks import masking as checks
from autograde.plain import probed
from autograde.reference.masking import (
    causal_mask,
    leaks,
    masked_softmax,
    padding_mask,
    shift_right,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}

# The same inputs in every run, and nothing written beside the tests.
drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def real(*shape: int):
    return arrays(np.float64, shape, elements=st.floats(-1e3, 1e3))


def torch_of(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.from_numpy(array) for array in arrays]


# ---- causal_mask


def test_causal_masks_worked_out_by_hand():
    np.testing.assert_array_equal(causal_mask(1), [[True]])
    np.testing.assert_array_equal(causal_mask(2), [[True, False], [True, True]])
    np.testing.assert_array_equal(causal_mask(2, 1), [[True, True, False], [True, True, True]])
    assert causal_mask(0).shape == (0, 0)
    assert causal_mask(3).dtype == bool


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_causal_mask_is_that_of_torch(n):
    additive = torch.nn.Transformer.generate_square_subsequent_mask(n)
    np.testing.assert_array_equal(causal_mask(n), additive == 0)


def test_torch_has_both_conventions(rng):
    """scaled_dot_product_attention: True may look. MultiheadAttention: True may not."""
    X = torch.from_numpy(rng.normal(size=(1, 4, 6)))
    layer = torch.nn.MultiheadAttention(6, 1, bias=False, batch_first=True, dtype=torch.float64)
    mask = torch.from_numpy(causal_mask(4))
    with torch.no_grad():
        Q, K, V = (X @ W.T for W in layer.in_proj_weight.chunk(3))
        expected = F.scaled_dot_product_attention(Q, K, V, mask) @ layer.out_proj.weight.T
        output, weights = layer(X, X, X, attn_mask=~mask)
    np.testing.assert_allclose(output, expected, **EXACT)
    assert (weights.numpy()[:, ~causal_mask(4)] == 0).all()


@drawn
@given(st.integers(0, 9), st.integers(0, 9))
def test_the_mask_of_new_tokens_is_the_end_of_the_mask_of_all(n, past):
    np.testing.assert_array_equal(causal_mask(n, past), causal_mask(past + n)[past:])
    np.testing.assert_array_equal(causal_mask(n, past).sum(axis=1), past + 1 + np.arange(n))


# ---- padding_mask


def test_a_padding_mask_worked_out_by_hand():
    mask = padding_mask(np.array([[5, 7, 0], [7, 7, 7]]), pad=7)
    np.testing.assert_array_equal(mask, [[[[True, False, True]]], [[[False] * 3]]])
    assert mask.dtype == bool


def test_tokens_with_their_padding_hidden_are_tokens_without_it(rng):
    """In a layer of torch's, whose own padding mask is True at the padding."""
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True, dtype=torch.float64)
    ids = np.array([[3, 4, 5, 0, 0]])
    X = torch.from_numpy(rng.normal(size=(1, 5, 8)))
    hidden = torch.from_numpy(~padding_mask(ids, 0)[:, 0, 0])
    alone, padded = layer(X[:, :3]), layer(X, src_key_padding_mask=hidden)
    np.testing.assert_allclose(padded[:, :3].detach(), alone.detach(), **EXACT)


def test_masks_are_combined_as_booleans(rng):
    """Causal and padding together are what torch gives; left padding leaves empty rows."""
    ids = np.array([[0, 0, 3, 4], [3, 4, 5, 0]])
    mask = causal_mask(4) & padding_mask(ids, 0)
    assert mask.shape == (2, 1, 4, 4)
    np.testing.assert_array_equal(mask.any(axis=-1)[0, 0], [False, False, True, True])
    Q, K, V = (rng.normal(size=(2, 3, 4, 6)) for _ in range(3))
    weights = masked_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(6), mask)
    expected = F.scaled_dot_product_attention(*torch_of(Q, K, V, mask))
    np.testing.assert_allclose(weights @ V, expected, **EXACT)


# ---- masked_softmax


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_the_masked_softmax_is_that_of_torch(rng, leading):
    scores = 30 * rng.normal(size=(*leading, 4, 5))
    mask = rng.random((*leading, 4, 5)) < 0.6
    mask[..., 0] = True
    tensor, allowed = torch_of(scores, mask)
    expected = torch.softmax(tensor.masked_fill(~allowed, -torch.inf), dim=-1)
    np.testing.assert_allclose(masked_softmax(scores, mask), expected, **EXACT)


def test_a_masked_softmax_worked_out_by_hand():
    scores = np.log([[1.0, 3.0, 100.0], [1.0, 1.0, 1.0]])
    weights = masked_softmax(scores, np.array([[True, True, False], [False] * 3]))
    np.testing.assert_allclose(weights, [[0.25, 0.75, 0], [0, 0, 0]], **EXACT)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_precision_is_kept(dtype):
    scores = np.array([[0, 0, 60_000], [60_000, 1, -60_000]], dtype)
    weights = masked_softmax(scores, np.array([[True, True, False], [False] * 3]))
    assert weights.dtype == dtype
    np.testing.assert_array_equal(weights, [[0.5, 0.5, 0], [0, 0, 0]])
    assert masked_softmax(np.ones((1, 2), int), np.ones(2, bool)).dtype == np.float64


def test_nan_is_seen_where_it_is_open_and_nowhere_else():
    scores = np.array([[np.nan, 0, 0], [0, np.nan, np.inf], [0, 0, 0]])
    mask = np.array([[True, True, True], [True, False, False], [True, True, False]])
    weights = masked_softmax(scores, mask)
    assert np.isnan(weights[0]).all()
    np.testing.assert_array_equal(weights[1:], [[1, 0, 0], [0.5, 0.5, 0]])


@drawn
@given(real(3, 4), real(3, 4), arrays(bool, (3, 4)), st.floats(-1e3, 1e3))
def test_only_open_scores_and_their_differences_count(scores, others, mask, shift):
    weights = masked_softmax(scores, mask)
    assert (weights[~mask] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), **EXACT)
    changed = np.where(mask, scores, others)
    np.testing.assert_array_equal(masked_softmax(changed, mask), weights)
    np.testing.assert_allclose(masked_softmax(scores + shift, mask), weights, atol=1e-9)


@drawn
@given(real(3, 4), arrays(bool, (3, 4)))
def test_zeroing_and_sharing_out_anew_gives_the_same(scores, mask):
    """The other right reading of a triangle of zeros, if the scores are moderate."""
    after = masked_softmax(scores / 100, np.ones(4, bool)) * mask
    total = after.sum(axis=-1, keepdims=True)
    expected = after / np.where(total == 0, 1, total)
    np.testing.assert_allclose(masked_softmax(scores / 100, mask), expected, atol=1e-12)


# ---- shift_right


def test_a_shift_worked_out_by_hand():
    targets = np.array([[7, 8, 2, 0], [7, 8, 9, 2], [0, 0, 0, 0], [2, 0, 0, 0]])
    inputs = [[1, 7, 8, 0], [1, 7, 8, 9], [0, 0, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_array_equal(shift_right(targets, 1, 0), inputs)
    np.testing.assert_array_equal(shift_right(targets[0], 1, 0), inputs[0])


@drawn
@given(arrays(np.int64, (2, 3, 5), elements=st.integers(3, 9)))
def test_without_padding_the_inputs_are_the_targets_moved(targets):
    inputs = shift_right(targets, sos=1, pad=0)
    assert (inputs[..., 0] == 1).all()
    np.testing.assert_array_equal(inputs[..., 1:], targets[..., :-1])
    assert inputs.dtype == targets.dtype


def test_padding_masks_of_inputs_and_targets_are_the_same():
    for _, arguments in checks.shift_right._drawn("a release"):
        targets, pad = arguments["targets"], arguments["pad"]
        np.testing.assert_array_equal(shift_right(**arguments) == pad, targets == pad)


# ---- leaks


def test_dependence_worked_out_by_hand():
    np.testing.assert_array_equal(leaks(np.cumsum, 4), np.tri(4, dtype=bool))
    np.testing.assert_array_equal(leaks(lambda x: x[::-1], 3), np.eye(3, dtype=bool)[::-1])
    np.testing.assert_array_equal(leaks(lambda x: np.ones((3, 2)), 3), np.zeros((3, 3), bool))


def test_a_layer_of_torch_depends_on_what_its_mask_leaves_open():
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True, dtype=torch.float64)
    layer.requires_grad_(False)
    embedding = torch.randn(8, dtype=torch.float64)

    def dependence(mask: np.ndarray) -> np.ndarray:
        hidden = torch.from_numpy(~mask)

        def rows(x: np.ndarray) -> np.ndarray:
            return layer(torch.from_numpy(x)[None, :, None] * embedding, hidden)[0].numpy()

        return leaks(rows, 4)

    np.testing.assert_array_equal(dependence(causal_mask(4)), causal_mask(4))
    strict = causal_mask(4) & ~np.eye(4, dtype=bool)
    strict[0, 0] = True  # torch gives NaN for an empty row
    np.testing.assert_array_equal(dependence(strict), causal_mask(4))
    assert dependence(np.ones((4, 4), bool)).all()


def test_rounding_is_no_dependence_and_a_small_leak_is():
    def rounded(x):
        return x.sum() - (np.cumsum(x[::-1])[::-1] - x)

    np.testing.assert_array_equal(leaks(rounded, 6), np.tri(6, dtype=bool))
    assert leaks(lambda x: np.cumsum(x) + 1e-7 * x[-1], 6)[:, -1].all()


def test_dependence_that_most_inputs_hide_is_found():
    np.testing.assert_array_equal(leaks(lambda x: np.maximum(x, 0), 4), np.eye(4, dtype=bool))


def test_the_map_may_write_into_its_input():
    def doubled(x):
        x *= 2
        return x

    np.testing.assert_array_equal(leaks(doubled, 3), np.eye(3, dtype=bool))


def test_the_black_boxes_are_made_from_their_source_alone():
    """As behind the wall, where nothing of the module is there."""
    for call, expected in zip(checks.leaks.calls(), checks.leaks._expected(PRACTICE), strict=True):
        test = probed(call.probe, leaks)
        np.testing.assert_array_equal(test(*call.arguments.values()), expected)


# ---- answers of another kind


def causal_by_comparison(n, past=0):
    return np.greater_equal.outer(np.arange(past, past + n), np.arange(past + n))


def causal_by_torch(n, past=0):
    return torch.ones(n, past + n, dtype=torch.bool).tril(past)


def padding_one_by_one(ids, pad):
    return np.array([[[[token != pad for token in row]]] for row in ids.tolist()])


def padding_by_torch(ids, pad):
    return torch.from_numpy(ids).ne(pad).unsqueeze(1).unsqueeze(1)


def masked_softmax_by_torch(scores, mask):
    tensor = torch.from_numpy(scores)
    tensor = tensor if tensor.is_floating_point() else tensor.double()
    allowed = torch.from_numpy(mask)
    weights = torch.softmax(tensor.masked_fill(~allowed, -torch.inf), dim=-1)
    return torch.where(allowed.any(-1, keepdim=True), weights, 0)


def masked_softmax_one_by_one(scores, mask):
    dtype = scores.dtype if scores.dtype.kind == "f" else float
    weights = np.zeros(scores.shape, dtype)
    for place in np.ndindex(scores.shape[:-1]):
        allowed = np.broadcast_to(mask, scores.shape)[place]
        if allowed.any():
            powers = np.exp(scores[place][allowed] - scores[place][allowed].max())
            weights[place][allowed] = powers / powers.sum()
    return weights


def masked_softmax_in_float32(scores, mask):
    dtype = scores.dtype if scores.dtype.kind == "f" else np.float32
    hidden = np.where(mask, scores.astype(np.float32), np.float32(-np.inf))
    powers = np.exp(hidden - np.maximum(hidden.max(-1, keepdims=True), -3e38))
    total = powers.sum(-1, keepdims=True)
    return (powers / np.where(total == 0, 1, total)).astype(min(dtype, np.float32, key=np.dtype))


def shift_by_loop(targets, sos, pad):
    inputs = targets.copy()
    for row, target in zip(
        inputs.reshape(-1, targets.shape[-1]),
        targets.reshape(-1, targets.shape[-1]),
        strict=True,
    ):
        end = np.sum(target != pad)
        row[:end] = [sos, *target[: end - 1]] if end else []
    return inputs


def shift_by_torch(targets, sos, pad):
    targets = torch.from_numpy(targets)
    inputs = F.pad(targets, (1, 0), value=sos)[..., :-1]
    return inputs.masked_fill(targets == pad, pad)


def leaks_all_at_once(f, n):
    rng = np.random.default_rng(7)
    seen = []
    for x in rng.normal(size=(15, n)):
        changed = np.array([f(np.where(np.arange(n) == j, rng.normal(), x)) for j in range(n)])
        seen.append(np.abs(changed - f(x)).max(axis=-1).T > 1e-9)
    return np.any(seen, axis=0)


def leaks_in_float32(f, n):
    rng = np.random.default_rng(8)
    depends = np.zeros((n, n), bool)
    for x in rng.normal(size=(25, n)).astype(np.float32):
        for j in range(n):
            changed = x.copy()
            changed[j] -= 1
            depends[:, j] |= ~np.isclose(f(changed), f(x), rtol=0, atol=1e-8).all(axis=1)
    return depends


RIGHT = {
    "causal_mask": [causal_by_comparison, causal_by_torch],
    "padding_mask": [padding_one_by_one, padding_by_torch],
    "masked_softmax": [
        masked_softmax_by_torch,
        masked_softmax_one_by_one,
        masked_softmax_in_float32,
    ],
    "shift_right": [shift_by_loop, shift_by_torch],
    "leaks": [leaks_all_at_once, leaks_in_float32],
}


@pytest.mark.parametrize("seed", [PRACTICE, "one release", "another release"])
@pytest.mark.parametrize(
    ("name", "function"), [(name, function) for name in RIGHT for function in RIGHT[name]]
)
def test_a_right_answer_of_another_kind_passes(name, function, seed):
    verdict = vars(checks)[name].verdict(function, seed)
    assert verdict.fraction == 1, verdict.text()


def test_float64_weights_of_float16_scores_are_told_what_is_wrong():
    verdict = checks.masked_softmax.verdict(
        lambda scores, mask: masked_softmax(scores.astype(float), mask)
    )
    assert verdict.hint.startswith("The weights keep the precision")
    assert verdict.fraction > 0.8


@pytest.mark.parametrize("seed", [PRACTICE, "one release", "another release"])
@pytest.mark.parametrize(
    "single",
    [
        lambda rng, n: rng.normal(size=(2, n)),
        lambda rng, n: np.array([np.zeros(n), rng.normal(size=n)]),
        lambda rng, n: np.array([np.ones(n), 2 * np.ones(n)]),
        lambda rng, n: np.array([-np.ones(n), -2 * np.ones(n)]),
    ],
)
def test_leaks_that_tries_a_single_input_is_told_to_try_many(single, seed):
    def leaks(f, n):
        x, other = single(np.random.default_rng(5), n)
        changed = [f(np.where(np.arange(n) == j, other, x)) for j in range(n)]
        return np.abs(np.array(changed) - f(x)).max(-1).T > 1e-9

    verdict = checks.leaks.verdict(leaks, seed)
    assert verdict.hint.startswith("Try many inputs")
    assert verdict.fraction <= 0.5


# ---- arguments that cannot be


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: causal_mask(-1), "-1 and 0"),
        (lambda: causal_mask(2, -3), "2 and -3"),
        (lambda: padding_mask(np.zeros(3), 0), "2 axes, not 1"),
        (lambda: masked_softmax(np.zeros((2, 3)), np.ones((2, 3))), "not float64"),
        (lambda: masked_softmax(np.zeros((2, 3)), np.ones((2, 4), bool)), "3.*4|4.*3"),
        (lambda: shift_right(np.array(3), 1, 0), "1 axis, not 0"),
        (lambda: leaks(lambda x: x[:-1], 4), r"4 rows.*\(3,\)"),
        (lambda: leaks(np.sum, 4), r"4 rows.*\(\)"),
    ],
)
def test_arguments_that_cannot_be_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
