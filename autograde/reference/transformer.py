"""Chapter `transformer`: the decoder layer, its loss, and writing one token at a time.

Sources: Vaswani et al. (2017), Attention Is All You Need, sections 3.1 (the decoder layer), 3.2.3
(where queries, keys and values come from) and 5.4 (label smoothing); Szegedy et al. (2016),
Rethinking the Inception Architecture for Computer Vision, section 7, for label smoothing itself.
"""

from collections.abc import Callable, Mapping

import numpy as np

from autograde.reference.feed_forward import ffn
from autograde.reference.layer_norm import layer_norm
from autograde.reference.multi_head import merge_heads, multi_head, split_heads
from autograde.reference.vectors import softmax


def decoder_layer(
    y: np.ndarray,
    memory: np.ndarray,
    P: Mapping[str, np.ndarray],
    h: int,
    self_mask: np.ndarray | None,
    mem_mask: np.ndarray | None,
    norm_first: bool = False,
) -> np.ndarray:
    """Let the target look at itself, then at the source, then transform each of its tokens.

    Each of the three sublayers S has a skip and a norm of its own: LNᵢ(y + S(y)) in post-norm and
    y + S(LNᵢ(y)) in pre-norm. The second takes keys and values from the memory as it is.

    Args:
        y: (..., n, d) real, the target.
        memory: (..., m, d) real, what the encoder made of the source.
        P: the parameters: "W", "b", "Wo", "bo" as in `multi_head` for the target, "W_mem",
            "b_mem", "Wo_mem", "bo_mem" likewise for the memory, "W1", "b1", "W2", "b2" as in
            `ffn`, "gamma1" to "gamma3" and "beta1" to "beta3" of the three norms.
        h: how many heads; divides d.
        self_mask: bool, broadcast to (..., h, n, n); True where a token of the target may look at
            another. None: everywhere.
        mem_mask: bool, broadcast to (..., h, n, m); True where a token of the target may look at
            one of the source. None: everywhere.
        norm_first: whether pre-norm.

    Returns:
        (..., n, d) float64.

    Raises:
        ValueError: y, memory and the parameters differ in d, or h does not divide it.
    """
    for_memory = {name: P[f"{name}_mem"] for name in ("W", "b", "Wo", "bo")}
    sublayers: list[Callable[[np.ndarray], np.ndarray]] = [
        lambda tokens: multi_head(tokens, tokens, P, h, self_mask)[0],
        lambda tokens: multi_head(tokens, memory, for_memory, h, mem_mask)[0],
        lambda tokens: ffn(tokens, P["W1"], P["b1"], P["W2"], P["b2"]),
    ]
    y = np.asarray(y, np.float64)
    for i, sublayer in enumerate(sublayers, start=1):
        gamma, beta = P[f"gamma{i}"], P[f"beta{i}"]
        if norm_first:
            y = y + sublayer(layer_norm(y, gamma, beta))
        else:
            y = layer_norm(y + sublayer(y), gamma, beta)
    return y


def seq_loss(logits: np.ndarray, targets: np.ndarray, pad: int, smoothing: float = 0.0) -> float:
    """Average, over all tokens but the padding, how surprised a model is by its targets.

    With log p = log softmax(logits) and V words: the mean of
    -(1 - ε) log p[target] - ε/V Σ_v log p[v] over the places whose target is no padding.

    Args:
        logits: (..., n, V) real; those at a place are for the target at the same place.
        targets: (..., n) integers from 0 to V - 1.
        pad: the id of the padding.
        smoothing: ε, from 0 to 1.

    Raises:
        ValueError: logits and targets are not for the same places, there is nothing but padding,
            or ε is not from 0 to 1.
    """
    logits, targets = np.asarray(logits, np.float64), np.asarray(targets)
    if logits.shape[:-1] != targets.shape:
        raise ValueError(f"logits for places {logits.shape[:-1]}, targets for {targets.shape}")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing must be from 0 to 1, not {smoothing}")
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    of_target = np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]
    losses = -(1 - smoothing) * of_target - smoothing * log_p.mean(axis=-1)
    real = targets != pad
    if not real.any():
        raise ValueError(f"all targets are padding, {pad}")
    return float(losses[real].mean())


def greedy_decode(
    step: Callable[[np.ndarray], np.ndarray], B: int, sos: int, eos: int, pad: int, max_len: int
) -> tuple[np.ndarray, np.ndarray]:
    """Write B sentences side by side, always with the word that the model finds most probable.

    Args:
        step: takes all that was written so far, (B, t) integers that begin with <SOS>, and gives
            logits for the next word, (B, V).
        B: how many sentences.
        sos: the id of <SOS>, with which each sentence begins.
        eos: the id of <EOS>, with which it ends.
        pad: the id of the padding, which follows <EOS> while other sentences go on.
        max_len: how many words may be written at most, <SOS> not counted.

    Returns:
        the ids, (B, 1 + words written) integers with <SOS> and padding, no longer than the longest
        sentence; and (B,) bool, which sentences have come to <EOS>.

    Raises:
        ValueError: B is not positive, or max_len is negative.
    """
    if B < 1 or max_len < 0:
        raise ValueError(f"B must be at least 1 and max_len at least 0, not {B} and {max_len}")
    ids = np.full((B, 1), sos)
    done = np.zeros(B, bool)
    while ids.shape[1] <= max_len and not done.all():
        best = np.asarray(step(ids)).argmax(axis=-1)
        ids = np.concatenate([ids, np.where(done, pad, best)[:, None]], axis=1)
        done |= best == eos
    return ids, done


def cached_step(
    x_t: np.ndarray, cache: np.ndarray, P: Mapping[str, np.ndarray], h: int
) -> tuple[np.ndarray, np.ndarray]:
    """Let the newest token look at itself and at all before it, whose keys and values are kept.

    The row of causal multi-head attention that belongs to the newest token, at the place t.

    Args:
        x_t: (..., d) real, the newest token, without its place.
        cache: (2, ..., h, t, d / h) real, keys and values of the t tokens before, for every head.
        P: "pe" (more than t, d), what is added to a token at each place; "W", "b", "Wo", "bo" as
            in `multi_head`.
        h: how many heads; divides d.

    Returns:
        the output, (..., d) float64, and the new cache, (2, ..., h, t + 1, d / h) float64.

    Raises:
        ValueError: there is no place for another token, or h does not divide d.
    """
    cache, places = np.asarray(cache, np.float64), np.asarray(P["pe"], np.float64)
    t = cache.shape[-2]
    if t >= len(places):
        raise ValueError(f"{t} tokens are kept, and there are places for {len(places)}")
    W, b, Wo, bo = (np.asarray(P[name], np.float64) for name in ("W", "b", "Wo", "bo"))
    x = (np.asarray(x_t, np.float64) + places[t])[..., None, :]  # (..., 1, d)
    q, k, v = (split_heads(part, h) for part in np.split(x @ W.T + b, 3, axis=-1))
    cache = np.concatenate([cache, np.stack([k, v])], axis=-2)
    K, V = cache
    weights = softmax(q @ np.swapaxes(K, -1, -2) / np.sqrt(q.shape[-1]))  # (..., h, 1, t + 1)
    return (merge_heads(weights @ V) @ Wo.T + bo)[..., 0, :], cache
