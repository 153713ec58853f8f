"""Checks of chapter `relatives`."""

from collections.abc import Callable, Mapping

import numpy as np

from autograde.check import Check
from autograde.checks.attention import FLOAT32, READY_MADE, mixed
from autograde.reference import relatives as reference
from autograde.reference.masking import masked_softmax
from autograde.reference.vectors import softmax


def _float32(inputs: dict) -> dict:
    return {
        name: value.astype(np.float32) if np.asarray(value).dtype.kind == "f" else value
        for name, value in inputs.items()
    }


def _column_by_column(inputs: dict) -> dict:
    return {
        name: np.asfortranarray(value) if np.ndim(value) else value
        for name, value in inputs.items()
    }


# ---- conv_as_attention


def _picture(
    rng: np.random.Generator,
    k: int = 3,
    *,
    H: int = 4,
    W: int = 5,
    C: int = 2,
    O: int = 7,  # noqa: E741 (the paper's letter)
) -> dict:
    """An image, a kernel, a bias far from 0, and the default alpha."""
    return {
        "img": rng.normal(size=(C, H, W)),
        "W": rng.normal(size=(O, C, k, k)),
        "b": rng.choice([-1, 1], size=O) * rng.uniform(1, 2, size=O),
    }


def _in_the_image(targets: np.ndarray, size: np.ndarray) -> np.ndarray:
    return (targets >= 0) & (targets < size)


def _heads(
    *,
    kernel: Callable = lambda W: W,
    middle: Callable = lambda k: k // 2,
    grid: Callable = lambda size: size,
    target: Callable = lambda place, size: place,
    score: Callable = lambda alpha, squares: -alpha * squares,
    weigh: Callable = softmax,
    inside: Callable = _in_the_image,
    share: Callable = lambda k: 1,
    bias: Callable = lambda b, k: b,
) -> Callable:
    """The reference, but for what is given; inside: where a head looks at all."""

    def wrong(img, W, b, alpha=50.0):
        W = kernel(W)
        k, size = W.shape[-1], np.array(grid(img.shape[1:]))
        places = np.indices(tuple(size)).reshape(2, -1).T
        pixels = img.reshape(len(img), -1).T
        output = np.tile(bias(np.asarray(b, np.float64), k), (len(pixels), 1))
        for offset in np.ndindex(k, k):
            targets = target(places + np.array(offset) - middle(k), size)
            squares = ((places[None] - targets[:, None]) ** 2).sum(-1)
            weights = weigh(score(alpha, squares)) * inside(targets, size).all(1, keepdims=True)
            output += share(k) * (weights @ pixels @ W[:, :, *offset].T)
        return output.T.reshape(len(W), *img.shape[1:])

    return wrong


def _everywhere(targets: np.ndarray, size: np.ndarray) -> np.ndarray:
    return np.ones_like(targets, bool)


def _powers_over_sum(scores: np.ndarray, axis: int | None = -1) -> np.ndarray:
    """A softmax without a shift."""
    powers = np.exp(scores)
    return powers / powers.sum(axis, keepdims=True)


def _zeros_around(img, W, b, alpha=50.0):
    """The zeros of the padding are pixels like others."""
    edge = W.shape[-1] // 2
    padded = np.pad(img, ((0, 0), (edge, edge), (edge, edge)))
    output = _heads(inside=_everywhere)(padded, W, b, alpha)
    return output[:, edge : edge + img.shape[1], edge : edge + img.shape[2]]


def _where_the_kernel_fits(img, W, b, alpha=50.0):
    edge = W.shape[-1] // 2
    output = reference.conv_as_attention(img, W, b, alpha)
    return output[:, edge : img.shape[1] - edge, edge : img.shape[2] - edge]


