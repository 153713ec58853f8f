"""Several heads: the reference against torch and by hand; the check against layers in torch."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from autograde.checks import multi_head as checks
from autograde.reference.multi_head import (
    MultiHeadAttention,
    head_params,
    merge_heads,
    multi_head,
    score_rank,
    split_heads,
    symmetric_init,
)
from autograde.sandbox import NoWall, Wall
from autograde.submission import Cell, run

EXACT = {"rtol": 1e-12, "atol": 1e-12}
LEADING = [(), (2,), (6, 2)]
D, H = 12, 3

drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def parameters(rng, d=D):
    shapes = {"W": (3 * d, d), "b": 3 * d, "Wo": (d, d), "bo": d}
    return {name: rng.normal(size=shape) / 2 for name, shape in shapes.items()}


def torch_layer(P, h):
    """torch's own layer with these parameters."""
    layer = nn.MultiheadAttention(len(P["bo"]), h, batch_first=True, dtype=torch.float64)
    arrays = (torch.from_numpy(P[name]) for name in ("W", "b", "Wo", "bo"))
    state = dict(zip(layer.state_dict(), arrays, strict=True))
    layer.load_state_dict(state)
    return layer.eval()


def by_torch(x, y, P, h, mask=None):
    """Torch's mask is True where a query may not look."""
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    blocked = None
    if mask is not None:
        shape = (len(x), h, x.shape[1], y.shape[1])
        blocked = torch.from_numpy(np.broadcast_to(~mask, shape).reshape(-1, *shape[2:]).copy())
    with torch.no_grad():
        return torch_layer(P, h)(x, y, y, attn_mask=blocked, average_attn_weights=False)


# ---- split_heads and merge_heads


@pytest.mark.parametrize("leading", LEADING)
def test_heads_are_split_and_merged_as_by_torch(rng, leading):
    x = rng.normal(size=(*leading, 5, D))
    heads = torch.from_numpy(x).unflatten(-1, (H, -1)).transpose(-3, -2)
    np.testing.assert_array_equal(split_heads(x, H), heads)
    np.testing.assert_array_equal(merge_heads(heads.numpy()), x)


def test_heads_worked_out_by_hand():
    x = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    np.testing.assert_array_equal(split_heads(x, 2), [[[1, 2], [5, 6]], [[3, 4], [7, 8]]])
    np.testing.assert_array_equal(split_heads(x, 4)[:, :, 0], x.T)
    np.testing.assert_array_equal(merge_heads(np.array([[[1], [2]], [[3], [4]]])), [[1, 3], [2, 4]])


@drawn
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 6))
def test_what_was_split_is_merged_again(h, n, d_head):
    x = np.arange(2.0 * n * h * d_head).reshape(2, n, h * d_head)
    heads = split_heads(x, h)
    assert heads.shape == (2, h, n, d_head)
    np.testing.assert_array_equal(merge_heads(heads), x)
    for i in range(h):
        np.testing.assert_array_equal(heads[:, i], x[..., i * d_head : (i + 1) * d_head])


# ---- multi_head


@pytest.mark.parametrize("h", [1, 3, 12])
@pytest.mark.parametrize("m", [1, 5, 7])
def test_it_does_what_torchs_own_layer_does(rng, h, m):
    x, P = rng.normal(size=(2, 5, D)), parameters(rng)
    y = x if m == 5 else rng.normal(size=(2, m, D))
    for ours, theirs in zip(multi_head(x, y, P, h), by_torch(x, y, P, h), strict=True):
        np.testing.assert_allclose(ours, theirs, **EXACT)


@pytest.mark.parametrize("shape", [(5, 7), (2, 1, 1, 7), (2, 1, 5, 7), (2, 3, 5, 7)])
def test_masks_do_what_torchs_do(rng, shape):
    x, y, P = rng.normal(size=(2, 5, D)), rng.normal(size=(2, 7, D)), parameters(rng)
    mask = rng.random(shape) < 0.5
    mask[..., 3] = True
    ours, theirs = multi_head(x, y, P, H, mask), by_torch(x, y, P, H, mask)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, **EXACT)


