"""The references of chapter transformer, and right answers of another kind to its checks."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograde.check import PRACTICE
from autograde.checks import transformer as checks
from autograde.reference.layer_norm import layer_norm
from autograde.reference.masking import causal_mask, leaks, padding_mask
from autograde.reference.multi_head import multi_head
from autograde.reference.transformer import cached_step, decoder_layer, greedy_decode, seq_loss

EXACT = {"rtol": 1e-12, "atol": 1e-12}
SEEDS = [PRACTICE, "one release", "another release"]

# The same inputs in every run, and nothing written beside the tests.
drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


# ---- decoder_layer


def torch_layer(norm_first: bool, d: int = 12, h: int = 3) -> torch.nn.TransformerDecoderLayer:
    torch.manual_seed(0)
    layer = torch.nn.TransformerDecoderLayer(
        d, h, 10, 0.0, batch_first=True, norm_first=norm_first, dtype=torch.float64
    ).eval()
    for parameter in layer.parameters():  # torch starts some at 0 or 1
        torch.nn.init.normal_(parameter, std=0.5)
    return layer


def parameters_of(layer: torch.nn.TransformerDecoderLayer) -> dict[str, np.ndarray]:
    P = {
        "W1": layer.linear1.weight.T,
        "b1": layer.linear1.bias,
        "W2": layer.linear2.weight.T,
        "b2": layer.linear2.bias,
    }
    for of, attention in (("", layer.self_attn), ("_mem", layer.multihead_attn)):
        P |= {
            f"W{of}": attention.in_proj_weight,
            f"b{of}": attention.in_proj_bias,
            f"Wo{of}": attention.out_proj.weight,
            f"bo{of}": attention.out_proj.bias,
        }
    for i, norm in enumerate((layer.norm1, layer.norm2, layer.norm3), start=1):
        P |= {f"gamma{i}": norm.weight, f"beta{i}": norm.bias}
    return {name: parameter.detach().numpy() for name, parameter in P.items()}


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("h", [1, 3])
def test_decoder_layer_is_that_of_torch(rng, norm_first, h):
    layer = torch_layer(norm_first, h=h)
    y, memory = rng.normal(size=(2, 4, 12)), rng.normal(size=(2, 5, 12))
    output = decoder_layer(y, memory, parameters_of(layer), h, None, None, norm_first)
    expected = layer(torch.from_numpy(y), torch.from_numpy(memory))
    np.testing.assert_allclose(output, expected.detach(), **EXACT)


@pytest.mark.parametrize("norm_first", [False, True])
def test_decoder_layer_with_both_masks_is_that_of_torch(rng, norm_first):
    layer = torch_layer(norm_first)
    y, memory = rng.normal(size=(2, 4, 12)), rng.normal(size=(2, 5, 12))
    ids = np.array([[3, 4, 5, 0, 0], [3, 4, 5, 6, 0]])
    expected = layer(
        torch.from_numpy(y),
        torch.from_numpy(memory),
        tgt_mask=torch.from_numpy(~causal_mask(4)),
        memory_key_padding_mask=torch.from_numpy(ids == 0),
    )
    masks = causal_mask(4), padding_mask(ids, 0)
    output = decoder_layer(y, memory, parameters_of(layer), 3, *masks, norm_first)
    np.testing.assert_allclose(output, expected.detach(), **EXACT)


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_decoder_layer_leaks_nothing_of_the_future_and_all_of_the_source(norm_first, rng):
    P = parameters_of(torch_layer(norm_first))
    y, memory, to_target = rng.normal(size=(4, 12)), rng.normal(size=(5, 12)), rng.normal(size=12)

    def of_target(x):
        target = y + np.outer(x, to_target)
        return decoder_layer(target, memory, P, 3, causal_mask(4), None, norm_first)

    np.testing.assert_array_equal(leaks(of_target, 4), causal_mask(4))
    for j in range(5):
        changed = memory.copy()
        changed[j] += 1
        moved = decoder_layer(y, changed, P, 3, causal_mask(4), None, norm_first)
        still = decoder_layer(y, memory, P, 3, causal_mask(4), None, norm_first)
        assert (np.abs(moved - still).max(axis=1) > 1e-6).all()


@drawn
@given(st.permutations(range(5)), st.booleans())
def test_the_order_of_the_memory_says_nothing_to_a_decoder_layer(order, norm_first):
    P, rng = parameters_of(torch_layer(norm_first)), np.random.default_rng(1)
    y, memory = rng.normal(size=(4, 12)), rng.normal(size=(5, 12))
    look = rng.random((4, 5)) < 0.5
    output = decoder_layer(y, memory, P, 3, causal_mask(4), look, norm_first)
    moved = decoder_layer(y, memory[order], P, 3, causal_mask(4), look[:, order], norm_first)
    np.testing.assert_allclose(moved, output, **EXACT)


def test_a_decoder_layer_whose_sublayers_give_nothing_leaves_the_skips(rng):
    P, y = parameters_of(torch_layer(True)), rng.normal(size=(4, 12))
    memory = rng.normal(size=(5, 12))
    names = ("Wo", "bo", "Wo_mem", "bo_mem", "W2", "b2")
    nothing = P | {name: 0 * P[name] for name in names}
    output = decoder_layer(y, memory, nothing, 3, None, None, norm_first=True)
    np.testing.assert_array_equal(output, y)
    output = decoder_layer(y, memory, nothing, 3, None, None)
    for i in "123":
        y = layer_norm(y, P[f"gamma{i}"], P[f"beta{i}"])
    np.testing.assert_allclose(output, y, **EXACT)


@pytest.mark.parametrize("norm_first", [False, True])
def test_an_empty_source_adds_its_bias_and_nothing_else(rng, norm_first):
    P = parameters_of(torch_layer(norm_first))
    y, memory = rng.normal(size=(4, 12)), rng.normal(size=(5, 12))
    output = decoder_layer(y, memory, P, 3, None, np.zeros((4, 5), bool), norm_first)
    constant = P | {"Wo_mem": 0 * P["Wo_mem"]}
    expected = decoder_layer(y, memory, constant, 3, None, None, norm_first)
    np.testing.assert_allclose(output, expected, **EXACT)


# ---- seq_loss


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4, 1.0])
@pytest.mark.parametrize("size", [1, 300])
def test_seq_loss_is_that_of_torch(rng, smoothing, size):
    logits, targets = size * rng.normal(size=(3, 5, 11)), rng.integers(0, 11, size=(3, 5))
    targets[0, 3:] = targets[1] = 7
    expected = F.cross_entropy(
        torch.from_numpy(logits).flatten(0, 1),
        torch.from_numpy(targets).flatten(),
        ignore_index=7,
        label_smoothing=smoothing,
    )
    np.testing.assert_allclose(seq_loss(logits, targets, 7, smoothing), expected, **EXACT)


def test_seq_loss_worked_out_by_hand():
    # Probabilities of 1/4 and 3/4; the padding's place says 0 and does not count.
    logits = np.array([[0, np.log(3)], [0, np.log(3)], [-9, 0]])
    np.testing.assert_allclose(seq_loss(logits, np.array([0, 0, 1]), 1), np.log(4), **EXACT)
    # Whoever is sure of what is wrong loses what it was sure by.
    np.testing.assert_allclose(seq_loss(np.array([[0, 1000]]), np.array([0]), 1), 1000, **EXACT)


@drawn
@given(
    arrays(np.float64, (4, 6), elements=st.floats(-500, 500)),
    st.lists(st.integers(0, 4), min_size=4, max_size=4),
    st.floats(-100, 100),
    st.floats(0, 1),
)
def test_seq_loss_sees_no_shift_and_is_never_negative(logits, targets, shift, smoothing):
    targets = np.array(targets)
    loss = seq_loss(logits, targets, 5, smoothing)
    assert loss >= 0
    shifted = seq_loss(logits + shift, targets, 5, smoothing)
    np.testing.assert_allclose(shifted, loss, rtol=1e-9, atol=1e-9)
    # What follows as padding changes nothing.
    longer = np.concatenate([logits, logits[:2] + 3])
    padded = seq_loss(longer, np.append(targets, [5, 5]), 5, smoothing)
    np.testing.assert_allclose(padded, loss, **EXACT)


# ---- greedy_decode


def by_heart(*texts: list[int]):
    """A decoder that says these words, whatever it reads, and a note of what it has read."""
    read = []

    def step(prefix):
        read.append(prefix.copy())
        return np.eye(9)[[text[prefix.shape[1] - 1] for text in texts]]

    return step, read


def test_greedy_decode_worked_out_by_hand():
    step, read = by_heart([5, 2, 4, 4], [6, 7, 2, 4])
    ids, done = greedy_decode(step, 2, 1, 2, 0, 9)
    np.testing.assert_array_equal(ids, [[1, 5, 2, 0], [1, 6, 7, 2]])
    np.testing.assert_array_equal(done, [True, True])
    for t, prefix in enumerate(read, start=1):
        np.testing.assert_array_equal(prefix, ids[:, :t])
    assert len(read) == 3


@pytest.mark.parametrize(
    ("max_len", "ended"), [(0, [False, False]), (2, [True, False]), (3, [True, True])]
)
def test_greedy_decode_stops_at_the_limit_and_says_who_was_cut_off(max_len, ended):
    ids, done = greedy_decode(by_heart([5, 2, 4, 4], [6, 7, 2, 4])[0], 2, 1, 2, 0, max_len)
    assert ids.shape == (2, 1 + max_len)
    np.testing.assert_array_equal(done, ended)


@drawn
@given(st.lists(st.lists(st.integers(2, 8), min_size=6, max_size=6), min_size=1, max_size=4))
def test_a_batch_is_written_as_its_sentences_one_by_one(texts):
    ids, done = greedy_decode(by_heart(*texts)[0], len(texts), 1, 2, 0, 6)
    for b, text in enumerate(texts):
        alone, alone_done = greedy_decode(by_heart(text)[0], 1, 1, 2, 0, 6)
        width = alone.shape[1]
        np.testing.assert_array_equal(ids[b, :width], alone[0])
        assert (ids[b, width:] == 0).all()
        assert done[b] == alone_done[0]


# ---- cached_step


def token_by_token(x, P, h):
    """The outputs of cached_step for (..., n, d), one after the other."""
    cache = np.zeros((2, *x.shape[:-2], h, 0, x.shape[-1] // h))
    outputs = []
    for t in range(x.shape[-2]):
        output, cache = cached_step(x[..., t, :], cache, P, h)
        assert cache.shape[-2] == t + 1
        outputs.append(output)
    return np.stack(outputs, axis=-2)


@pytest.mark.parametrize("leading", [(), (2,), (2, 5)])
@pytest.mark.parametrize("h", [1, 3])
def test_cached_steps_are_causal_attention_over_all_tokens_at_once(rng, leading, h):
    P, x = checks._kept(rng)["P"], rng.normal(size=(*leading, 7, 12))
    placed = x + P["pe"][:7]
    expected, _ = multi_head(placed, placed, P, h, causal_mask(7))
    np.testing.assert_allclose(token_by_token(x, P, h), expected, **EXACT)


def test_cached_step_worked_out_by_hand():
    # Query and key are 0, so all weights are equal; the value is the token with its place.
    P = {"pe": np.array([[10], [20]]), "W": np.array([[0], [0], [1]]), "b": np.zeros(3)}
    outputs = token_by_token(np.array([[3], [5]]), P | {"Wo": np.ones((1, 1)), "bo": [1]}, 1)
    np.testing.assert_allclose(outputs[:, 0], [13 + 1, (13 + 25) / 2 + 1], **EXACT)


def test_cached_step_keeps_what_it_was_given(rng):
    inputs = checks._kept(rng, 2)
    before = inputs["cache"].copy()
    _, cache = cached_step(*inputs.values())
    np.testing.assert_array_equal(cache[..., :4, :], before)
    np.testing.assert_array_equal(inputs["cache"], before)


# ---- arguments that disagree

a = np.ones


def decoder_inputs(d: int = 12, m: int = 12, h: int = 3):
    return a((4, d)), a((5, m)), parameters_of(torch_layer(True)), h, None, None


@pytest.mark.parametrize(
    ("call", "one", "other"),
    [
        (lambda: decoder_layer(*decoder_inputs(d=10)), 10, 12),
        (lambda: decoder_layer(*decoder_inputs(m=10)), 12, 10),
        (lambda: decoder_layer(*decoder_inputs(h=5)), 12, 5),
        (lambda: seq_loss(a((3, 5, 11)), a((3, 4), int), 0), 5, 4),
        (lambda: seq_loss(a((2, 5)), a(2, int), 0, 1.5), "smoothing", 1.5),
        (lambda: seq_loss(a((2, 5)), a(2, int), 1), "padding", 1),
        (lambda: greedy_decode(by_heart([2])[0], 0, 1, 2, 0, 3), "B", 0),
        (lambda: greedy_decode(by_heart([2])[0], 1, 1, 2, 0, -1), "max_len", -1),
        (lambda: cached_step(*checks._kept(np.random.default_rng(0), t=9).values()), 9, 9),
        (lambda: cached_step(*(checks._kept(np.random.default_rng(0)) | {"h": 5}).values()), 12, 5),
    ],
)
def test_arguments_that_disagree_are_named(call, one, other):
    with pytest.raises(ValueError, match=f"{one}.*{other}"):
        call()


# ---- right answers of another kind pass


def decoder_by_torch(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    """In float32, and with the masks added to the scores."""
    y, memory = torch.from_numpy(y).float(), torch.from_numpy(memory).float()
    P = {name: torch.from_numpy(array).float() for name, array in P.items()}

    def attend(asks, answers, of, mask):
        W, b = P["W" + of].chunk(3), P["b" + of].chunk(3)
        Q, K, V = (
            F.linear(x, W[i], b[i]).unflatten(-1, (h, -1)).transpose(-2, -3)
            for i, x in enumerate((asks, answers, answers))
        )
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores + torch.where(torch.from_numpy(mask), 0.0, -torch.inf)
        weights = torch.softmax(scores, -1).nan_to_num(0.0)
        merged = (weights @ V).transpose(-2, -3).flatten(-2)
        return F.linear(merged, P["Wo" + of], P["bo" + of])

    def norm(x, i):
        return F.layer_norm(x, x.shape[-1:], P[f"gamma{i}"], P[f"beta{i}"])

    def feed(x):
        return F.relu(x @ P["W1"] + P["b1"]) @ P["W2"] + P["b2"]

    if norm_first:
        z = norm(y, 1)
        y = y + attend(z, z, "", self_mask)
        y = y + attend(norm(y, 2), memory, "_mem", mem_mask)
        return y + feed(norm(y, 3))
    y = norm(y + attend(y, y, "", self_mask), 1)
    y = norm(y + attend(y, memory, "_mem", mem_mask), 2)
    return norm(y + feed(y), 3)


def loss_by_torch(logits, targets, pad, smoothing=0.0):
    rows = torch.from_numpy(logits).double().reshape(-1, logits.shape[-1])
    wanted = torch.from_numpy(targets).reshape(-1)
    return F.cross_entropy(rows, wanted, ignore_index=pad, label_smoothing=smoothing)


def loss_token_by_token(logits, targets, pad, smoothing=0.0):
    losses = []
    for row, target in zip(logits.reshape(-1, logits.shape[-1]), targets.ravel(), strict=True):
        if target != pad:
            row = row.astype(float)
            log_p = row - np.logaddexp.reduce(row)
            share = np.full(len(row), smoothing / len(row))
            share[target] += 1 - smoothing
            losses.append(-share @ log_p)
    return np.float32(np.mean(losses))


def writing_into_a_page(step, B, sos, eos, pad, max_len):
    """Room for all words from the start, cut in the end; done is found there."""
    page = np.full((B, 1 + max_len), pad)
    page[:, 0] = sos
    t = 1
    while t <= max_len and not (page == eos).any(axis=1).all():
        going_on = ~(page == eos).any(axis=1)
        page[going_on, t] = step(page[:, :t])[going_on].argmax(axis=1)
        t += 1
    return page[:, :t], (page == eos).any(axis=1)


def writing_with_torch(step, B, sos, eos, pad, max_len):
    ids = torch.full((B, 1), sos)
    done = torch.zeros(B, dtype=torch.bool)
    for _ in range(max_len):
        best = torch.from_numpy(step(ids)).argmax(-1)
        ids = torch.cat([ids, best.masked_fill(done, pad)[:, None]], dim=1)
        done |= best == eos
        if done.all():
            break
    return ids, done


def writing_on_and_cleaning_up(step, B, sos, eos, pad, max_len):
    """What the model writes after <EOS> is read by its own sentence only, and replaced."""
    ids, done = np.full((B, 1), sos), np.zeros(B, bool)
    while ids.shape[1] <= max_len and not done.all():
        ids = np.c_[ids, step(ids).argmax(1)]
        done |= ids[:, -1] == eos
    return np.where(np.cumsum(ids == eos, 1) - (ids == eos) > 0, pad, ids), done


def step_in_float32(x_t, cache, P, h):
    x_t, cache = x_t.astype(np.float32), cache.astype(np.float32)
    P = {name: array.astype(np.float32) for name, array in P.items()}
    q, k, v = np.split((x_t + P["pe"][cache.shape[-2]]) @ P["W"].T + P["b"], 3, axis=-1)
    q, k, v = (part.reshape(*part.shape[:-1], h, -1) for part in (q, k, v))
    K = np.concatenate([cache[0], k[..., None, :]], axis=-2)
    V = np.concatenate([cache[1], v[..., None, :]], axis=-2)
    scores = np.einsum("...hd,...htd->...ht", q, K) / np.float32(np.sqrt(q.shape[-1]))
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    seen = np.einsum("...ht,...htd->...hd", weights, V).reshape(x_t.shape)
    return seen @ P["Wo"].T + P["bo"], [K, V]


def step_by_torch(x_t, cache, P, h):
    x_t, cache = torch.from_numpy(x_t), torch.from_numpy(cache)
    P = {name: torch.from_numpy(array) for name, array in P.items()}
    x = x_t + P["pe"][cache.shape[-2]]
    q, k, v = F.linear(x, P["W"], P["b"]).unflatten(-1, (3, h, 1, -1)).movedim(-4, 0)
    cache = torch.cat([cache, torch.stack([k, v])], dim=-2)
    seen = F.scaled_dot_product_attention(q, *cache)
    return F.linear(seen.flatten(-3), P["Wo"], P["bo"]), cache


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("check", "function"),
    [
        (checks.decoder_layer, decoder_by_torch),
        (checks.seq_loss, loss_by_torch),
        (checks.seq_loss, loss_token_by_token),
        (checks.greedy_decode, writing_into_a_page),
        (checks.greedy_decode, writing_with_torch),
        (checks.greedy_decode, writing_on_and_cleaning_up),
        (checks.cached_step, step_by_torch),
    ],
)
def test_a_right_answer_of_another_kind_passes(check, function, seed):
    verdict = check.verdict(function, seed)
    assert verdict.fraction == 1, verdict.text()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_in_float32_passes_when_its_cache_is_one_array(seed):
    def cached(x_t, cache, P, h):
        output, parts = step_in_float32(x_t, cache, P, h)
        return output, np.stack(parts)

    assert checks.cached_step.verdict(cached, seed).fraction == 1


# ---- words that are drawn, and what else has no mistake of its own


@pytest.mark.parametrize("seed", SEEDS)
def test_drawing_words_is_told_from_taking_the_most_probable(seed):
    def drawing(step, B, sos, eos, pad, max_len):
        rng = np.random.default_rng(0)
        ids, done = np.full((B, 1), sos), np.zeros(B, bool)
        for _ in range(max_len):
            if done.all():
                break
            logits = step(ids)
            powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
            words = [rng.choice(len(row), p=row / row.sum()) for row in powers]
            ids = np.c_[ids, np.where(done, pad, words)]
            done |= ids[:, -1] == eos
        return ids, done

    assert "do not draw" in checks.greedy_decode.verdict(drawing, seed).hint


def test_a_loop_without_an_end_is_told_how_often_it_called():
    def endless(step, B, sos, eos, pad, max_len):
        ids = np.full((B, 1), sos)
        while not (ids == eos).any(axis=1).all():
            ids = np.c_[ids, step(ids).argmax(1)]
        return ids, np.ones(B, bool)

    faults = checks.greedy_decode.verdict(endless).faults
    assert "step was called 15 times, for 5 words" in faults["no sentence ends"]


@pytest.mark.parametrize("answer", [None, 3, [1, 2, 3]])
def test_what_is_not_two_things_is_named(answer):
    hint = checks.greedy_decode.verdict(lambda *given: answer).hint
    assert "return ids and done" in hint