conv_as_attention = Check(
    reference=reference.conv_as_attention,
    from_scratch=("conv2d", "Conv2d", "correlate", "correlate2d", "convolve", "convolve2d"),
    cases={
        "a 3 by 3 kernel": _picture,
        "a 1 by 1 kernel": lambda rng: _picture(rng, 1),
        "a 5 by 5 kernel, higher than the image": lambda rng: _picture(rng, 5, H=3, W=6),
        "a single pixel": lambda rng: _picture(rng, H=1, W=1),
        "an image of one row": lambda rng: _picture(rng, H=1, W=6),
        "as many channels in as out": lambda rng: _picture(rng, H=6, W=4, C=5, O=5),
        "heads that look sharply (alpha 2000)": lambda rng: _picture(rng) | {"alpha": 2000.0},
        "heads that look about (alpha 0.5)": lambda rng: _picture(rng) | {"alpha": 0.5},
        "heads that look far about (alpha 0.1, 5 by 5)": (
            lambda rng: _picture(rng, 5, H=6, W=4) | {"alpha": 0.1}
        ),
        "heads that see all pixels alike (alpha 0)": lambda rng: _picture(rng) | {"alpha": 0.0},
        "whole numbers": lambda rng: {
            name: rng.integers(1, 9, size=array.shape) for name, array in _picture(rng).items()
        },
        "float32 numbers": lambda rng: _float32(_picture(rng)),
        "stored column by column": lambda rng: _column_by_column(_picture(rng)),
    },
    mistakes={
        "The kernel is not flipped: its first row belongs to the pixels above, as in torch.": (
            _heads(kernel=lambda W: W[:, :, ::-1, ::-1])
        ),
        "Rows of the kernel run down, as those of the image do; you turned it upside down.": (
            _heads(kernel=lambda W: W[:, :, ::-1])
        ),
        "Columns of the kernel run right, as those of the image do; you turned it left to right.": (
            _heads(kernel=lambda W: W[..., ::-1])
        ),
        "The kernel's first place counts rows (down), its second columns (right); you swapped "
        "them.": _heads(kernel=lambda W: W.swapaxes(2, 3)),
        "Outside of the image a head looks nowhere: the softmax alone gives its weight to the "
        "border.": _heads(inside=_everywhere),
        "A head may miss the image below and on the right too; you looked above and left only.": (
            _heads(inside=lambda targets, size: targets >= 0)
        ),
        "A head may miss the image above and on the left too; you looked below and right only.": (
            _heads(inside=lambda targets, size: targets < size)
        ),
        "Places count from 0: behind the last row and column, at H and W, the image has ended.": (
            _heads(inside=lambda targets, size: (targets >= 0) & (targets <= size))
        ),
        "The last row and column belong to the image; you left them out.": (
            _heads(inside=lambda targets, size: (targets >= 0) & (targets < size - 1))
        ),
        "The first row and column, at place 0, belong to the image; you left them out.": (
            _heads(inside=lambda targets, size: (targets > 0) & (targets < size))
        ),
        "Outside of the image there is 0, not the nearest pixel once more.": (
            _heads(target=lambda place, size: np.clip(place, 0, size - 1))
        ),
        "An image does not go on at its other side: outside there is 0.": (
            _heads(target=lambda place, size: place % size)
        ),
        "Zeros around the image take weight from its pixels: only pixels of the image are keys.": (
            _zeros_around
        ),
        "The middle of the kernel lies on the pixel itself, not its first corner.": (
            _heads(middle=lambda k: 0)
        ),
        "The middle of the kernel lies on the pixel itself, not its last corner.": (
            _heads(middle=lambda k: k - 1)
        ),
        "All heads look one place too far up and left: counted from 0, the middle of 3 is 1.": (
            _heads(middle=lambda k: k // 2 + 1)
        ),
        "All heads look one place too far down and right: counted from 0, the middle of 3 is 1.": (
            _heads(middle=lambda k: k // 2 - 1)
        ),
        "The output is as large as the image: border pixels count too.": _where_the_kernel_fits,
        "With a small alpha a head looks at several pixels: this is the convolution itself.": (
            _heads(score=lambda alpha, squares: -1e6 * squares)
        ),
        "The score falls with the square of the distance, not with the distance.": (
            _heads(score=lambda alpha, squares: -alpha * np.sqrt(squares))
        ),
        "The nearest pixel has the highest score: distance counts against it.": (
            _heads(score=lambda alpha, squares: alpha * squares)
        ),
        "A larger alpha looks more sharply: multiply by it.": (
            _heads(score=lambda alpha, squares: -squares / max(alpha, 1e-3))
        ),
        "Each pixel asks: the softmax runs over the pixels looked at.": (
            _heads(weigh=lambda scores: softmax(scores, 0))
        ),
        "The weights of each pixel that asks sum to 1, not those of the whole matrix.": (
            _heads(weigh=lambda scores: softmax(scores.ravel()).reshape(scores.shape))
        ),
        "The powers must be divided by their sum: a head's weights sum to 1.": (
            _heads(weigh=np.exp)
        ),
        "Far outside all powers are 0, and 0/0 times 0 is NaN: shift scores by their maximum.": (
            _heads(weigh=_powers_over_sum)
        ),
        "The bias is missing.": _heads(bias=lambda b, k: 0 * b),
        "The bias is added once, not by every head.": _heads(bias=lambda b, k: k * k * b),
        "The heads are added up, not averaged.": _heads(share=lambda k: 1 / k**2),
        "The first axis of W is what comes out, the second what goes in.": (
            _heads(kernel=lambda W: W.swapaxes(0, 1))
        ),
        "The channels come first, then rows and columns.": (
            lambda img, W, b, alpha=50.0: np.moveaxis(
                reference.conv_as_attention(img, W, b, alpha), 0, -1
            )
        ),
        "Pixels are numbered row by row: there are W of them in a row, and H rows.": (
            _heads(grid=lambda size: size[::-1])
        ),
    },
    atol=FLOAT32,
)

# ---- graph_attention

_PARTS = ("output", "weights")


def _graph(rng: np.random.Generator, *leading: int, n: int = 5, of: tuple = ()) -> dict:
    """A directed graph; every node has a neighbour, a stranger and, at times, itself.

    leading: the axes of the nodes before the last two; of: those of the edges.
    """
    edges = rng.random((*of, n, n)) < 0.5
    order = rng.random((*of, n, n)).argsort(-1)
    np.put_along_axis(edges, order[..., :1], True, -1)
    np.put_along_axis(edges, order[..., -1:], False, -1)
    return {
        "X": rng.normal(size=(*leading, n, 6)),
        "A": edges,
        "Wq": rng.normal(size=(6, 4)),
        "Wk": rng.normal(size=(6, 4)),
        "Wv": rng.normal(size=(6, 7)),
    }


def _with_edges(
    change: Callable[[np.ndarray], np.ndarray], *leading: int, n: int = 5
) -> Callable[[np.random.Generator], dict]:
    def draw(rng: np.random.Generator) -> dict:
        inputs = _graph(rng, *leading, n=n)
        return inputs | {"A": change(inputs["A"])}

    return draw


def _isolated(edges: np.ndarray) -> np.ndarray:
    """The second node sees nobody, but some see it."""
    edges[1], edges[[0, 3], 1] = False, True
    return edges


def _ring(edges: np.ndarray) -> np.ndarray:
    """Each node sees the next one and the one after that."""
    n = len(edges)
    return np.isin((np.arange(n) - np.arange(n)[:, None]) % n, [1, 2])


def _whole_graph(rng: np.random.Generator) -> dict:
    """Scores that float32 holds exactly."""
    inputs = _graph(rng, 2)
    return inputs | {
        name: rng.integers(-2, 3, size=inputs[name].shape).astype(float)
        for name in ("X", "Wq", "Wk", "Wv")
    }


def _far_from_0(rng: np.random.Generator, shift: float, spread: float = 0) -> dict:
    """All scores move by the shift, and those of a node by a multiple of the spread besides."""
    inputs = _whole_graph(rng)
    inputs["X"][..., 0], inputs["X"][..., 1] = 1, rng.permutation(5) - 2
    inputs["Wq"][:, 0] = inputs["Wk"][:, 0] = 0
    inputs["Wq"][:2, 0], inputs["Wk"][0, 0] = (shift / 20, spread / 20), 40
    return inputs


def _on_edges(
    weigh: Callable,
    scale: Callable = lambda X, K: np.sqrt(K.shape[-1]),
    mix: Callable = mixed,
) -> Callable:
    """Graph attention, with weights that are a function of scores and edges."""

    def wrong(X, A, Wq, Wk, Wv):
        Q, K, V = X @ Wq, X @ Wk, X @ Wv
        return mix(weigh(Q @ np.swapaxes(K, -1, -2) / scale(X, K), A), V)

    return wrong


def _with(edges: Callable) -> Callable:
    """Graph attention on other edges."""
    return _on_edges(lambda scores, A: masked_softmax(scores, np.asarray(edges(A), bool)))


def _own(A: np.ndarray) -> np.ndarray:
    return np.eye(A.shape[-1], dtype=bool)


def _hidden(scores: np.ndarray, A: np.ndarray, fill: float = -np.inf) -> np.ndarray:
    return np.where(A, scores, fill)


def _or_zero(weights: np.ndarray, A: np.ndarray) -> np.ndarray:
    return np.where(A.any(-1, keepdims=True), weights, 0.0)


def _own_if_alone(scores: np.ndarray, A: np.ndarray) -> np.ndarray:
    return masked_softmax(scores, A | (_own(A) & ~A.any(-1, keepdims=True)))


def _plain(scores: np.ndarray) -> np.ndarray:
    """A softmax that gives NaN where all scores are minus infinity."""
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _one_shift(scores: np.ndarray, A: np.ndarray) -> np.ndarray:
    powers = np.exp(_hidden(scores, A) - _hidden(scores, A).max())
    return _or_zero(powers / powers.sum(-1, keepdims=True), A)


def _all_axes_turned(X, A, Wq, Wk, Wv):
    weights = masked_softmax(X @ Wq @ np.transpose(X @ Wk) / np.sqrt(Wk.shape[-1]), A)
    return weights @ (X @ Wv), weights


def _sum_to_1_or_0(arguments: Mapping, answer: list) -> bool:
    sums, somewhere = answer[1].sum(-1, dtype=np.float64), arguments["A"].any(-1)
    return np.allclose(sums, somewhere, rtol=0, atol=1e-4)


def _along_edges(arguments: Mapping, answer: list) -> bool:
    return bool((np.abs(np.where(arguments["A"], 0, answer[1])) < 1e-6).all())


graph_attention = Check(
    reference=reference.graph_attention,
    from_scratch=READY_MADE,
    cases={
        "a directed graph": _graph,
        "a batch, with a graph for each": lambda rng: _graph(rng, 2, of=(2,)),
        "one graph for a batch": lambda rng: _graph(rng, 2),
        "two leading axes": lambda rng: _graph(rng, 2, 3, of=(2, 3)),
        "a node without neighbours": _with_edges(_isolated, 2),
        "no edges at all": _with_edges(np.zeros_like),
        "every node sees every node": _with_edges(np.ones_like),
        "a ring in which nobody sees itself": _with_edges(_ring, n=6),
        "a single node that sees itself": _with_edges(np.ones_like, n=1),
        "as many nodes as features": lambda rng: _graph(rng, n=6),
        "scores near 1000": lambda rng: _far_from_0(rng, 500),
        "scores near −1000": lambda rng: _far_from_0(rng, -500),
        "nodes with scores far apart": lambda rng: _far_from_0(rng, 0, 500),
        "whole numbers": lambda rng: {
            name: array if name == "A" else array.astype(int)
            for name, array in _whole_graph(rng).items()
        },
        "float32 numbers": lambda rng: _float32(_graph(rng, 2)),
        "stored column by column": lambda rng: _column_by_column(_graph(rng, 2)),
    },
    mistakes={
        "The node of the row looks at the node of the column; you went against the edges.": (
            _with(lambda A: np.swapaxes(A, -1, -2))
        ),
        "An edge may lead one way only: do not open it in both directions.": (
            _with(lambda A: A | np.swapaxes(A, -1, -2))
        ),
        "A node looks at itself only if it has an edge to itself: do not add one.": (
            _with(lambda A: A | _own(A))
        ),
        "A node that has an edge to itself looks at itself, too.": _with(lambda A: A & ~_own(A)),
        "True means that there is an edge; you let nodes look at all but their neighbours.": (
            _with(lambda A: ~A)
        ),
        "The edges have no say: a node looks at its neighbours only.": (
            _on_edges(lambda scores, A: softmax(scores))
        ),
        "Weights that are set to 0 after the softmax leave a row that does not sum to 1.": (
            _on_edges(lambda scores, A: softmax(scores) * A)
        ),
        "A score of 0 is a score like any other: times the edges hides nothing.": (
            _on_edges(lambda scores, A: softmax(scores * A))
        ),
        "Times a large negative number a score below 0 becomes the highest: put −infinity there.": (
            _on_edges(lambda scores, A: softmax(np.where(A, scores, -1e6 * scores)))
        ),
        "Adding booleans adds 1 to the scores of neighbours and hides nothing.": (
            _on_edges(lambda scores, A: softmax(scores + A))
        ),
        "Real scores can be lower than −10: only minus infinity loses to all of them.": (
            _on_edges(lambda scores, A: _or_zero(softmax(_hidden(scores, A, -10)), A))
        ),
        "A node without neighbours gets zeros, not NaN.": (
            _on_edges(lambda scores, A: _plain(_hidden(scores, A)))
        ),
        "A node without neighbours gets zeros; one low number for all gives equal weights.": (
            _on_edges(lambda scores, A: _plain(_hidden(scores, A, -1e9)))
        ),
        "A node without neighbours gets zeros: it does not keep its own value.": (
            _on_edges(_own_if_alone)
        ),
        "The neighbours do not count alike: their scores decide.": (
            _on_edges(lambda scores, A: A / np.maximum(A.sum(-1, keepdims=True), 1) + 0 * scores)
        ),
        "Divide the scores by the square root of d_k.": (
            _on_edges(masked_softmax, lambda X, K: 1.0)
        ),
        "Divide by the square root of d_k, the length of a key, not of d.": (
            _on_edges(masked_softmax, lambda X, K: np.sqrt(X.shape[-1]))
        ),
        "Divide by the square root of d_k, not by d_k.": (
            _on_edges(masked_softmax, lambda X, K: K.shape[-1])
        ),
        "The weights of a node sum to 1: take the softmax over those it looks at.": (
            _on_edges(lambda scores, A: np.where(A, softmax(scores, -2), 0))
        ),
        "exp of a large score overflows; shifting a node's scores alike changes no weight.": (
            _on_edges(
                lambda scores, A: _or_zero(
                    np.exp(_hidden(scores, A)) / np.exp(_hidden(scores, A)).sum(-1, keepdims=True),
                    A,
                )
            )
        ),
        "Far below the others a node's weights underflow to 0/0: give each its own maximum.": (
            _on_edges(_one_shift)
        ),
        "The values are projected too.": lambda X, A, Wq, Wk, Wv: _on_edges(masked_softmax)(
            X, A, Wq, Wk, np.eye(X.shape[-1])
        ),
        "Queries and keys have a matrix each; you used one for both.": (
            lambda X, A, Wq, Wk, Wv: reference.graph_attention(X, A, Wq, Wq, Wv)
        ),
        "Queries come from the first matrix, keys from the second; you swapped them.": (
            lambda X, A, Wq, Wk, Wv: reference.graph_attention(X, A, Wk, Wq, Wv)
        ),
        "Transpose the last two axes of the keys only; axes before them are a batch.": (
            _all_axes_turned
        ),
        "Return the output first, then the weights.": (
            lambda X, A, Wq, Wk, Wv: reference.graph_attention(X, A, Wq, Wk, Wv)[::-1]
        ),
        "Return the weights that made the output, not the scores.": (
            lambda X, A, Wq, Wk, Wv: (
                reference.graph_attention(X, A, Wq, Wk, Wv)[0],
                (X @ Wq) @ np.swapaxes(X @ Wk, -1, -2) / np.sqrt(Wk.shape[-1]),
            )
        ),
    },
    properties={
        "Where there is no edge there is no weight.": _along_edges,
        "The weights of a node sum to 1, or are all 0 if it has no neighbours.": _sum_to_1_or_0,
    },
    returns=_PARTS,
    atol=FLOAT32,
)

# ---- blockwise_attention


def _with_its_memory(blockwise_attention, Q, K, V, block):
    """Return the output, and whether there was room for all scores of long sequences at once."""
    import tracemalloc

    tracemalloc.start()
    try:
        output = blockwise_attention(Q, K, V, block)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    scores = Q.shape[-2] * K.shape[-2]
    return output, scores > 100_000 and most > 2 * scores  # two bytes for each score


def _blocks(
    rng: np.random.Generator, block: int, *leading: int, n: int = 4, m: int = 11, d_k: int = 6
) -> dict:
    return {
        "Q": rng.normal(size=(*leading, n, d_k)),
        "K": rng.normal(size=(*leading, m, d_k)),
        "V": rng.normal(size=(*leading, m, 7)),
        "block": block,
    }


def _exact_scores(rng: np.random.Generator, shifts: np.ndarray | float, block: int = 3) -> dict:
    """Scores that float32 holds exactly, moved by shifts that broadcast to (n, m) of (4, 11).

    With d_k = 16 the scores are a quarter of whole numbers.
    """
    inputs = _blocks(rng, block, 2, d_k=16)
    Q = rng.integers(-2, 3, size=inputs["Q"].shape).astype(float)
    K = rng.integers(-2, 3, size=inputs["K"].shape).astype(float)
    shifts = np.broadcast_to(shifts, (4, 11))
    # One feature moves the scores of a query, another one those of a key.
    Q[..., 0], K[..., 0] = 4 * shifts[:, 0], 1
    Q[..., 1], K[..., 1] = 1, 4 * (shifts[0] - shifts[0, 0])
    return inputs | {"Q": Q, "K": K}


def _rising(rng: np.random.Generator) -> dict:
    """Every block has higher scores than the one before."""
    return _exact_scores(rng, 100 * (np.arange(11) // 3))


def _falling(rng: np.random.Generator) -> dict:
    return _exact_scores(rng, 900 - 300 * (np.arange(11) // 3))


def _long(rng: np.random.Generator) -> dict:
    return _blocks(rng, 16, n=200, m=1000, d_k=3)


def _scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])


def _all_at_once(Q: np.ndarray, K: np.ndarray, V: np.ndarray, block: int) -> np.ndarray:
    return softmax(_scores(Q, K)) @ V


def _shrink(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.exp(old - new)


def _unchanged(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.ones_like(new)


def _streamed(
    *,
    start: float = -np.inf,
    follow: Callable = lambda old, scores: np.maximum(old, scores.max(-1, keepdims=True)),
    total_by: Callable = _shrink,
    blend_by: Callable = _shrink,
    score: Callable = lambda Q, K, block: _scores(Q, K),
    end: Callable = lambda m, block: m,
    always: Callable = lambda blend, total: blend,
    finish: Callable = lambda blend, total: blend / total,
) -> Callable:
    """The reference, but for what is given."""

    def wrong(Q, K, V, block):
        highest = np.full((*Q.shape[:-1], 1), start, np.float64)
        total, blend = np.zeros_like(highest), np.zeros((*Q.shape[:-1], V.shape[-1]))
        for first in range(0, end(K.shape[-2], block), block):
            part = slice(first, first + block)
            scores = score(Q, K[..., part, :], block)
            new = follow(highest, scores)
            powers = np.exp(scores - new)
            total = total_by(highest, new) * total + powers.sum(-1, keepdims=True)
            blend = blend_by(highest, new) * blend + powers @ V[..., part, :]
            blend, highest = always(blend, total), new
        return finish(blend, total)

    return wrong


def _own_maximum(old: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return scores.max(-1, keepdims=True)


def _of_each_block(together: Callable) -> Callable:
    """A softmax in each block by itself; `together` joins their outputs, given their sizes."""

    def wrong(Q, K, V, block):
        parts = [slice(first, first + block) for first in range(0, K.shape[-2], block)]
        outputs = [_all_at_once(Q, K[..., part, :], V[..., part, :], block) for part in parts]
        return together(np.array(outputs), np.array([V[..., p, :].shape[-2] for p in parts]))

    return wrong


def _filled_up(Q: np.ndarray, K: np.ndarray, V: np.ndarray, block: int) -> np.ndarray:
    """Zeros make the last block as long as the others."""
    missing = -K.shape[-2] % block
    longer = [(0, 0)] * (K.ndim - 2) + [(0, missing), (0, 0)]
    return reference.blockwise_attention(Q, np.pad(K, longer), np.pad(V, longer), block)


def _moved_back(Q: np.ndarray, K: np.ndarray, V: np.ndarray, block: int) -> np.ndarray:
    m = K.shape[-2]
    starts = [max(min(start, m - block), 0) for start in range(0, m, block)]
    keys = np.concatenate([np.arange(start, min(start + block, m)) for start in starts])
    return reference.blockwise_attention(Q, K[..., keys, :], V[..., keys, :], block)


blockwise_attention = Check(
    reference=reference.blockwise_attention,
    probe=_with_its_memory,
    from_scratch=READY_MADE,
    cases={
        "blocks of 3 of 11 keys": lambda rng: _blocks(rng, 3),
        "blocks of a single key": lambda rng: _blocks(rng, 1, 2),
        "blocks that divide the keys": lambda rng: _blocks(rng, 4, 2, m=12),
        "one block of all keys": lambda rng: _blocks(rng, 11),
        "a block longer than the keys": lambda rng: _blocks(rng, 20, 2),
        "two leading axes": lambda rng: _blocks(rng, 4, 2, 3),
        "a single query": lambda rng: _blocks(rng, 3, 2, n=1),
        "a single key": lambda rng: _blocks(rng, 3, m=1),
        "blocks with ever higher scores": _rising,
        "blocks with ever lower scores": _falling,
        "scores near 1000": lambda rng: _exact_scores(rng, 1000),
        "scores near −1000": lambda rng: _exact_scores(rng, -1000),
        "scores near −100 000": lambda rng: _exact_scores(rng, -100_000),
        "queries with scores far apart": (
            lambda rng: _exact_scores(rng, np.array([[1000], [-1000], [0], [500]]))
        ),
        "1000 keys in blocks of 16": _long,
        "whole numbers": lambda rng: {
            name: value if name == "block" else rng.integers(-2, 3, size=value.shape)
            for name, value in _blocks(rng, 3, 2).items()
        },
        "float32 numbers": lambda rng: _float32(_blocks(rng, 3, 2)),
        "stored column by column": lambda rng: _column_by_column(_blocks(rng, 3, 2)),
    },
    mistakes={
        "What you keep grows with the number of keys: keep one block of scores at a time.": (
            _all_at_once
        ),
        "When the highest score rises, the old sums are too large: shrink both of them.": (
            _streamed(total_by=_unchanged, blend_by=_unchanged)
        ),
        "The blended values must shrink with the new highest score, as the total does.": (
            _streamed(blend_by=_unchanged)
        ),
        "The total must shrink with the new highest score, as the blended values do.": (
            _streamed(total_by=_unchanged)
        ),
        "Old sums shrink when the highest score rises; yours grow.": _streamed(
            total_by=lambda old, new: np.where(np.isinf(old), 0, np.exp(new - old)),
            blend_by=lambda old, new: np.where(np.isinf(old), 0, np.exp(new - old)),
        ),
        "The highest score so far never falls: after a block of low scores old sums overflow.": (
            _streamed(follow=_own_maximum)
        ),
        "Powers with different maxima cannot be added: you gave each block its own.": _streamed(
            follow=_own_maximum, total_by=_unchanged, blend_by=_unchanged
        ),
        "A block with low scores counts for less: do not average the outputs of the blocks.": (
            _of_each_block(lambda outputs, sizes: outputs.mean(0))
        ),
        "How much a block counts depends on its scores, not on how many keys it has.": (
            _of_each_block(lambda outputs, sizes: np.average(outputs, axis=0, weights=sizes))
        ),
        "All weights of a query together sum to 1, not those of each block.": (
            _of_each_block(lambda outputs, sizes: outputs.sum(0))
        ),
        "Add to what the blocks before gave; you kept the last one only.": (
            _of_each_block(lambda outputs, sizes: outputs[-1])
        ),
        "The last block may be shorter than the others; you left it out.": (
            _streamed(end=lambda m, block: m - m % block)
        ),
        "Zeros that fill up the last block are keys like others: they take weight.": _filled_up,
        "A last block that begins earlier, to be as long as the others, counts keys twice.": (
            _moved_back
        ),
        "exp of a large score overflows: subtract the highest score so far.": (
            _streamed(start=0.0, follow=lambda old, scores: old)
        ),
        "All scores may be negative: the highest so far begins at minus infinity, not at 0.": (
            _streamed(start=0.0)
        ),
        "Scores can be lower than any number you begin with: begin at minus infinity.": (
            _streamed(start=-1e4)
        ),
        "Each query has a highest score of its own; you took one for all.": _streamed(
            follow=lambda old, scores: np.maximum(old, scores.max())
        ),
        "Divide the blended values by the total of the powers.": (
            _streamed(finish=lambda blend, total: blend)
        ),
        "Divide once, at the end: divided values cannot be added to the next block's.": _streamed(
            always=lambda blend, total: blend / total, finish=lambda blend, total: blend
        ),
        "Divide the scores by the square root of d_k.": (
            _streamed(score=lambda Q, K, block: Q @ np.swapaxes(K, -1, -2))
        ),
        "Divide by the square root of d_k, whatever the size of a block.": _streamed(
            score=lambda Q, K, block: Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-2])
        ),
        "Divide by the square root of d_k, not by d_k.": (
            _streamed(score=lambda Q, K, block: Q @ np.swapaxes(K, -1, -2) / K.shape[-1])
        ),
        "Transpose the last two axes of the keys only; axes before them are a batch.": (
            _streamed(score=lambda Q, K, block: Q @ np.transpose(K) / np.sqrt(K.shape[-1]))
        ),
    },
    returns=("output", "use of memory"),
    atol=FLOAT32,
)

# ---- layer_cost


def _sizes(
    rng: np.random.Generator, n: tuple[int, int], d: tuple[int, int], dff: tuple[int, int]
) -> dict:
    """Each drawn between two ends."""
    sizes = {"n": n, "d": d, "dff": dff}
    return {name: int(rng.integers(*ends, endpoint=True)) for name, ends in sizes.items()}


def _cost(
    projections: Callable = lambda n, d, dff: 4 * n * d**2,
    attention: Callable = lambda n, d, dff: 2 * n**2 * d,
    ffn: Callable = lambda n, d, dff: 2 * n * d * dff,
) -> Callable:
    return lambda n, d, dff: {
        "projections": projections(n, d, dff),
        "attention": attention(n, d, dff),
        "ffn": ffn(n, d, dff),
    }


def _each(change: Callable) -> Callable:
    """All three numbers changed alike, given the sizes."""

    def wrong(n, d, dff):
        costs = reference.layer_cost(n, d, dff)
        return {name: change(cost, n, costs) for name, cost in costs.items()}

    return wrong


layer_cost = Check(
    reference=reference.layer_cost,
    cases={
        "the base model": lambda rng: _sizes(rng, (20, 90), (512, 512), (2048, 2048)),
        "a long text": lambda rng: _sizes(rng, (20_000, 90_000), (700, 800), (900, 1500)),
        "a single token": lambda rng: _sizes(rng, (1, 1), (7, 30), (40, 70)),
        "small numbers": lambda rng: _sizes(rng, (3, 5), (6, 8), (9, 13)),
        "a narrow middle": lambda rng: _sizes(rng, (40, 50), (20, 30), (5, 9)),
    },
    mistakes={
        "Attention has two products: queries with keys, and weights with values.": (
            _cost(attention=lambda n, d, dff: n**2 * d)
        ),
        "A score takes d products over all heads, not one.": (
            _cost(attention=lambda n, d, dff: 2 * n**2)
        ),
        "Eight heads of d/8 features cost what one of d does: do not count heads again.": (
            _cost(attention=lambda n, d, dff: 16 * n**2 * d)
        ),
        "Each head projects into its own d/h features: do not count heads again.": (
            _cost(projections=lambda n, d, dff: 32 * n * d**2)
        ),
        "Each of n queries meets each of n keys.": (
            _cost(attention=lambda n, d, dff: 2 * n * d**2)
        ),
        "The output is projected too: there are four matrices, not three.": (
            _cost(projections=lambda n, d, dff: 3 * n * d**2)
        ),
        "Queries, keys, values and output have a matrix each; you counted one.": (
            _cost(projections=lambda n, d, dff: n * d**2)
        ),
        "The feed-forward network has two matrices: into the middle and back.": (
            _cost(ffn=lambda n, d, dff: n * d * dff)
        ),
        "The middle of the feed-forward network is d_ff wide, which need not be 4 d.": (
            _cost(ffn=lambda n, d, dff: 8 * n * d**2)
        ),
        "Both matrices of the feed-forward network lie between d and d_ff.": (
            _cost(ffn=lambda n, d, dff: 2 * n * dff**2)
        ),
        "Every token passes through the matrices: these are the numbers they hold.": _cost(
            projections=lambda n, d, dff: 4 * d**2, ffn=lambda n, d, dff: 2 * d * dff
        ),
        "Count for the whole sequence, not for one token.": (
            _each(lambda cost, n, costs: cost // n)
        ),
        "Count multiplications; you counted the additions as well.": (
            _each(lambda cost, n, costs: 2 * cost)
        ),
        "Return how many there are, not shares of the whole.": (
            _each(lambda cost, n, costs: cost / sum(costs.values()))
        ),
        "The products are counted: return whole numbers (int).": (
            _each(lambda cost, n, costs: float(cost))
        ),
    },
)

# ---- crossover


def _widths(rng: np.random.Generator, d: tuple[int, int], dff: tuple[int, int]) -> dict:
    return {name: int(rng.integers(*ends)) for name, ends in {"d": d, "dff": dff}.items()}


def _square(rng: np.random.Generator) -> dict:
    width = int(rng.integers(20, 90))
    return {"d": width, "dff": width}


crossover = Check(
    reference=reference.crossover,
    cases={
        "the base model": lambda rng: {"d": 512, "dff": 2048},
        "other widths": lambda rng: _widths(rng, (300, 900), (1000, 5000)),
        "a narrow middle": lambda rng: _widths(rng, (50, 99), (20, 45)),
        "small widths": lambda rng: _widths(rng, (2, 9), (11, 30)),
        "a middle as wide as the rest": _square,
    },
    mistakes={
        "Compare attention with all the rest, not with the projections alone.": (
            lambda d, dff: 2 * d
        ),
        "Compare attention with all the rest, not with the feed-forward network alone.": (
            lambda d, dff: dff
        ),
        "There are four projections; you counted two.": lambda d, dff: d + dff,
        "Attention has two products: queries with keys, and weights with values.": (
            lambda d, dff: 4 * d + 2 * dff
        ),
        "The feed-forward network has two matrices: into the middle and back.": (
            lambda d, dff: 2 * d + dff // 2
        ),
        "d_ff need not be 4 d.": lambda d, dff: 6 * d,
        "That n² d and n d² are equal at n = d leaves out how often each comes.": (
            lambda d, dff: d
        ),
        "Three projections make the values; the fourth makes the output.": (
            lambda d, dff: (3 * d + 2 * dff) // 2
        ),
        "At this number both cost the same; you went one too far.": lambda d, dff: 2 * d + dff + 1,
        "Tokens are counted: return a whole number (int).": lambda d, dff: float(2 * d + dff),
    },
)