def test_a_query_that_may_look_nowhere_gets_the_bias_of_the_output(rng):
    x, P = rng.normal(size=(2, 5, D)), parameters(rng)
    mask = np.ones((5, 5), bool)
    mask[2] = False
    output, weights = multi_head(x, x, P, H, mask)
    assert not weights[:, :, 2].any()
    np.testing.assert_allclose(output[:, 2], np.broadcast_to(P["bo"], (2, D)), **EXACT)
    everywhere = multi_head(x, x, P, H)[0]
    np.testing.assert_allclose(np.delete(output, 2, 1), np.delete(everywhere, 2, 1), **EXACT)


@pytest.mark.parametrize("leading", LEADING)
def test_merging_and_mixing_is_a_sum_over_heads(rng, leading):
    x, y = rng.normal(size=(*leading, 5, D)), rng.normal(size=(*leading, 7, D))
    P = parameters(rng)
    output, weights = multi_head(x, y, P, H)
    expected = np.broadcast_to(P["bo"], output.shape).copy()
    for i in range(H):
        own = slice(4 * i, 4 * i + 4)
        inner = zip((x, y, y), np.split(P["W"], 3), np.split(P["b"], 3), strict=True)
        Q, K, V = (source @ W[own].T + b[own] for source, W, b in inner)
        head = F.scaled_dot_product_attention(*map(torch.from_numpy, (Q, K, V))).numpy()
        np.testing.assert_allclose(weights[..., i, :, :] @ V, head, **EXACT)
        expected += head @ P["Wo"][:, own].T
    np.testing.assert_allclose(output, expected, **EXACT)


def test_two_heads_worked_out_by_hand():
    # Head 0 sees feature 0 and scores 0 and ln 3; head 1 is blind: it takes the mean.
    x, y = np.array([[1.0, 0.0]]), np.array([[0.0, 8.0], [np.log(3), 2.0]])
    Q = K = np.array([[1.0, 0.0], [0.0, 0.0]])
    P = {
        "W": np.concatenate([Q, K, np.array([[0.0, 1.0], [0.0, 1.0]])]),
        "b": np.zeros(6),
        "Wo": np.array([[1.0, 10.0], [0.0, 1.0]]),
        "bo": np.array([0.0, 100.0]),
    }
    output, weights = multi_head(x, y, P, 2)
    np.testing.assert_allclose(weights, [[[1 / 4, 3 / 4]], [[1 / 2, 1 / 2]]], **EXACT)
    # The values are 8 and 2 in both heads: 3.5 and 5.
    np.testing.assert_allclose(output, [[53.5, 105]], **EXACT)


def test_large_scores_and_rows_far_apart_stay_finite(rng):
    x, P = 100 * rng.normal(size=(2, 5, D)), parameters(rng)
    output, weights = multi_head(x, x, P, H)
    assert np.isfinite(output).all()
    np.testing.assert_allclose(weights.sum(-1), 1, **EXACT)


@drawn
@given(st.permutations(range(H)), st.permutations(range(7)), st.integers(0, 99))
def test_neither_the_order_of_heads_nor_that_of_keys_counts(heads, keys, seed):
    rng = np.random.default_rng(seed)
    x, y, P = rng.normal(size=(2, 5, D)), rng.normal(size=(2, 7, D)), parameters(rng)
    rows = np.arange(D).reshape(H, -1)[list(heads)].ravel()
    thirds = np.concatenate([rows, rows + D, rows + 2 * D])
    moved = {"W": P["W"][thirds], "b": P["b"][thirds], "Wo": P["Wo"][:, rows], "bo": P["bo"]}
    output, weights = multi_head(x, y, P, H)
    other, other_weights = multi_head(x, y[:, keys], moved, H)
    np.testing.assert_allclose(other, output, **EXACT)
    np.testing.assert_allclose(other_weights, weights[:, heads][..., keys], **EXACT)


