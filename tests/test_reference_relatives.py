"""The references of `relatives` do what torch does, what hands worked out, what always holds."""

import tracemalloc

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch.utils.flop_counter import FlopCounterMode

from autograde.check import PRACTICE
from autograde.checks import relatives as checks
from autograde.plain import probed
from autograde.reference.relatives import (
    blockwise_attention,
    conv_as_attention,
    crossover,
    graph_attention,
    layer_cost,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}

# The same inputs in every run, and nothing written beside the tests.
drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def real(*shape: int, largest: float = 1e3):
    return arrays(np.float64, shape, elements=st.floats(-largest, largest))


def torch_of(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.from_numpy(array) for array in arrays]


# ---- conv_as_attention


@pytest.mark.parametrize(("k", "size"), [(1, (4, 5)), (3, (5, 10)), (5, (3, 6)), (3, (1, 1))])
def test_sharp_heads_are_the_convolution_of_torch(rng, k, size):
    img, W, b = rng.normal(size=(3, *size)), rng.normal(size=(4, 3, k, k)), rng.normal(size=4)
    tensors = torch_of(img[None], W, b)
    expected = F.conv2d(*tensors, padding=k // 2)[0]
    np.testing.assert_allclose(conv_as_attention(img, W, b), expected, rtol=0, atol=1e-12)


def test_a_blurred_head_worked_out_by_hand():
    """Two pixels and one head: weights 1/(1 + e^-α) and the rest."""
    img = np.array([[[1.0, 3.0]]])
    output = conv_as_attention(img, np.ones((1, 1, 1, 1)), np.zeros(1), alpha=np.log(3))
    np.testing.assert_allclose(output, [[[1.5, 2.5]]], **EXACT)


def test_a_head_that_sees_all_alike_gives_the_mean_of_the_image(rng):
    img = rng.normal(size=(2, 3, 4))
    output = conv_as_attention(img, np.ones((1, 2, 1, 1)), np.zeros(1), alpha=0)
    np.testing.assert_allclose(output, img.mean((1, 2)).sum(), **EXACT)


def test_heads_are_attention_with_queries_and_keys_made_of_places(rng):
    """−α |r − t|² is 2α t·r − α |r|², but for a number that all keys of a query share."""
    H, W, alpha = 3, 4, 0.7
    places = np.indices((H, W)).reshape(2, -1).T.astype(float)
    keys = np.hstack([places, (places**2).sum(1, keepdims=True)])
    queries = alpha * np.hstack([2 * places, -np.ones((H * W, 1))])
    img = rng.normal(size=(1, H, W))
    V = img.reshape(1, -1).T
    expected = F.scaled_dot_product_attention(*torch_of(queries, keys, V), scale=1.0)
    output = conv_as_attention(img, np.ones((1, 1, 1, 1)), np.zeros(1), alpha)
    np.testing.assert_allclose(output.ravel(), expected.numpy().ravel(), **EXACT)


@drawn
@given(real(1, 3, 4), real(1, 3, 4), real(2, 1, 3, 3), st.floats(0, 100))
def test_heads_are_linear_in_the_image(one, other, W, alpha):
    """The weights depend on places only."""
    b = np.zeros(2)
    both = conv_as_attention(one + 2 * other, W, b, alpha)
    apart = conv_as_attention(one, W, b, alpha) + 2 * conv_as_attention(other, W, b, alpha)
    np.testing.assert_allclose(both, apart, rtol=1e-9, atol=1e-5)


# ---- graph_attention


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
def test_graph_attention_is_that_of_torch(rng, leading):
    X, A = rng.normal(size=(*leading, 5, 6)), rng.random((*leading, 5, 5)) < 0.4
    A[..., 1, :] = False
    Wq, Wk, Wv = rng.normal(size=(6, 4)), rng.normal(size=(6, 4)), rng.normal(size=(6, 7))
    output, weights = graph_attention(X, A, Wq, Wk, Wv)
    expected = F.scaled_dot_product_attention(*torch_of(X @ Wq, X @ Wk, X @ Wv, A))
    np.testing.assert_allclose(output, expected, **EXACT)
    assert (weights[~A] == 0).all()
    assert (output[..., 1, :] == 0).all()


def test_graph_attention_passes_messages(rng):
    """Node by node, and neighbour by neighbour."""
    X, A = rng.normal(size=(5, 6)), rng.random((5, 5)) < 0.5
    Wq, Wk, Wv = rng.normal(size=(6, 4)), rng.normal(size=(6, 4)), rng.normal(size=(6, 7))
    output, _ = graph_attention(X, A, Wq, Wk, Wv)
    for i in range(5):
        powers = {j: np.exp((X[i] @ Wq) @ (X[j] @ Wk) / 2) for j in range(5) if A[i, j]}
        message = sum((p * (X[j] @ Wv) for j, p in powers.items()), np.zeros(7))
        np.testing.assert_allclose(output[i] * sum(powers.values()), message, rtol=1e-9)


@drawn
@given(real(4, 3, largest=3), arrays(bool, (4, 4)), st.permutations(range(4)))
def test_names_of_nodes_do_not_matter(X, A, order):
    W = np.random.default_rng(0).normal(size=(3, 3, 3))
    output, weights = graph_attention(X, A, *W)
    renamed, renamed_weights = graph_attention(X[order], A[np.ix_(order, order)], *W)
    np.testing.assert_allclose(renamed, output[order], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(renamed_weights, weights[np.ix_(order, order)], atol=1e-9)


def test_one_graph_serves_a_batch(rng):
    X, A = rng.normal(size=(2, 4, 3)), rng.random((4, 4)) < 0.5
    W = rng.normal(size=(3, 3, 3))
    together = graph_attention(X, A, *W)[0]
    np.testing.assert_allclose(together[1], graph_attention(X[1], A, *W)[0], **EXACT)


# ---- blockwise_attention


@pytest.mark.parametrize("block", [1, 2, 5, 7, 11, 30])
@pytest.mark.parametrize("factor", [1, 100])
def test_blocks_give_what_torch_gives_at_once(rng, block, factor):
    Q, K = factor * rng.normal(size=(2, 3, 4, 6)), rng.normal(size=(2, 3, 11, 6))
    V = rng.normal(size=(2, 3, 11, 7))
    expected = F.scaled_dot_product_attention(*torch_of(Q, K, V))
    np.testing.assert_allclose(blockwise_attention(Q, K, V, block), expected, **EXACT)


@drawn
@given(real(3, 2), real(7, 2), real(7, 4), st.integers(1, 9), st.permutations(range(7)))
def test_neither_blocks_nor_the_order_of_the_pairs_matter(Q, K, V, block, order):
    once = blockwise_attention(Q, K, V, 7)
    in_blocks = blockwise_attention(Q, K[order], V[order], block)
    np.testing.assert_allclose(in_blocks, once, rtol=1e-9, atol=1e-6)


def test_blocks_need_little_memory(rng):
    """Of 200 by 1000 scores of eight bytes, 1.6 MB in all, a tenth is never needed."""
    Q, K, V = rng.normal(size=(200, 3)), rng.normal(size=(1000, 3)), rng.normal(size=(1000, 7))
    tracemalloc.start()
    blockwise_attention(Q, K, V, 16)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 160_000


def test_the_probe_is_made_from_its_source_alone():
    """As behind the wall, where nothing of the module is there."""
    check = checks.blockwise_attention
    for call, expected in zip(check.calls(), check._expected(PRACTICE), strict=True):
        output, hungry = probed(call.probe, blockwise_attention)(*call.arguments.values())
        np.testing.assert_array_equal(output, expected[0])
        assert not hungry


# ---- layer_cost and crossover


class Layer(torch.nn.Module):
    """The matrix products of an encoder layer with two heads, and nothing else."""

    def __init__(self, d: int, dff: int):
        super().__init__()
        self.parts = torch.nn.ModuleList([torch.nn.Linear(d, d, bias=False) for _ in range(4)])
        self.into, self.back = torch.nn.Linear(d, dff), torch.nn.Linear(dff, d)

    def forward(self, x):
        q, k, v = (part(x).unflatten(-1, (2, -1)).transpose(0, 1) for part in self.parts[:3])
        mixed = (q @ k.mT).softmax(-1) @ v
        return self.back(self.into(self.parts[3](mixed.transpose(0, 1).flatten(1))))


@pytest.mark.parametrize(("n", "d", "dff"), [(5, 6, 7), (1, 8, 3), (40, 16, 64)])
def test_the_cost_is_what_torch_counts(n, d, dff):
    """Torch counts an addition for each multiplication."""
    layer, counter = Layer(d, dff), FlopCounterMode(display=False)
    with counter:
        layer(torch.randn(n, d))
    assert counter.get_total_flops() == 2 * sum(layer_cost(n, d, dff).values())


def test_costs_worked_out_by_hand():
    assert layer_cost(1, 1, 3) == {"projections": 4, "attention": 2, "ffn": 6}
    assert layer_cost(2, 3, 5) == {"projections": 72, "attention": 24, "ffn": 60}
    assert crossover(512, 2048) == 3072


@drawn
@given(st.integers(1, 5000), st.integers(1, 20000))
def test_at_the_crossover_attention_is_half_of_all(d, dff):
    cost = layer_cost(crossover(d, dff), d, dff)
    assert 2 * cost["attention"] == sum(cost.values())


# ---- answers of another kind


def conv_by_torch(img, W, b, alpha=50.0):
    img, W, b = (torch.from_numpy(array).float() for array in (img, W, b))
    _, height, width = img.shape
    k = W.shape[-1]
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    y, x = y.flatten(), x.flatten()
    output = b[:, None, None].expand(-1, height, width).clone()
    for i in range(k):
        for j in range(k):
            ty, tx = y + i - k // 2, x + j - k // 2
            scores = -alpha * ((y - ty[:, None]) ** 2 + (x - tx[:, None]) ** 2)
            outside = (ty < 0) | (ty >= height) | (tx < 0) | (tx >= width)
            weights = torch.softmax(scores.float(), 1) * ~outside[:, None]
            blend = (img.flatten(1) @ weights.T).unflatten(1, (height, width))
            output += torch.einsum("oc,chw->ohw", W[:, :, i, j], blend)
    return output


def conv_pixel_by_pixel(img, W, b, alpha=50.0):
    _, height, width = img.shape
    k = W.shape[-1]
    output = np.zeros((len(W), height, width))
    rows, columns = np.indices((height, width))
    for y, x in np.ndindex(height, width):
        output[:, y, x] = b
        for i, j in np.ndindex(k, k):
            ty, tx = y + i - k // 2, x + j - k // 2
            if 0 <= ty < height and 0 <= tx < width:
                powers = np.exp(-alpha * ((rows - ty) ** 2 + (columns - tx) ** 2))
                output[:, y, x] += W[:, :, i, j] @ (img * powers / powers.sum()).sum((1, 2))
    return output


def graph_by_torch(X, A, Wq, Wk, Wv):
    X, Wq, Wk, Wv = (torch.from_numpy(array).float() for array in (X, Wq, Wk, Wv))
    A = torch.from_numpy(A)
    scores = (X @ Wq) @ (X @ Wk).mT / Wk.shape[1] ** 0.5
    weights = torch.softmax(scores.masked_fill(~A, -torch.inf), -1)
    weights = torch.where(A.any(-1, keepdim=True), weights, 0)
    return weights @ (X @ Wv), weights


def graph_with_a_ghost(X, A, Wq, Wk, Wv):
    """A key that only those without neighbours see, with a value of 0."""
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    scores = Q @ np.swapaxes(K, -1, -2) / Wk.shape[1] ** 0.5
    lonely = np.broadcast_to(~A.any(-1, keepdims=True), (*scores.shape[:-1], 1))
    open_scores = np.where(A, scores, -np.inf)
    with_ghost = np.concatenate([open_scores, np.where(lonely, 0, -np.inf)], -1)
    powers = np.exp(with_ghost - with_ghost.max(-1, keepdims=True))
    weights = (powers / powers.sum(-1, keepdims=True))[..., :-1]
    return weights @ V, weights


def blocks_by_torch(Q, K, V, block):
    Q, K, V = (torch.from_numpy(array).double() for array in (Q, K, V))
    total, blend = None, None
    for k, v in zip(K.split(block, -2), V.split(block, -2), strict=True):
        scores = Q @ k.mT / Q.shape[-1] ** 0.5
        here = scores.logsumexp(-1, keepdim=True)
        mean = torch.softmax(scores, -1) @ v
        if total is None:
            total, blend = here, mean
        else:
            both = torch.logaddexp(total, here)
            blend = blend * (total - both).exp() + mean * (here - both).exp()
            total = both
    return blend


def blocks_in_two_passes(Q, K, V, block):
    """First the highest score, then the sums."""
    Q, K, V = (array.astype(np.float32) for array in (Q, K, V))
    parts = [slice(i, i + block) for i in range(0, K.shape[-2], block)]

    def scores(part):
        return np.einsum("...nk,...mk->...nm", Q, K[..., part, :]) / np.sqrt(Q.shape[-1])

    highest = -np.inf
    for part in parts:
        highest = np.maximum(highest, scores(part).max(-1, keepdims=True))
    total, blend = 0, 0
    for part in parts:
        powers = np.exp(scores(part) - highest)
        total, blend = total + powers.sum(-1, keepdims=True), blend + powers @ V[..., part, :]
    return (blend / total).astype(np.float32)


def blocks_query_by_query(Q, K, V, block):
    output = np.empty((*Q.shape[:-1], V.shape[-1]))
    for place in np.ndindex(Q.shape[:-1]):
        scores = K[place[:-1]] @ Q[place] / np.sqrt(Q.shape[-1])
        powers = np.exp(scores - scores.max())
        output[place] = powers @ V[place[:-1]] / powers.sum()
    return output


def cost_from_shapes(n, d, dff):
    def products(a, b, c):
        return a * b * c

    return {
        "ffn": products(n, d, dff) + products(n, dff, d),
        "attention": np.int64(products(n, d, n) + products(n, n, d)),
        "projections": sum(products(n, d, d) for _ in range(4)),
    }


def crossover_by_search(d, dff):
    n = 1
    while 2 * layer_cost(n, d, dff)["attention"] < sum(layer_cost(n, d, dff).values()):
        n += 1
    return n


RIGHT = {
    "conv_as_attention": [conv_by_torch, conv_pixel_by_pixel],
    "graph_attention": [graph_by_torch, graph_with_a_ghost],
    "blockwise_attention": [blocks_by_torch, blocks_in_two_passes, blocks_query_by_query],
    "layer_cost": [cost_from_shapes],
    "crossover": [crossover_by_search],
}


@pytest.mark.parametrize("seed", [PRACTICE, "one release", "another release"])
@pytest.mark.parametrize(
    ("name", "function"), [(name, function) for name in RIGHT for function in RIGHT[name]]
)
def test_a_right_answer_of_another_kind_passes(name, function, seed):
    verdict = vars(checks)[name].verdict(function, seed)
    assert verdict.fraction == 1, verdict.text()


def test_whoever_gathers_all_scores_block_by_block_is_told_so():
    def gathered(Q, K, V, block):
        keys = np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
        parts = range(0, K.shape[-2], block)
        scores = np.concatenate([Q @ keys[..., i : i + block] for i in parts], -1)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True) @ V

    verdict = checks.blockwise_attention.verdict(gathered)
    assert verdict.hint.startswith("What you keep grows with the number of keys")
    assert verdict.fraction == 0.5


# ---- arguments that cannot be


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: convolved((1, 2, 2), (1, 1, 2, 2), 1), "k odd, not 2 by 2"),
        (lambda: convolved((1, 2, 2), (1, 1, 3, 1), 1), "not 3 by 1"),
        (lambda: convolved((2, 2, 2), (1, 3, 1, 1), 1), "C: 2 and 3"),
        (lambda: convolved((2, 2, 2), (1, 2, 1, 1), 4), r"O: 1 and \(4,\)"),
        (lambda: on_graph(np.ones((3, 3))), "bool, not float64"),
        (lambda: on_graph(np.ones((3, 4), bool)), r"\(3, 3\), not \(3, 4\)"),
        (lambda: in_blocks(0), "at least 1, not 0"),
        (lambda: in_blocks(2, d_k=3), "d_k: 3 and 2"),
        (lambda: in_blocks(2, m=5), "m: 4 and 5"),
        (lambda: layer_cost(0, 1, 1), "not 0, 1 and 1"),
        (lambda: crossover(1, 0), "not 1 and 0"),
    ],
)
def test_arguments_that_cannot_be_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def convolved(img: tuple, W: tuple, b: int) -> np.ndarray:
    return conv_as_attention(np.ones(img), np.ones(W), np.ones(b))


def on_graph(A: np.ndarray) -> tuple:
    return graph_attention(np.ones((3, 2)), A, np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)))


def in_blocks(block: int, d_k: int = 2, m: int = 4) -> np.ndarray:
    return blockwise_attention(np.ones((3, d_k)), np.ones((4, 2)), np.ones((m, 2)), block)