@drawn
@given(st.integers(0, 99), st.sampled_from([1, 2, 3, 4, 6, 12]))
def test_every_head_averages(seed, h):
    rng = np.random.default_rng(seed)
    x, P = rng.normal(size=(2, 5, D)), parameters(rng)
    weights = multi_head(x, x, P, h, rng.random((5, 5)) < 0.5)[1]
    assert (weights >= 0).all()
    sums = weights.sum(-1)
    assert (np.isclose(sums, 1, **EXACT) | (sums == 0)).all()


# ---- the layer


class InTorch(nn.Module):
    """A right layer, with hooks for mistakes."""

    def __init__(self, d_model, n_heads, bias=False):
        super().__init__()
        self.n_heads, self.d_head = n_heads, d_model // n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (
            nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        )

    def split(self, words):
        batch, n, _ = words.shape
        return words.view(batch, n, self.n_heads, self.d_head).transpose(1, 2)

    def scale(self):
        return self.d_head**-0.5

    def merge(self, heads):
        return heads.transpose(1, 2).reshape(heads.shape[0], heads.shape[2], -1)

    def forward(self, x, y):
        q, k, v = self.split(self.W_q(x)), self.split(self.W_k(y)), self.split(self.W_v(y))
        weights = torch.softmax(q @ k.transpose(-2, -1) * self.scale(), -1)
        return self.W_o(self.merge(weights @ v)), weights


class HeadByHead(InTorch):
    def forward(self, x, y):
        outputs, all_weights = [], []
        parts = [
            layer(z).chunk(self.n_heads, -1)
            for layer, z in ((self.W_q, x), (self.W_k, y), (self.W_v, y))
        ]
        for q, k, v in zip(*parts, strict=True):
            weights = torch.einsum("bnd,bmd->bnm", q, k).mul(self.d_head**-0.5).softmax(-1)
            outputs.append(torch.einsum("bnm,bmd->bnd", weights, v))
            all_weights.append(weights)
        return self.W_o(torch.cat(outputs, -1)), torch.stack(all_weights, 1)


class WithDropout(InTorch):
    """Which must do nothing in eval mode; and a buffer, which is no parameter."""

    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.dropout = nn.Dropout(0.5)
        self.register_buffer("root", torch.tensor(float(self.d_head)).sqrt())

    def scale(self):
        return 1 / self.root

    def merge(self, heads):
        return self.dropout(super().merge(heads))


class Biased(InTorch):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads, bias=True)


class ScaledByTheModel(InTorch):
    def scale(self):
        return (self.n_heads * self.d_head) ** -0.5


class Viewed(InTorch):
    def split(self, words):
        return words.reshape(words.shape[0], self.n_heads, -1, self.d_head)


class NotTransposedBack(InTorch):
    def merge(self, heads):
        return heads.reshape(heads.shape[0], heads.shape[2], -1)


class Averaged(InTorch):
    def forward(self, x, y):
        output, weights = super().forward(x, y)
        return output, weights.mean(1)


class WithoutTheLast(InTorch):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.W_o = nn.Identity()


class CutOff(InTorch):
    def forward(self, x, y):
        with torch.no_grad():
            return super().forward(x, y)


class NumPy(InTorch):
    def forward(self, x, y):
        output, weights = super().forward(x, y)
        return output.detach().numpy(), weights


class OtherNames(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.layer = InTorch(d_model, n_heads)

    def forward(self, x, y):
        return self.layer(x, y)


@pytest.mark.parametrize("layer", [InTorch, HeadByHead, WithDropout])
@pytest.mark.parametrize("seed", ["practice", "one release", "another release"])
def test_a_right_layer_in_torch_passes(layer, seed):
    verdict = checks.MultiHeadAttention.verdict(layer, seed)
    assert verdict.fraction == 1, verdict.text()


@pytest.mark.parametrize(
    ("layer", "hint"),
    [
        (Biased, "have no biases"),
        (ScaledByTheModel, "square root of d_head, not of d"),
        (Viewed, "Splitting by a new shape alone"),
        (NotTransposedBack, "Before you merge"),
        (Averaged, "you averaged them"),
        (WithoutTheLast, "W_O"),
        (CutOff, "cut off from the weights"),
        (NumPy, "requires_grad"),
        (OtherNames, "Name the layers W_q, W_k, W_v and W_o"),
    ],
)
def test_a_wrong_layer_in_torch_is_told_why(layer, hint):
    verdict = checks.MultiHeadAttention.verdict(layer)
    assert hint in verdict.hint
    assert verdict.fraction <= 0.5


@pytest.mark.parametrize("kind", [Wall, NoWall])
def test_a_layer_is_judged_behind_the_wall(kind):
    source = """
import torch
from torch import nn
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=False))
    def forward(self, x, y):
        q, k, v = (
            layer(z).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for layer, z in ((self.W_q, x), (self.W_k, y), (self.W_v, y))
        )
        weights = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1)
        return self.W_o((weights @ v).transpose(1, 2).flatten(2)), weights
"""
    wall = kind(("torch",))
    (ran,) = run([Cell(source, checks.MultiHeadAttention.calls())], wall)
    wall.close()
    verdict = checks.MultiHeadAttention.judge(ran.answers)
    assert verdict.fraction == 1, verdict.text()


def test_the_reference_layer_is_the_function_with_these_weights(rng):
    layer = MultiHeadAttention(D, H)
    for _, weight in layer.named_parameters():
        weight[...] = rng.normal(size=weight.shape)
    inner, Wo = list(layer.weights.values())[:3], layer.weights["W_o.weight"]
    P = {"W": np.concatenate(inner), "b": np.zeros(3 * D), "Wo": Wo, "bo": np.zeros(D)}
    x, y = rng.normal(size=(2, 5, D)), rng.normal(size=(2, 7, D))
    for one, other in zip(layer.eval()(x, y), multi_head(x, y, P, H), strict=True):
        np.testing.assert_array_equal(one, other)


# ---- multi_head of another kind


def multi_head_by_torch(x, y, P, h, mask=None):
    """In float32, as an answer that holds tensors."""
    x, y, W, b, Wo, bo = (
        torch.from_numpy(np.ascontiguousarray(array)).float() for array in (x, y, *P.values())
    )
    q, k, v = (
        F.linear(z, w, c).unflatten(-1, (h, -1)).transpose(-3, -2)
        for z, w, c in zip((x, y, y), W.chunk(3), b.chunk(3), strict=True)
    )
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~torch.from_numpy(mask), -torch.inf)
    weights = torch.softmax(scores, -1).nan_to_num()
    merged = (weights @ v).transpose(-3, -2).flatten(-2)
    return F.linear(merged, Wo, bo), weights


@pytest.mark.parametrize("seed", ["practice", "one release", "another release"])
def test_a_right_function_in_float32_passes(seed):
    verdict = checks.multi_head.verdict(multi_head_by_torch, seed)
    assert verdict.fraction == 1, verdict.text()


# ---- head_params, score_rank


@pytest.mark.parametrize(("d", "h"), [(12, 1), (12, 3), (12, 12), (512, 8)])
def test_parameters_are_as_many_as_torchs(d, h):
    layer = nn.MultiheadAttention(d, h, bias=False)
    assert head_params(d, h) == sum(p.numel() for p in layer.parameters()) == 4 * d**2
    assert type(head_params(d, h)) is int


@drawn
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_a_heads_rank_is_that_of_torch_and_at_most_d_k(d, d_k, seed):
    Wq, Wk = np.random.default_rng(seed).integers(-2, 3, size=(2, d, d_k)).astype(float)
    rank = score_rank(Wq, Wk)
    assert rank == torch.linalg.matrix_rank(torch.from_numpy(Wq @ Wk.T))
    assert rank <= min(d, d_k)


def test_a_rank_worked_out_by_hand():
    one, other = np.eye(3)[:, :2], np.eye(3)[:, 1:]
    assert score_rank(one, one) == 2
    # Queries fill both numbers, and keys too; of the product nothing is lost.
    assert score_rank(one, other) == 2
    # What the queries put into their second number the keys never ask for.
    assert score_rank(one, one * [1, 0]) == 1
    assert score_rank(one * [0, 1], one * [1, 0]) == 0


# ---- symmetric_init


def trained(P, h, steps=20):
    """The parameters after some steps of SGD on data of which no head knows more than another."""
    layer = torch_layer(P, h).train()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    generator = torch.Generator().manual_seed(0)
    for _ in range(steps):
        x = torch.randn(8, 5, len(P["bo"]), generator=generator, dtype=torch.float64)
        loss = ((layer(x, x, x)[0] - x.roll(1, 1)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    arrays = (array.detach().numpy() for array in layer.state_dict().values())
    return dict(zip(("W", "b", "Wo", "bo"), arrays, strict=True))


def spread(P, h):
    """The largest difference between the first head and any other."""
    return max(np.abs(P[name] - symmetric_init(P, h)[name]).max() for name in P)


def test_equal_heads_stay_equal_under_training(rng):
    P = parameters(rng)
    before = symmetric_init(P, H)
    assert spread(before, H) == 0
    after = trained(before, H)
    assert spread(after, H) < 1e-12
    for name in P:  # it did train
        assert np.abs(after[name] - before[name]).max() > 1e-3
    for name, array in before.items():
        rows = {"W": slice(D // H), "b": slice(D // H), "Wo": np.s_[:, : D // H], "bo": slice(None)}
        np.testing.assert_array_equal(array[rows[name]], P[name][rows[name]])


def test_heads_do_not_stay_equal_when_wo_or_b_differ(rng):
    P = parameters(rng)
    equal = symmetric_init(P, H)
    for name in ("Wo", "b"):
        after = trained(equal | {name: P[name]}, H)
        assert np.abs(after["W"] - symmetric_init(after, H)["W"]).max() > 1e-3


def test_equal_heads_give_equal_weights(rng):
    x, P = rng.normal(size=(2, 5, D)), symmetric_init(parameters(rng), H)
    weights = multi_head(x, x, P, H)[1]
    np.testing.assert_allclose(weights, weights[:, :1].repeat(H, 1), **EXACT)


# ---- shapes that disagree

a = np.ones
SHAPES = {"W": a((36, 12)), "b": a(36), "Wo": a((12, 12)), "bo": a(12)}


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        (lambda: split_heads(a((5, 13)), 3), 13, 3),
        (lambda: multi_head(a((5, 12)), a((7, 9)), SHAPES, 3), 12, 9),
        (lambda: multi_head(a((5, 9)), a((7, 9)), SHAPES, 3), 9, 12),
        (lambda: multi_head(a((5, 12)), a((7, 12)), SHAPES | {"Wo": a((9, 9))}, 3), 12, 9),
        (lambda: multi_head(a((5, 12)), a((7, 12)), SHAPES, 5), 12, 5),
        (lambda: MultiHeadAttention(12, 5), 12, 5),
        (lambda: head_params(12, 5), 12, 5),
        (lambda: score_rank(a((8, 3)), a((8, 4))), 3, 4),
        (lambda: symmetric_init(SHAPES, 5), 12, 5),
    ],
)
def test_shapes_that_disagree_are_named_with_both_numbers(call, one, other):
    with pytest.raises(ValueError, match=f"{one}.*{other}"):
        call()
