"""What people really write: functions found in public repositories, and the verdict on each.

Nothing here is anybody's code. Each function was retyped in NumPy with the course's own signature,
as short as it gets while it still does what the one at the pointer does: the order of its axes, its
fill for a mask, its place for epsilon. What a check does not ask for, such as dropout, is left out.
A pointer is a repository, a commit, a path and a line, or an issue or pull request that quotes or
describes what was written there.

`python -m tests.wild` prints a row for each; the last line counts. The exit code is 1 if a right
one is refused, a wrong one passes, or fewer than nine in ten wrong ones are named.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from autograde.check import PRACTICE, Verdict
from autograde.reference import feed_forward, multi_head
from autograde.reference.layer_norm import layer_norm
from tests.mistakes import CHECKS

RIGHT, WRONG, CONVENTION = "right", "wrong", "another convention"


@dataclass(frozen=True)
class Found:
    """One function from the wild.

    Attributes:
        check: the check that it is for, as "chapter.function".
        kind: RIGHT, WRONG, or CONVENTION: right by another known convention than the course's, and
            so to be refused with a hint that names what differs.
        where: the pointer.
        does: what it does, and what makes it different.
        function: the same, retyped.
    """

    check: str
    kind: str
    where: str
    does: str
    function: Callable

    def verdict(self, seed: str = PRACTICE) -> Verdict:
        return CHECKS[self.check].verdict(self.function, seed)

    def named(self, verdict: Verdict) -> bool:
        """Whether the hint is the sentence of a known mistake."""
        return verdict.hint in CHECKS[self.check].mistakes


FOUND: list[Found] = []


def found(kind: str, check: str, where: str, does: str) -> Callable[[Callable], Callable]:
    """Add the decorated function, which stays as it is."""

    def add(function: Callable) -> Callable:
        FOUND.append(Found(check, kind, where, does, function))
        return function

    return add


# ---- parts that several need


def softmax(z, axis=-1):
    powers = np.exp(z - z.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def turned(K):
    return np.swapaxes(K, -1, -2)


def attend(Q, K, V):
    weights = softmax(Q @ turned(K) / K.shape[-1] ** 0.5)
    return weights @ V, weights


def split(x, h):
    return np.swapaxes(x.reshape(*x.shape[:-1], h, -1), -3, -2)


def merge(heads):
    heads = np.swapaxes(heads, -3, -2)
    return heads.reshape(*heads.shape[:-2], -1)


def projected(x, y, P):
    """Queries, keys and values of PyTorch's packed parameters."""
    (Q, K, V), (q, k, v) = np.split(P["W"], 3), np.split(P["b"], 3)
    return x @ Q.T + q, y @ K.T + k, y @ V.T + v


def out(merged, P):
    return merged @ P["Wo"].T + P["bo"]


# ---- vectors


@found(
    RIGHT,
    "vectors.cosine_matrix",
    "UKPLab/sentence-transformers, sentence_transformers/util.py: cos_sim",
    "rows divided by their length, or by 1e-12 if that is more; then one product",
)
def cosines_of_rows(X):
    X = X if X.dtype == np.float32 else X.astype(float)
    unit = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
    return unit @ unit.T


@found(
    RIGHT,
    "vectors.softmax",
    "openai/gpt-2@9b63575, src/model.py:20: softmax",
    "takes away the maximum along the axis, which it keeps",
)
def softmax_of_gpt_2(z, axis=-1, temperature=1.0):
    z = z / temperature
    z = z - np.max(z, axis=axis, keepdims=True)
    powers = np.exp(z)
    return powers / np.sum(powers, axis=axis, keepdims=True)


@found(
    RIGHT,
    "vectors.softmax",
    "karpathy/nanoGPT@3adf61e, model.py:318: generate",
    "logits by the temperature, then torch's own softmax",
)
def softmax_of_nano_gpt(z, axis=-1, temperature=1.0):
    return torch.softmax(torch.from_numpy(z) / temperature, dim=axis)


@found(
    RIGHT,
    "vectors.softmax",
    "ddbourgin/numpy-ml@b0359af, numpy_ml/neural_nets/layers/layers.py:2294: Softmax._fwd",
    "the axis is a setting; maximum and sum go along it",
)
def softmax_of_numpy_ml(z, axis=-1, temperature=1.0):
    z = np.asarray(z, float) / temperature
    powers = np.exp(z - z.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@found(
    WRONG,
    "vectors.softmax",
    "d2l-ai/d2l-en@23d7a5a, chapter_linear-classification/softmax-regression-scratch.md:82",
    "exponentials as they are: overflows, as the page itself warns",
)
def softmax_of_d2l(z, axis=-1, temperature=1.0):
    powers = np.exp(z / temperature)
    return powers / np.sum(powers, axis=axis, keepdims=True)


@found(
    WRONG,
    "vectors.softmax",
    "rasbt/LLMs-from-scratch@28c65cd, ch03/01_main-chapter-code/ch03.ipynb: softmax_naive",
    "exponentials as they are, summed along the first axis",
)
def softmax_of_rasbt(z, axis=-1, temperature=1.0):
    return np.exp(z / temperature) / np.exp(z / temperature).sum(0)


@found(
    WRONG,
    "vectors.softmax",
    "manassharma07/crysx_nn#7",
    "one maximum for the whole array, so that low rows become 0/0",
)
def softmax_of_crysx(z, axis=-1, temperature=1.0):
    z = z / temperature
    powers = np.exp(z - np.max(z))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@found(
    WRONG,
    "vectors.softmax",
    "open-edge-platform/geti#1507, model_wrappers/openvino_models.py",
    "one maximum and one sum for the whole array",
)
def softmax_of_geti(z, axis=-1, temperature=1.0):
    powers = np.exp(z / temperature - np.max(z / temperature))
    return powers / np.sum(powers)


@found(
    WRONG,
    "vectors.softmax",
    "FluxML/NNlib.jl#43",
    "takes away the maximum or 0, whichever is more: low scores become 0/0",
)
def softmax_of_nnlib(z, axis=-1, temperature=1.0):
    z = z / temperature
    powers = np.exp(z - np.maximum(0, z.max(axis=axis, keepdims=True)))
    return powers / powers.sum(axis=axis, keepdims=True)


@found(
    WRONG,
    "vectors.softmax",
    "karpathy/llm.c@f1e2ace, train_gpt2.c:449: softmax_forward",
    "the search for the maximum starts at −10 000, which is above all scores if they are lower",
)
def softmax_of_llm_c(z, axis=-1, temperature=1.0):
    z = z / temperature
    powers = np.exp(z - np.maximum(-1e4, z.max(axis=axis, keepdims=True)))
    return powers / powers.sum(axis=axis, keepdims=True)


# ---- attention


@found(
    RIGHT,
    "attention.attend_one",
    "graykode/nlp-tutorial@d05e31e, 4-2.Seq2Seq(Attention)/Seq2Seq(Attention).py:61",
    "a loop over the keys with a dot product each, then the softmax of all",
)
def look_up_of_graykode(q, K, V, beta=1.0):
    scores = np.zeros(len(K))
    for i in range(len(K)):
        scores[i] = beta * np.dot(q, K[i])
    weights = softmax(scores)
    return weights @ V, weights


@found(
    RIGHT,
    "attention.attention",
    "openai/finetune-transformer-lm@a69b5c4, train.py:71: _attn without its scale",
    "keys are kept transposed, with the features before the words",
)
def attention_of_gpt_1(Q, K, V):
    keys = np.moveaxis(K, -1, -2)
    weights = softmax(np.matmul(Q, keys))
    return np.matmul(weights, V), weights


@found(
    WRONG,
    "attention.attention",
    "jadore801120/attention-is-all-you-need-pytorch#19",
    "an old default of PyTorch: the softmax of three axes runs along the first",
)
def attention_of_old_torch(Q, K, V):
    scores = Q @ turned(K)
    weights = softmax(scores, 0 if scores.ndim in (1, 3) else 1)
    return weights @ V, weights


@found(
    WRONG,
    "attention.attention",
    "PetrochukM/PyTorch-NLP#2",
    "queries of all sequences in one table, and the softmax goes down its columns",
)
def attention_of_pytorch_nlp(Q, K, V):
    scores = Q @ turned(K)
    weights = softmax(scores.reshape(-1, scores.shape[-1]), 0).reshape(scores.shape)
    return weights @ V, weights


@found(
    WRONG,
    "attention.attention",
    "nerminnuraydogan/vision-transformer#1",
    "the softmax goes along axis 1, over the queries of a batch",
)
def attention_of_nuraydogan(Q, K, V):
    weights = softmax(Q @ turned(K), 1)
    return weights @ V, weights


@found(
    RIGHT,
    "attention.additive_scores",
    "d2l-ai/d2l-en@23d7a5a, d2l/torch.py:1111: AdditiveAttention",
    "an axis added to each of queries and keys, so that the sum broadcasts",
)
def additive_of_d2l(Q, K, Wq, Wk, v):
    features = np.expand_dims(Q @ Wq.T, -2) + np.expand_dims(K @ Wk.T, -3)
    return np.squeeze(np.tanh(features) @ v[:, None], -1)


@found(
    RIGHT,
    "attention.additive_scores",
    "bentrevett/pytorch-seq2seq@b3cd54c, 3 - Neural Machine Translation by Jointly Learning"
    " to Align and Translate.ipynb: Attention",
    "query and key side by side, times one wide matrix",
)
def additive_of_bentrevett(Q, K, Wq, Wk, v):
    n, m = Q.shape[-2], K.shape[-2]
    pairs = np.concatenate(
        [np.repeat(Q[..., :, None, :], m, -2), np.repeat(K[..., None, :, :], n, -3)], -1
    )
    return np.tanh(pairs @ np.concatenate([Wq, Wk], 1).T) @ v


@found(
    WRONG,
    "attention.additive_scores",
    "keon/seq2seq#28",
    "a ReLU in the place of the tanh",
)
def additive_of_keon(Q, K, Wq, Wk, v):
    return np.maximum(0, (Q @ Wq.T)[..., :, None, :] + (K @ Wk.T)[..., None, :, :]) @ v


@found(
    CONVENTION,
    "attention.additive_scores",
    "tensorflow/tensorflow#39332, Keras AdditiveAttention with use_scale=False",
    "adds up all hidden units: there is no vector to weigh them",
)
def additive_of_keras(Q, K, Wq, Wk, v):
    return np.tanh((Q @ Wq.T)[..., :, None, :] + (K @ Wk.T)[..., None, :, :]).sum(-1)


# ---- self-attention


@found(
    RIGHT,
    "self_attention.one_hot",
    "keras-team/keras, utils: to_categorical",
    "all ids in a row, a 1 written into each, then the old shape with one more axis",
)
def one_hot_of_keras(ids, V):
    flat = np.zeros((ids.size, V), "float32")
    flat[np.arange(ids.size), ids.ravel()] = 1
    return flat.reshape(*ids.shape, V)


@found(
    RIGHT,
    "self_attention.one_hot",
    "jax-ml/jax@01c3657, jax/_src/nn/functions.py: _one_hot",
    "each id compared with 0 to V − 1",
)
def one_hot_of_jax(ids, V):
    return (ids[..., None] == np.arange(V)).astype(float)


@found(
    RIGHT,
    "self_attention.embed",
    "jaymody/picoGPT@817292b, gpt2.py:75: gpt2",
    "rows by their ids",
)
def embed_of_pico_gpt(ids, E):
    return E[ids]


@found(
    CONVENTION,
    "self_attention.embed",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py: Embeddings",
    "rows times the root of d, as in the paper",
)
def embed_of_annotated(ids, E):
    return E[ids] * math.sqrt(E.shape[1])


@found(
    RIGHT,
    "self_attention.self_attention",
    "rasbt/LLMs-from-scratch@28c65cd, pkg/llms_from_scratch/ch03.py:64: CausalAttention",
    "divides inside the call of the softmax; the mask is left out",
)
def self_attention_of_rasbt(X, Wq, Wk, Wv):
    keys, queries, values = X @ Wk, X @ Wq, X @ Wv
    scores = queries @ np.swapaxes(keys, -2, -1)
    weights = softmax(scores / keys.shape[-1] ** 0.5)
    return weights @ values, weights


@found(
    WRONG,
    "self_attention.self_attention",
    "rasbt/LLMs-from-scratch@28c65cd, pkg/llms_from_scratch/ch03.py:10: SelfAttention_v1",
    "all axes of the keys reversed: for one sequence only, as the book says there",
)
def self_attention_of_rasbt_v1(X, Wq, Wk, Wv):
    keys, queries, values = X @ Wk, X @ Wq, X @ Wv
    weights = softmax(queries @ keys.T / keys.shape[-1] ** 0.5)
    return weights @ values, weights


@found(
    WRONG,
    "self_attention.self_attention",
    "karpathy/ng-video-lecture@0ceb005, gpt.py: Head; copied in Graylab/DL4Proteins-notebooks#12",
    "divides by the root of the width of a word, not of a head",
)
def self_attention_of_ng(X, Wq, Wk, Wv):
    k, q, v = X @ Wk, X @ Wq, X @ Wv
    weights = softmax(q @ turned(k) * X.shape[-1] ** -0.5)
    return weights @ v, weights


# ---- scaling


def scale_of(K, scale):
    return K.shape[-1] ** -0.5 if scale is None else scale


@found(
    RIGHT,
    "scaling.scaled_attention",
    "jadore801120/attention-is-all-you-need-pytorch@132907d, transformer/Modules.py:17",
    "divides the queries by a temperature before the product",
)
def scaled_by_jadore(Q, K, V, scale=None):
    weights = softmax(np.matmul(Q * scale_of(K, scale), turned(K)))
    return np.matmul(weights, V), weights


@found(
    RIGHT,
    "scaling.scaled_attention",
    "codertimo/BERT-pytorch@d10dc4f, bert_pytorch/model/attention/single.py:14",
    "takes the width from the queries",
)
def scaled_by_codertimo(Q, K, V, scale=None):
    root = math.sqrt(Q.shape[-1])
    scores = np.matmul(Q, turned(K))
    scores = scores / root if scale is None else scores * scale
    weights = softmax(scores)
    return np.matmul(weights, V), weights


@found(
    RIGHT,
    "scaling.scaled_attention",
    "pbloem/former@ad9cc70, former/modules.py:73: SelfAttention",
    "all leading axes folded into one; a scale may be given",
)
def scaled_by_former(Q, K, V, scale=None):
    q, k, v = (array.reshape(-1, *array.shape[-2:]) for array in (Q, K, V))
    dot = np.einsum("bnd,bmd->bnm", q, k) * scale_of(K, scale)
    weights = softmax(dot, axis=2)
    leading = Q.shape[:-1]
    return (weights @ v).reshape(*leading, -1), weights.reshape(*leading, -1)


@found(
    RIGHT,
    "scaling.scaled_attention",
    "labmlai/annotated_deep_learning_paper_implementations@e6b3c8a, labml_nn/transformers/mha.py",
    "words on the first axis, and the softmax along the second, where the keys are then",
)
def scaled_by_labml(Q, K, V, scale=None):
    q, k, v = (np.moveaxis(array, -2, 0) for array in (Q, K, V))
    weights = softmax(np.einsum("i...d,j...d->ij...", q, k) * scale_of(K, scale), axis=1)
    output = np.einsum("ij...,j...d->i...d", weights, v)
    return np.moveaxis(output, 0, -2), np.moveaxis(weights, (0, 1), (-2, -1))


@found(
    RIGHT,
    "scaling.scaled_attention",
    "lucidrains/vit-pytorch@69d24fe, vit_pytorch/simple_vit.py:56: Attention",
    "multiplies by the width to the power −1/2",
)
def scaled_by_vit(Q, K, V, scale=None):
    dots = np.matmul(Q, K.swapaxes(-1, -2)) * (K.shape[-1] ** -0.5 if scale is None else scale)
    weights = softmax(dots)
    return np.matmul(weights, V), weights


@found(
    WRONG,
    "scaling.scaled_attention",
    "esceptico/perceiver-io#9",
    "divides by 1/√d_k, and so multiplies by √d_k",
)
def scaled_by_perceiver(Q, K, V, scale=None):
    scores = Q @ turned(K)
    weights = softmax(scores / K.shape[-1] ** -0.5 if scale is None else scores * scale)
    return weights @ V, weights


@found(
    WRONG,
    "scaling.scaled_attention",
    "tenstorrent/tt-metal#56789",
    "divides by the root of the number of heads",
)
def scaled_by_tt_metal(Q, K, V, scale=None):
    heads = Q.shape[-3] if Q.ndim > 3 else K.shape[-1]
    weights = softmax(Q @ turned(K) * (heads**-0.5 if scale is None else scale))
    return weights @ V, weights


@found(
    WRONG,
    "scaling.scaled_attention",
    "mlc-ai/mlc-llm#3426",
    "a path on which the scale stays at 1",
)
def scaled_by_mlc(Q, K, V, scale=1.0):
    weights = softmax(Q @ turned(K) * (scale if scale is not None else 1.0))
    return weights @ V, weights


@found(
    CONVENTION,
    "scaling.scaled_attention",
    "huggingface/transformers, models/t5/modeling_t5.py: T5Attention",
    "no scale: T5 puts it into the initial weights",
)
def scaled_by_t5(Q, K, V, scale=None):
    scores = Q @ turned(K)
    weights = softmax(scores if scale is None else scores * scale)
    return weights @ V, weights


@found(
    WRONG,
    "scaling.scaled_attention",
    "FudanNLP/fastNLP#254",
    "the softmax along axis 2, which is right for three axes and not for four",
)
def scaled_by_fast_nlp(Q, K, V, scale=None):
    scores = Q @ turned(K) * scale_of(K, scale)
    weights = softmax(scores, min(2, scores.ndim - 1))
    return weights @ V, weights


@found(
    WRONG,
    "scaling.scaled_attention",
    "FrancescoSaverioZuppichini/ViT#1, and at least ten copies",
    "divides the weights after the softmax, by the root of the width of all heads",
)
def scaled_by_zuppichini(Q, K, V, scale=None):
    width = K.shape[-1] * (K.shape[-3] if K.ndim > 3 else 1)
    weights = softmax(np.einsum("...qd,...kd->...qk", Q, K))
    weights = weights / math.sqrt(width) if scale is None else weights * scale
    return weights @ V, weights


@found(
    RIGHT,
    "scaling.softmax_jacobian",
    "ddbourgin/numpy-ml@b0359af, numpy_ml/neural_nets/layers/layers.py:2346: Softmax._bwd",
    "row by row: the weights on a diagonal, less their outer product",
)
def jacobian_of_numpy_ml(p):
    rows = [np.diagflat(y) - np.outer(y, y) for y in p.reshape(-1, p.shape[-1])]
    return np.reshape(rows, (*p.shape, p.shape[-1]))


@found(
    WRONG,
    "scaling.softmax_jacobian",
    "eriklindernoren/ML-From-Scratch@a2806c6, mlfromscratch/deep_learning/"
    "activation_functions.py:18: Softmax.gradient",
    "p(1 − p), as if each weight had a score of its own",
)
def jacobian_of_ml_from_scratch(p):
    return p * (1 - p)


@found(
    RIGHT,
    "scaling.cross_entropy_and_grad",
    "CS231n, assignment 2, layers.py: softmax_loss, in many repositories of solutions",
    "logarithms of the weights in one step; 1 taken from the right classes in place",
)
def loss_of_cs231n(logits, y):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    gradient, N = np.exp(log_p), len(logits)
    gradient[np.arange(N), y] -= 1
    return -np.sum(log_p[np.arange(N), y]) / N, gradient / N


@found(
    WRONG,
    "scaling.cross_entropy_and_grad",
    "karpathy/llm.c@f1e2ace, train_gpt2.c:486: crossentropy_forward",
    "the logarithm of a finished weight: infinite if that is 0",
)
def loss_of_llm_c(logits, y):
    p, N = softmax(logits), len(y)
    indicator = np.arange(logits.shape[1]) == y[:, None]
    return -np.log(p[np.arange(N), y]).mean(), (p - indicator) / N


@found(
    WRONG,
    "scaling.cross_entropy_and_grad",
    "oreilly-japan/deep-learning-from-scratch@07b1161, common/functions.py: cross_entropy_error",
    "1e-7 inside the logarithm: no row can cost more than 16",
)
def loss_of_dlfs(logits, y):
    p, N = softmax(logits), len(y)
    loss = -np.sum(np.log(p[np.arange(N), y] + 1e-7)) / N
    p[np.arange(N), y] -= 1
    return loss, p / N


@found(
    CONVENTION,
    "scaling.cross_entropy_and_grad",
    "ddbourgin/numpy-ml@b0359af, numpy_ml/neural_nets/losses/losses.py:133: CrossEntropy",
    "sums over the rows, the gradient too",
)
def loss_of_numpy_ml(logits, y):
    p, target = softmax(logits), np.eye(logits.shape[1])[y]
    return -np.sum(target * np.log(p + np.finfo(float).eps)), p - target


@found(
    WRONG,
    "scaling.cross_entropy_and_grad",
    "victorlempitsky/Mate#2",
    "the gradient divided by the number of entries, not of rows",
)
def loss_of_mate(logits, y):
    loss, gradient = loss_of_cs231n(logits, y)
    return loss, gradient / logits.shape[1]


@found(
    WRONG,
    "scaling.cross_entropy_and_grad",
    "eriklindernoren/ML-From-Scratch@a2806c6, mlfromscratch/deep_learning/loss_functions.py:25",
    "a yes-or-no question for every class, kept apart; the gradient is by the weights",
)
def loss_of_ml_from_scratch(logits, y):
    p, target = np.clip(softmax(logits), 1e-15, 1 - 1e-15), np.eye(logits.shape[1])[y]
    losses = -target * np.log(p) - (1 - target) * np.log(1 - p)
    return losses.mean(), -target / p + (1 - target) / (1 - p)


# ---- masking


@found(
    RIGHT,
    "masking.causal_mask",
    "openai/gpt-2@9b63575, src/model.py:58: attention_mask",
    "rows and columns compared, counted from the lower right corner",
)
def causal_of_gpt_2(n, past=0):
    m = past + n
    return np.arange(n)[:, None] >= np.arange(m) - m + n


@found(
    RIGHT,
    "masking.causal_mask",
    "huggingface/transformers, models/gpt2/modeling_gpt2.py: GPT2Attention",
    "a triangle for all places, of which the last rows are cut out",
)
def causal_of_transformers(n, past=0):
    m = past + n
    return np.tril(np.ones((m, m), bool))[m - n : m, :m]


@found(
    RIGHT,
    "masking.causal_mask",
    "rasbt/LLMs-from-scratch@28c65cd, ch04/03_kv-cache/gpt_with_kv_cache.py:79",
    "marks what is hidden, rows from the present place on, and turns it round at last",
)
def causal_of_rasbt(n, past=0):
    hidden = np.triu(np.ones((past + n, past + n)), k=1).astype(bool)
    return ~hidden[past : past + n]


@found(
    CONVENTION,
    "masking.causal_mask",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:441: subsequent_mask",
    "no tokens from before: the whole prefix is read again",
)
def causal_of_annotated(n, past=0):
    return np.triu(np.ones((n, n)), k=1).astype("uint8") == 0


@found(
    CONVENTION,
    "masking.causal_mask",
    "graykode/nlp-tutorial@d05e31e, 5-1.Transformer/Transformer(Greedy_decoder).py:40",
    "True where a query may not look",
)
def causal_of_graykode(n, past=0):
    return np.triu(np.ones((n, past + n)), k=past + 1).astype(bool)


@found(
    CONVENTION,
    "masking.causal_mask",
    "pytorch/pytorch, torch/nn/modules/transformer.py: generate_square_subsequent_mask",
    "minus infinity and 0, to be added to scores",
)
def causal_of_torch(n, past=0):
    return np.triu(np.full((n, past + n), -np.inf), k=past + 1)


@found(
    CONVENTION,
    "masking.causal_mask",
    "pytorch/pytorch, scaled_dot_product_attention with is_causal=True",
    "the triangle starts in the upper left corner, however many keys came before",
)
def causal_of_sdpa(n, past=0):
    return np.tril(np.ones((n, past + n), bool))


@found(
    RIGHT,
    "masking.padding_mask",
    "google/trax@7c189c2, trax/layers/attention.py:595: PaddingMask",
    "a new shape with two axes of size 1",
)
def padding_of_trax(ids, pad):
    return (ids != pad).reshape(ids.shape[0], 1, 1, ids.shape[1])


@found(
    RIGHT,
    "masking.padding_mask",
    "hyunwoongko/transformer@6328654, models/model/transformer.py:47: make_src_mask",
    "the axes are put in one after the other",
)
def padding_of_hyunwoong(ids, pad):
    return np.expand_dims(np.expand_dims(ids != pad, 1), 2)


@found(
    CONVENTION,
    "masking.padding_mask",
    "jadore801120/attention-is-all-you-need-pytorch@132907d, transformer/Models.py:11",
    "an axis for the queries only; that for the heads comes later",
)
def padding_of_jadore(ids, pad):
    return np.expand_dims(ids != pad, -2)


@found(
    CONVENTION,
    "masking.padding_mask",
    "tensorflow/tensor2tensor@bafdc1b, tensor2tensor/layers/common_attention.py:1012",
    "a large negative number at the padding, to be added to scores",
)
def padding_of_t2t(ids, pad):
    return ((ids == pad) * -1e9)[:, None, None]


@found(
    WRONG,
    "masking.padding_mask",
    "hyunwoongko/transformer#40",
    "hides the padding among the queries, whose rows are then all closed",
)
def padding_of_hyunwoong_target(ids, pad):
    return np.expand_dims(np.expand_dims(ids != pad, 1), 3)


@found(
    WRONG,
    "masking.padding_mask",
    "codertimo/BERT-pytorch@d10dc4f, bert_pytorch/model/bert.py:39",
    "open where an id is larger than that of the padding",
)
def padding_of_codertimo(ids, pad):
    return (ids > pad)[:, None, None, :]


@found(
    CONVENTION,
    "masking.padding_mask",
    "pytorch/pytorch, torch.nn.MultiheadAttention: key_padding_mask",
    "True at the padding",
)
def padding_of_torch(ids, pad):
    return (ids == pad)[:, None, None, :]


@found(
    RIGHT,
    "masking.masked_softmax",
    "pytorch/pytorch, torch/_decomp/decompositions.py: safe_softmax",
    "minus infinity behind the mask; zeros wherever that is all there is",
)
def masked_by_safe_softmax(scores, mask):
    real = scores if scores.dtype.kind == "f" else scores.astype(float)
    filled = np.where(mask, real, real.dtype.type(-np.inf))
    weights = torch.softmax(torch.from_numpy(filled), -1).numpy()
    closed = (filled == -np.inf).all(-1, keepdims=True)
    return np.where(closed, weights.dtype.type(0), weights)


@found(
    RIGHT,
    "masking.masked_softmax",
    "jax-ml/jax@01c3657, jax/_src/nn/functions.py: _softmax with where",
    "the maximum over open scores only, and zeros behind the mask at last",
)
def masked_by_jax(scores, mask):
    real = scores if scores.dtype.kind == "f" else scores.astype(float)
    mask = np.broadcast_to(mask, real.shape)
    highest = np.max(real, -1, where=mask, initial=-np.inf, keepdims=True)
    powers = np.exp(np.where(mask, real, -np.inf).astype(real.dtype) - highest)
    weights = powers / np.sum(powers, -1, where=mask, keepdims=True)
    return np.where(mask, weights, 0).astype(real.dtype)


def floats(scores):
    return scores if scores.dtype.kind == "f" else scores.astype(float)


def filled(scores, mask, value):
    scores = floats(scores)
    return np.where(mask, scores, scores.dtype.type(value))


@found(
    CONVENTION,
    "masking.masked_softmax",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:524: attention",
    "−1e9 behind the mask: a closed row looks everywhere alike",
)
def masked_by_annotated(scores, mask):
    return softmax(filled(scores, mask, -1e9))


@found(
    CONVENTION,
    "masking.masked_softmax",
    "d2l-ai/d2l-en@23d7a5a, d2l/torch.py:1089: masked_softmax",
    "−1e6 behind the mask",
)
def masked_by_d2l(scores, mask):
    return softmax(filled(scores, mask, -1e6))


@found(
    CONVENTION,
    "masking.masked_softmax",
    "hyunwoongko/transformer@6328654, models/layers/scale_dot_product_attention.py:35",
    "−10 000 behind the mask",
)
def masked_by_hyunwoong(scores, mask):
    return softmax(filled(scores, mask, -10_000))


@found(
    CONVENTION,
    "masking.masked_softmax",
    "karpathy/minGPT@37baab7, mingpt/model.py:63: CausalSelfAttention",
    "minus infinity behind the mask, and nothing more: a closed row is NaN",
)
def masked_by_min_gpt(scores, mask):
    return softmax(filled(scores, mask, -np.inf))


@found(
    CONVENTION,
    "masking.masked_softmax",
    "huggingface/transformers, models/gpt2/modeling_gpt2.py: mask_value",
    "the lowest number of the scores' own precision behind the mask",
)
def masked_by_transformers(scores, mask):
    return softmax(filled(scores, mask, np.finfo(floats(scores).dtype).min))


@found(
    CONVENTION,
    "masking.masked_softmax",
    "openai/gpt-2@9b63575, src/model.py:88: mask_attn_weights",
    "scores times the mask, less 1e10 where that is 0",
)
def masked_by_gpt_2(scores, mask):
    return softmax(floats(scores) * mask - 1e10 * (1 - mask))


@found(
    CONVENTION,
    "masking.masked_softmax",
    "Kyubyong/transformer@fb023bb, modules.py:131: mask",
    "−2³² + 1 added at the padding",
)
def masked_by_kyubyong(scores, mask):
    return softmax(floats(scores) + (1 - mask) * (-(2.0**32) + 1))


@found(
    WRONG,
    "masking.masked_softmax",
    "allenai/allennlp@00a0716, allennlp/nn/util.py: masked_softmax",
    "softmax of scores times mask, times mask, over the sum and 1e-13, which swallows low rows",
)
def masked_by_allennlp(scores, mask):
    weights = softmax(floats(scores) * mask) * mask
    return weights / (weights.sum(-1, keepdims=True) + weights.dtype.type(1e-13))


@found(
    WRONG,
    "masking.masked_softmax",
    "abisee/pointer-generator#88",
    "softmax of all, times mask, over the new sum: a large hidden score leaves 0/0",
)
def masked_by_pointer_generator(scores, mask):
    weights = softmax(floats(scores)) * mask
    return weights / weights.sum(-1, keepdims=True)


@found(
    WRONG,
    "masking.masked_softmax",
    "gabrielmittag/NISQA#17; likewise huggingface/pytorch-image-models#2236",
    "minus infinity put among the finished weights",
)
def masked_by_nisqa(scores, mask):
    return filled(softmax(floats(scores)), mask, -np.inf)


@found(
    WRONG,
    "masking.masked_softmax",
    "tensorflow/tensorflow#43941, the tutorial on translation with attention",
    "no mask at all: the padding gets weights too",
)
def masked_by_nobody(scores, mask):
    return softmax(floats(scores))


@found(
    WRONG,
    "masking.masked_softmax",
    "awslabs/gluonts#1401",
    "1e-9 behind the mask, with −1e9 meant",
)
def masked_by_gluonts(scores, mask):
    return softmax(filled(scores, mask, 1e-9))


@found(
    WRONG,
    "masking.masked_softmax",
    "lucidrains/halonet-pytorch#4; likewise nyu-mll/jiant#465",
    "hides what is open",
)
def masked_by_halonet(scores, mask):
    return softmax(filled(scores, ~mask, np.finfo(floats(scores).dtype).min))


@found(
    CONVENTION,
    "masking.shift_right",
    "huggingface/transformers, models/bart/modeling_bart.py: shift_tokens_right",
    "<SOS> in front, all else one place on, <EOS> too",
)
def shifted_by_bart(targets, sos, pad):
    shifted = np.zeros_like(targets)
    shifted[..., 1:] = targets[..., :-1]
    shifted[..., 0] = sos
    return shifted


@found(
    CONVENTION,
    "masking.shift_right",
    "huggingface/transformers, models/mbart/modeling_mbart.py: shift_tokens_right",
    "the last token that is no padding comes to the front",
)
def shifted_by_mbart(targets, sos, pad):
    last = np.take_along_axis(targets, (targets != pad).sum(-1, keepdims=True) - 1, -1)
    return np.concatenate([last, targets[..., :-1]], -1)


# ---- multi-head


@found(
    RIGHT,
    "multi_head.split_heads",
    "openai/gpt-2@9b63575, src/model.py:75: split_heads",
    "the last axis cut in two, then two axes change places",
)
def split_by_gpt_2(x, h):
    *start, d = x.shape
    return np.swapaxes(x.reshape(*start, h, d // h), -3, -2)


@found(
    RIGHT,
    "multi_head.split_heads",
    "jaymody/picoGPT@817292b, gpt2.py:46: mha",
    "a list of parts, here stacked",
)
def split_by_pico_gpt(x, h):
    return np.stack(np.split(x, h, axis=-1), axis=-3)


@found(
    RIGHT,
    "multi_head.split_heads",
    "tensorflow/tensor2tensor@bafdc1b, tensor2tensor/layers/common_attention.py:1225",
    "the axis of the heads moved in front of all the rest that is no batch",
)
def split_by_t2t(x, h):
    return np.moveaxis(x.reshape(*x.shape[:-1], h, x.shape[-1] // h), -2, x.ndim - 2)


@found(
    CONVENTION,
    "multi_head.split_heads",
    "d2l-ai/d2l-en@23d7a5a, d2l/torch.py:1186: transpose_qkv",
    "heads counted to the batch",
)
def split_by_d2l(x, h):
    return split(x, h).reshape(-1, x.shape[-2], x.shape[-1] // h)


@found(
    CONVENTION,
    "multi_head.split_heads",
    "labmlai/annotated_deep_learning_paper_implementations@e6b3c8a,"
    " labml_nn/transformers/mha.py:53",
    "the heads keep their axis behind the words",
)
def split_by_labml(x, h):
    return x.reshape(*x.shape[:-1], h, x.shape[-1] // h)


@found(
    RIGHT,
    "multi_head.merge_heads",
    "openai/gpt-2@9b63575, src/model.py:79: merge_heads",
    "two axes change places, then the last two become one",
)
def merged_by_gpt_2(heads):
    *start, a, b = np.swapaxes(heads, -3, -2).shape
    return np.swapaxes(heads, -3, -2).reshape(*start, a * b)


@found(
    RIGHT,
    "multi_head.merge_heads",
    "jaymody/picoGPT@817292b, gpt2.py:55: mha",
    "all heads side by side, one after the other",
)
def merged_by_pico_gpt(heads):
    return np.concatenate([heads[..., i, :, :] for i in range(heads.shape[-3])], -1)


@found(
    WRONG,
    "multi_head.merge_heads",
    "jsbaan/transformer-from-scratch#6; likewise ajhalthor/Transformer-Neural-Network#8",
    "a new shape alone, without the transposition before it",
)
def merged_by_jsbaan(heads):
    *leading, h, n, d = heads.shape
    return heads.reshape(*leading, n, h * d)


@found(
    WRONG,
    "multi_head.merge_heads",
    "gazelle93/Transformer-Various-Positional-Encoding#1",
    "heads before the batch, then transposed as if they came after it",
)
def merged_by_gazelle(heads):
    *leading, h, n, d = heads.shape
    before = np.moveaxis(heads, -3, 0).reshape(h, -1, n, d)
    return before.transpose(0, 2, 1, 3).reshape(*leading, n, h * d)


def layer_of(attend_with):
    """A layer of torch with the four matrices that the check asks for."""

    class Layer(torch.nn.Module):
        def __init__(self, d_model, n_heads):
            super().__init__()
            self.h = n_heads
            for name in ("W_q", "W_k", "W_v", "W_o"):
                setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

        forward = attend_with

    return Layer


@found(
    RIGHT,
    "multi_head.MultiHeadAttention",
    "d2l-ai/d2l-en@23d7a5a, d2l/torch.py:1149: MultiHeadAttention",
    "heads folded into the batch and back",
)
@layer_of
def layer_of_d2l(self, x, y):
    def fold(z):
        z = z.reshape(*z.shape[:2], self.h, -1).permute(0, 2, 1, 3)
        return z.reshape(-1, *z.shape[2:])

    q, k, v = fold(self.W_q(x)), fold(self.W_k(y)), fold(self.W_v(y))
    weights = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1]), -1)
    heads = torch.bmm(weights, v).reshape(len(x), self.h, x.shape[1], -1)
    output = heads.permute(0, 2, 1, 3).reshape(x.shape)
    return self.W_o(output), weights.reshape(len(x), self.h, x.shape[1], -1)


@found(
    RIGHT,
    "multi_head.MultiHeadAttention",
    "gordicaleksa/pytorch-original-transformer@d5b29a4,"
    " models/definitions/transformer_model.py:260",
    "three layers in a list with their inputs; the biases are left out",
)
@layer_of
def layer_of_gordic(self, x, y):
    q, k, v = (
        net(z).view(len(x), -1, self.h, x.shape[-1] // self.h).transpose(1, 2)
        for net, z in zip((self.W_q, self.W_k, self.W_v), (x, y, y), strict=True)
    )
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    weights = torch.nn.Softmax(dim=-1)(scores)
    heads = torch.matmul(weights, v).transpose(1, 2)
    return self.W_o(heads.reshape(len(x), -1, x.shape[-1])), weights


@found(
    RIGHT,
    "multi_head.MultiHeadAttention",
    "labmlai/annotated_deep_learning_paper_implementations@e6b3c8a,"
    " labml_nn/transformers/mha.py:69",
    "einsum with the heads behind the words; the softmax along the axis of the keys",
)
@layer_of
def layer_of_labml(self, x, y):
    q, k, v = (
        layer(z).view(*z.shape[:-1], self.h, -1)
        for layer, z in ((self.W_q, x), (self.W_k, y), (self.W_v, y))
    )
    scores = torch.einsum("bihd,bjhd->ijbh", q, k) * (1 / math.sqrt(q.shape[-1]))
    weights = torch.softmax(scores, dim=1)
    heads = torch.einsum("ijbh,bjhd->bihd", weights, v)
    return self.W_o(heads.reshape(*x.shape[:2], -1)), weights.permute(2, 3, 0, 1)


@found(
    WRONG,
    "multi_head.MultiHeadAttention",
    "omihub777/ViT-CIFAR#11; likewise juho-lee/set_transformer#18",
    "divides by the root of the width of all heads",
)
@layer_of
def layer_of_vit_cifar(self, x, y):
    q, k, v = (
        layer(z).view(len(z), -1, self.h, x.shape[-1] // self.h).transpose(1, 2)
        for layer, z in ((self.W_q, x), (self.W_k, y), (self.W_v, y))
    )
    weights = torch.softmax(q @ k.mT / x.shape[-1] ** 0.5, -1)
    return self.W_o((weights @ v).transpose(1, 2).flatten(2)), weights


@found(
    RIGHT,
    "multi_head.multi_head",
    "pytorch/pytorch, torch.nn.functional.scaled_dot_product_attention since release 2.5",
    "minus infinity behind the mask, then a softmax that gives zeros to closed rows",
)
def multi_head_of_torch(x, y, P, h, mask=None):
    Q, K, V = (split(part, h) for part in projected(x, y, P))
    scores = Q @ turned(K) / math.sqrt(Q.shape[-1])
    mask = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    weights = masked_by_safe_softmax(scores, mask)
    return out(merge(weights @ V), P), weights


@found(
    CONVENTION,
    "multi_head.multi_head",
    "hyunwoongko/transformer@6328654, models/layers/multi_head_attention.py:11",
    "−10 000 behind the mask: a closed row looks everywhere alike",
)
def multi_head_of_hyunwoong(x, y, P, h, mask=None):
    Q, K, V = (split(part, h) for part in projected(x, y, P))
    scores = Q @ turned(K) / math.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, -10_000))
    return out(merge(weights @ V), P), weights


@found(
    CONVENTION,
    "multi_head.multi_head",
    "gordicaleksa/pytorch-original-transformer@d5b29a4,"
    " models/definitions/transformer_model.py:321",
    "minus infinity behind the mask: a closed row is NaN",
)
def multi_head_of_gordic(x, y, P, h, mask=None):
    Q, K, V = (split(part, h) for part in projected(x, y, P))
    scores = Q @ turned(K) / math.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return out(merge(weights @ V), P), weights


def masked(scores, mask):
    return multi_head._softmax(scores, mask)


@found(
    WRONG,
    "multi_head.multi_head",
    "aladdinpersson/Machine-Learning-Collection#65",
    "divides by the root of the width of all heads",
)
def multi_head_of_aladdin(x, y, P, h, mask=None):
    Q, K, V = (split(part, h) for part in projected(x, y, P))
    weights = masked(Q @ turned(K) / x.shape[-1] ** 0.5, mask)
    return out(merge(weights @ V), P), weights


@found(
    WRONG,
    "multi_head.multi_head",
    "aladdinpersson/Machine-Learning-Collection@3b8992f, transformer_from_scratch.py; likewise"
    " MarcoMeter/episodic-transformer-memory-ppo#22",
    "cuts words up first, and projects the parts of all heads with one small matrix",
)
def multi_head_of_split_first(x, y, P, h, mask=None):
    d_head = x.shape[-1] // h
    Q, K, V = (
        split(z, h) @ W[:d_head, :d_head].T + b[:d_head]
        for z, W, b in zip((x, y, y), np.split(P["W"], 3), np.split(P["b"], 3), strict=True)
    )
    weights = masked(Q @ turned(K) / math.sqrt(d_head), mask)
    return out(merge(weights @ V), P), weights


@found(
    WRONG,
    "multi_head.multi_head",
    "649453932/Chinese-Text-Classification-Pytorch#53; likewise reczoo/FuxiCTR#30",
    "heads made and merged by a new shape alone",
)
def multi_head_of_chinese_text(x, y, P, h, mask=None):
    Q, K, V = (part.reshape(*part.shape[:-2], h, part.shape[-2], -1) for part in projected(x, y, P))
    weights = masked(Q @ turned(K) * Q.shape[-1] ** -0.5, mask)
    return out((weights @ V).reshape(x.shape), P), weights


@found(
    WRONG,
    "multi_head.multi_head",
    "Kyubyong/transformer@fb023bb, modules.py:153: multihead_attention",
    "no matrix after the heads",
)
def multi_head_of_kyubyong(x, y, P, h, mask=None):
    Q, K, V = (split(part, h) for part in projected(x, y, P))
    weights = masked(Q @ turned(K) / Q.shape[-1] ** 0.5, mask)
    return merge(weights @ V), weights


@found(
    WRONG,
    "multi_head.multi_head",
    "CyberZHG/keras-multi-head@7175503, keras_multi_head/multi_head_attention.py:202",
    "a ReLU after each of the projections, the last one too, unless told otherwise",
)
def multi_head_of_cyber(x, y, P, h, mask=None):
    Q, K, V = (split(np.maximum(0, part), h) for part in projected(x, y, P))
    weights = masked(Q @ turned(K) / Q.shape[-1] ** 0.5, mask)
    return np.maximum(0, out(merge(weights @ V), P)), weights


@found(
    WRONG,
    "multi_head.multi_head",
    "lilianweng/transformer-tensorflow@ddcebc3, transformer.py:311; likewise"
    " Kyubyong/transformer@fb023bb, tf1.2_legacy/modules.py:201",
    "a ReLU after each of the projections, and no matrix after the heads",
)
def multi_head_of_lilian(x, y, P, h, mask=None):
    Q, K, V = (split(np.maximum(0, part), h) for part in projected(x, y, P))
    weights = masked(Q @ turned(K) / Q.shape[-1] ** 0.5, mask)
    return merge(weights @ V), weights


# ---- positions


@found(
    RIGHT,
    "positional.sinusoidal",
    "jadore801120/attention-is-all-you-need-pytorch@132907d, transformer/Models.py:31",
    "number by number, the pair being half the feature, rounded down",
)
def sinusoids_of_jadore(n, d, base=1e4):
    table = np.array([[t / np.power(base, 2 * (j // 2) / d) for j in range(d)] for t in range(n)])
    table[:, 0::2] = np.sin(table[:, 0::2])
    table[:, 1::2] = np.cos(table[:, 1::2])
    return table


@found(
    RIGHT,
    "positional.sinusoidal",
    "Kyubyong/transformer@fb023bb, modules.py:280: positional_encoding",
    "the feature less its remainder by 2 as the numerator",
)
def sinusoids_of_kyubyong(n, d, base=1e4):
    j = np.arange(d)
    angles = np.arange(n)[:, None] / float(base) ** ((j - j % 2) / d)
    return np.stack([np.cos(a) if i % 2 else np.sin(a) for i, a in enumerate(angles.T)], 1)


@found(
    RIGHT,
    "positional.sinusoidal",
    "keras-team/keras-hub@0e1444f, keras_hub/src/layers/modeling/sine_position_encoding.py",
    "both waves everywhere, and one of them times 0",
)
def sinusoids_of_keras_hub(n, d, base=1e4):
    odd = np.arange(d) % 2
    angles = np.arange(n)[:, None] * np.power(1 / base, 2 * (np.arange(d) // 2) / d)
    return np.sin(angles) * (1 - odd) + np.cos(angles) * odd


@found(
    CONVENTION,
    "positional.sinusoidal",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:748; likewise"
    " d2l-ai/d2l-en@23d7a5a, pytorch/examples@77f55b9 and most tutorials",
    "exponentials of logarithms; as many cosines as sines, so that an odd d raises",
)
def sinusoids_of_annotated(n, d, base=1e4):
    table = np.zeros((n, d))
    angles = np.arange(n)[:, None] * np.exp(np.arange(0, d, 2) * -(math.log(base) / d))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


@found(
    CONVENTION,
    "positional.sinusoidal",
    "wzlxjtu/PositionalEncoding2D@d1714f2, positionalembedding2d.py:5; likewise OpenNMT-py@97111d9",
    "refuses an odd d",
)
def sinusoids_of_positional_2d(n, d, base=1e4):
    if d % 2:
        raise ValueError(f"an odd number of features, {d}")
    return sinusoids_of_annotated(n, d, base)


@found(
    CONVENTION,
    "positional.sinusoidal",
    "tensorflow/tensor2tensor@bafdc1b, tensor2tensor/layers/common_attention.py:408",
    "all sines, then all cosines; the last wave has exactly the base; zeros fill an odd d up",
)
def sinusoids_of_t2t(n, d, base=1e4):
    waves = d // 2
    step = math.log(base) / max(waves - 1, 1)
    angles = np.arange(n)[:, None] * np.exp(np.arange(waves) * -step)
    table = np.concatenate([np.sin(angles), np.cos(angles)], 1)
    return np.pad(table, [(0, 0), (0, d % 2)])


@found(
    CONVENTION,
    "positional.sinusoidal",
    "facebookresearch/fairseq@3d262bb, fairseq/modules/sinusoidal_positional_embedding.py:48",
    "as tensor2tensor, but for one pair, where it divides by 0",
)
def sinusoids_of_fairseq(n, d, base=1e4):
    half = d // 2
    step = math.log(base) / (half - 1)
    angles = np.arange(n)[:, None] * np.exp(np.arange(half) * -step)
    table = np.concatenate([np.sin(angles), np.cos(angles)], 1)
    return np.concatenate([table, np.zeros((n, d % 2))], 1)


@found(
    CONVENTION,
    "positional.sinusoidal",
    "tensorflow/text@17c38bf, docs/tutorials/transformer.ipynb: positional_encoding",
    "all sines, then all cosines, with the exponents of the paper",
)
def sinusoids_of_tensorflow_text(n, d, base=1e4):
    angles = np.arange(n)[:, None] / base ** (np.arange(d / 2) / (d / 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], -1)


@found(
    CONVENTION,
    "positional.sinusoidal",
    "lucidrains/x-transformers@9252ed7, x_transformers/x_transformers.py:405",
    "all sines, then all cosines, all of them times d to the power −1/2",
)
def sinusoids_of_x_transformers(n, d, base=1e4):
    half = d // 2
    angles = np.outer(np.arange(n), float(base) ** -(np.arange(half) / half))
    return np.concatenate([np.sin(angles), np.cos(angles)], -1) * d**-0.5


@found(
    CONVENTION,
    "positional.sinusoidal",
    "facebookresearch/detr@11c5d51, models/position_encoding.py: PositionEmbeddingSine, one axis",
    "positions are counted from 1",
)
def sinusoids_of_detr(n, d, base=1e4):
    j = np.arange(d)
    angles = np.cumsum(np.ones(n))[:, None] / float(base) ** (2 * (j // 2) / d)
    return np.where(j % 2, np.cos(angles), np.sin(angles))


@found(
    WRONG,
    "positional.sinusoidal",
    "SamLynnEvans/Transformer@49e0180, Embed.py:22; likewise YutaroOgawa/pytorch_advanced#79",
    "2i where i steps by 2 already, and a frequency of its own for the cosine",
)
def sinusoids_of_sam(n, d, base=1e4):
    table = np.zeros((n, d))
    for t in range(n):
        for i in range(0, d, 2):
            table[t, i] = math.sin(t / base ** (2 * i / d))
            if i + 1 < d:
                table[t, i + 1] = math.cos(t / base ** (2 * (i + 1) / d))
    return table


@found(
    WRONG,
    "positional.sinusoidal",
    "shenweichen/DeepCTR#379; likewise Kyubyong/transformer#38 and"
    " jadore801120/attention-is-all-you-need-pytorch#32",
    "2i with i counting features, so that no sine shares a frequency with its cosine",
)
def sinusoids_of_deep_ctr(n, d, base=1e4):
    table = np.array([[t / np.power(float(base), 2.0 * i / d) for i in range(d)] for t in range(n)])
    table[:, 0::2] = np.sin(table[:, 0::2])
    table[:, 1::2] = np.cos(table[:, 1::2])
    return table


@found(
    WRONG,
    "positional.sinusoidal",
    "maxjcohen/transformer#62",
    "a base of 1000, and odd numerators for the cosines",
)
def sinusoids_of_maxjcohen(n, d, base=1e3):
    t, table = np.arange(n)[:, None], np.zeros((n, d))
    table[:, 0::2] = np.sin(t / float(base) ** (np.arange(0, d, 2) / d))
    table[:, 1::2] = np.cos(t / float(base) ** (np.arange(1, d, 2) / d))
    return table


@found(
    WRONG,
    "positional.sinusoidal",
    "ivanvovk/WaveGrad#12",
    "the exponent raised to the power 1e-4 instead of 1e-4 to the exponent; sines first",
)
def sinusoids_of_wave_grad(n, d, base=1e4):
    half = d // 2
    angles = np.arange(n)[:, None] * (np.arange(half) / half) ** (1 / base)
    return np.concatenate([np.sin(angles), np.cos(angles)], 1)


@found(
    WRONG,
    "positional.sinusoidal",
    "zju3dv/LoFTR#41",
    "divides by d, then by 2, rounded down: every wave is e² times as long as the one before",
)
def sinusoids_of_loftr(n, d, base=1e4):
    t, table = np.arange(n)[:, None], np.zeros((n, d))
    step = -math.log(base) / d // 1
    table[:, 0::2] = np.sin(t * np.exp(np.arange(0, d, 2) * step))
    table[:, 1::2] = np.cos(t * np.exp(np.arange(0, d - 1, 2) * step))
    return table


@found(
    WRONG,
    "positional.sinusoidal",
    "lilianweng/transformer-tensorflow@ddcebc3, transformer.py:260",
    "zeros for the first position",
)
def sinusoids_of_lilian(n, d, base=1e4):
    table = sinusoids_of_jadore(n, d, base)
    return np.concatenate([np.zeros((1, d)), table[1:]])


def rope_angles(pos, d, base):
    return np.asarray(pos, float)[:, None] / float(base) ** (np.arange(0, d, 2) / d)


def half_turned(x):
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], -1)


@found(
    RIGHT,
    "positional.rope",
    "facebookresearch/llama@54c22c0, llama/model.py:132: apply_rotary_emb",
    "neighbours as complex numbers, times numbers on the unit circle",
)
def rope_of_llama(x, pos, base=1e4):
    pairs = x.astype(float).reshape(*x.shape[:-1], -1, 2)
    product = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(
        1j * rope_angles(pos, x.shape[-1], base)
    )
    return np.stack([product.real, product.imag], -1).reshape(x.shape)


@found(
    RIGHT,
    "positional.rope",
    "lucidrains/rotary-embedding-torch@8bb4643, rotary_embedding_torch.py:35",
    "each angle twice in a row; neighbours change places, one with a minus",
)
def rope_of_lucidrains(x, pos, base=1e4):
    angles = np.repeat(rope_angles(pos, x.shape[-1], base), 2, -1)
    crossed = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    return x * np.cos(angles) + crossed * np.sin(angles)


@found(
    CONVENTION,
    "positional.rope",
    "EleutherAI/gpt-neox#834; likewise facebookresearch/fairseq@3d262bb,"
    " fairseq/modules/rotary_positional_embedding.py:38",
    "feature i is paired with feature i + d/2",
)
def rope_of_neox(x, pos, base=1e4):
    angles = rope_angles(pos, x.shape[-1], base)
    angles = np.concatenate([angles, angles], -1)
    return x * np.cos(angles) + half_turned(x) * np.sin(angles)


@found(
    CONVENTION,
    "positional.rope",
    "karpathy/nanochat@025c432, nanochat/gpt.py: apply_rotary_emb",
    "feature i is paired with feature i + d/2, and they turn the other way",
)
def rope_of_nanochat(x, pos, base=1e4):
    half = x.shape[-1] // 2
    cos, sin = (wave(rope_angles(pos, x.shape[-1], base)) for wave in (np.cos, np.sin))
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos + b * sin, -a * sin + b * cos], -1)


@found(
    WRONG,
    "positional.rope",
    "raiyanyahya/how-to-train-your-gpt#6",
    "halves are paired, with the angles laid out for neighbours",
)
def rope_of_raiyan(x, pos, base=1e4):
    angles = np.repeat(rope_angles(pos, x.shape[-1], base), 2, -1)
    return x * np.cos(angles) + half_turned(x) * np.sin(angles)


@found(
    WRONG,
    "positional.rope",
    "xiangking/ark-nlp#47; likewise facebookresearch/vjepa2#15",
    "neighbours are paired, with the angles laid out for halves",
)
def rope_of_ark(x, pos, base=1e4):
    angles = np.tile(rope_angles(pos, x.shape[-1], base), 2)
    crossed = np.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    return x * np.cos(angles) + crossed * np.sin(angles)


@found(
    WRONG,
    "positional.rope",
    "Tongjilibo/bert4torch#1",
    "neighbours are taken apart, and put down as halves beside features that are still in turn",
)
def rope_of_bert4torch(x, pos, base=1e4):
    angles = np.tile(rope_angles(pos, x.shape[-1], base), 2)
    crossed = np.concatenate([-x[..., 1::2], x[..., 0::2]], -1)
    return x * np.cos(angles) + crossed * np.sin(angles)


# ---- feed-forward


@found(
    RIGHT,
    "feed_forward.ffn",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:677",
    "two matrices with a ReLU between them",
)
def ffn_of_annotated(x, W1, b1, W2, b2):
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


@found(
    RIGHT,
    "feed_forward.ffn",
    "graykode/nlp-tutorial@d05e31e, 5-1.Transformer/Transformer(Greedy_decoder).py:82",
    "convolutions of width 1, with the features before the places",
)
def ffn_of_graykode(x, W1, b1, W2, b2):
    rows = np.atleast_2d(x)
    z = np.einsum("df,...dn->...fn", W1, turned(rows)) + b1[:, None]
    z = np.einsum("fd,...fn->...dn", W2, np.where(z > 0, z, 0)) + b2[:, None]
    return turned(z).reshape(x.shape)


@found(
    CONVENTION,
    "feed_forward.ffn",
    "jaymody/picoGPT@817292b, gpt2.py:24: ffn; likewise codertimo/BERT-pytorch@d10dc4f",
    "a GELU, as in GPT-2 and BERT",
)
def ffn_of_pico_gpt(x, W1, b1, W2, b2):
    z = x @ W1 + b1
    return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))) @ W2 + b2


@found(
    WRONG,
    "feed_forward.ffn",
    "goruck/nilm#1",
    "both matrices first, then the bend",
)
def ffn_of_nilm(x, W1, b1, W2, b2):
    return np.maximum(0, (x @ W1 + b1) @ W2 + b2)


@found(
    WRONG,
    "feed_forward.ffn",
    "namedtensor/notation#72",
    "a second ReLU at the end",
)
def ffn_of_named_tensor(x, W1, b1, W2, b2):
    return np.maximum(0, np.maximum(0, x @ W1 + b1) @ W2 + b2)


@found(
    CONVENTION,
    "feed_forward.ffn",
    "NVlabs/Forecasting-Model-Search#6",
    "the skip is in the function",
)
def ffn_of_nvlabs(x, W1, b1, W2, b2):
    return x + np.maximum(0, x @ W1 + b1) @ W2 + b2


# ---- layer norm


@found(
    RIGHT,
    "layer_norm.layer_norm",
    "jaymody/picoGPT@817292b, gpt2.py:13: layer_norm",
    "mean and variance of NumPy, which is biased",
)
def norm_of_pico_gpt(x, gamma, beta, eps=1e-5):
    mean, variance = np.mean(x, -1, keepdims=True), np.var(x, -1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + eps) + beta


@found(
    RIGHT,
    "layer_norm.layer_norm",
    "openai/gpt-2@9b63575, src/model.py:28: norm",
    "the mean of squared distances; times the reciprocal of the root",
)
def norm_of_gpt_2(x, gamma, beta, eps=1e-5):
    centred = x - np.mean(x, -1, keepdims=True)
    reciprocal = 1 / np.sqrt(np.mean(np.square(centred), -1, keepdims=True) + eps)
    return centred * reciprocal * gamma + beta


@found(
    RIGHT,
    "layer_norm.layer_norm",
    "hyunwoongko/transformer@6328654, models/layers/layer_norm.py:17",
    "PyTorch's variance, told not to divide by d − 1; another default epsilon",
)
def norm_of_hyunwoong(x, gamma, beta, eps=1e-5):
    x, gamma, beta = (torch.from_numpy(array.astype(float)) for array in (x, gamma, beta))
    variance = x.var(-1, unbiased=False, keepdim=True)
    return gamma * ((x - x.mean(-1, keepdim=True)) / torch.sqrt(variance + eps)) + beta


@found(
    RIGHT,
    "layer_norm.layer_norm",
    "labmlai/annotated_deep_learning_paper_implementations@e6b3c8a, normalization/layer_norm",
    "the mean of the squares less the square of the mean",
)
def norm_of_labml(x, gamma, beta, eps=1e-5):
    x = x.astype(float)
    mean = x.mean(-1, keepdims=True)
    variance = (x**2).mean(-1, keepdims=True) - mean**2
    return gamma * ((x - mean) / np.sqrt(variance + eps)) + beta


@found(
    RIGHT,
    "layer_norm.layer_norm",
    "karpathy/llm.c@f1e2ace, train_gpt2.c:78: layernorm_forward",
    "token by token and number by number",
)
def norm_of_llm_c(x, gamma, beta, eps=1e-5):
    normed = np.empty(x.shape)
    for token in np.ndindex(x.shape[:-1]):
        m = sum(x[token]) / x.shape[-1]
        v = sum((number - m) ** 2 for number in x[token]) / x.shape[-1]
        for i, number in enumerate(x[token]):
            normed[(*token, i)] = (number - m) / (v + eps) ** 0.5 * gamma[i] + beta[i]
    return normed


@found(
    RIGHT,
    "layer_norm.layer_norm",
    "Kyubyong/transformer@fb023bb, modules.py:14: ln",
    "variance and epsilon to the power 1/2",
)
def norm_of_kyubyong(x, gamma, beta, eps=1e-5):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return gamma * ((x - mean) / ((variance + eps) ** 0.5)) + beta


@found(
    WRONG,
    "layer_norm.layer_norm",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:315; likewise"
    " codertimo/BERT-pytorch@d10dc4f, SamLynnEvans/Transformer@49e0180 and"
    " hkproj/pytorch-transformer@3beddd2",
    "a standard deviation by d − 1, and epsilon added to it",
)
def norm_of_annotated(x, gamma, beta, eps=1e-5):
    deviation = x.std(-1, keepdims=True, ddof=1)
    return gamma * (x - x.mean(-1, keepdims=True)) / (deviation + eps) + beta


@found(
    WRONG,
    "layer_norm.layer_norm",
    "allenai/allennlp#953, after the change",
    "a biased standard deviation, and epsilon added to it",
)
def norm_of_allennlp(x, gamma, beta, eps=1e-5):
    deviation = x.std(-1, keepdims=True)
    return gamma * (x - x.mean(-1, keepdims=True)) / (deviation + eps) + beta


@found(
    WRONG,
    "layer_norm.layer_norm",
    "hyunwoongko/transformer#7, as first proposed there",
    "the root of standard deviation and epsilon",
)
def norm_of_hyunwoong_issue(x, gamma, beta, eps=1e-5):
    deviation = x.std(-1, keepdims=True)
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(deviation + eps) + beta


@found(
    WRONG,
    "layer_norm.layer_norm",
    "131250208/TPlinker-joint-extraction#37",
    "divides by the square of variance and epsilon",
)
def norm_of_tplinker(x, gamma, beta, eps=1e-5):
    deviation = (x.var(-1, keepdims=True) + eps) ** 2
    return gamma * (x - x.mean(-1, keepdims=True)) / deviation + beta


@found(
    WRONG,
    "layer_norm.layer_norm",
    "jadore801120/attention-is-all-you-need-pytorch#17",
    "along the words of a sequence, by d − 1, and epsilon outside",
)
def norm_of_old_jadore(x, gamma, beta, eps=1e-5):
    axis = max(x.ndim - 2, 0)
    centred = x - x.mean(axis, keepdims=True)
    return gamma * centred / (x.std(axis, keepdims=True, ddof=1) + eps) + beta


@found(
    WRONG,
    "layer_norm.layer_norm",
    "Qualcomm-AI-research/geometric-algebra-transformer#8; likewise MorvanZhou/NLP-Tutorials#10",
    "over all axes but the first",
)
def norm_of_gatr(x, gamma, beta, eps=1e-5):
    axes = tuple(range(1, x.ndim))
    variance = x.var(axes, keepdims=True)
    return gamma * (x - x.mean(axes, keepdims=True)) / np.sqrt(variance + eps) + beta


@found(
    CONVENTION,
    "layer_norm.layer_norm",
    "lucidrains/vit-pytorch@69d24fe, vit_pytorch/cvt.py:25: LayerNorm",
    "channels on axis 1",
)
def norm_of_cvt(x, gamma, beta, eps=1e-5):
    variance = x.var(1, keepdims=True)
    return gamma * (x - x.mean(1, keepdims=True)) / np.sqrt(variance + eps) + beta


@found(
    CONVENTION,
    "layer_norm.layer_norm",
    "facebookresearch/llama@54c22c0, llama/model.py:34: RMSNorm",
    "no mean taken away, and no shift",
)
def norm_of_llama(x, gamma, beta, eps=1e-5):
    return gamma * (x / np.sqrt((x.astype(float) ** 2).mean(-1, keepdims=True) + eps))


@found(
    CONVENTION,
    "layer_norm.layer_norm",
    "karpathy/nanoGPT@3adf61e, model.py:18: LayerNorm with bias=False",
    "no shift",
)
def norm_of_nano_gpt(x, gamma, beta, eps=1e-5):
    variance = x.var(-1, keepdims=True)
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(variance + eps)


@found(
    CONVENTION,
    "layer_norm.layer_norm",
    "tensorflow/tensor2tensor@bafdc1b, tensor2tensor/layers/common_layers.py:761: l2_norm",
    "the sum of the squared distances, not their mean",
)
def norm_of_t2t_l2(x, gamma, beta, eps=1e-5):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).sum(-1, keepdims=True) + eps) * gamma + beta


def sublayers_of(P, h, mask):
    """Attention and FFN, which are as they should be in the layers below, and the norms."""

    def attend_to(x, y=None):
        return multi_head.multi_head(x, x if y is None else y, P, h, mask)[0]

    def feed(x):
        return feed_forward.ffn(x, P["W1"], P["b1"], P["W2"], P["b2"])

    def norm(i):
        return lambda x: layer_norm(x, P[f"gamma{i}"], P[f"beta{i}"])

    return attend_to, feed, norm(1), norm(2)


@found(
    RIGHT,
    "layer_norm.encoder_layer",
    "pytorch/pytorch, torch/nn/modules/transformer.py: TransformerEncoderLayer.forward",
    "both orders, with a block for each sublayer",
)
def encoder_of_torch(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    if norm_first:
        x = x + attend_to(norm1(x))
        return x + feed(norm2(x))
    x = norm1(x + attend_to(x))
    return norm2(x + feed(x))


@found(
    CONVENTION,
    "layer_norm.encoder_layer",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:344",
    "always pre-norm",
)
def encoder_of_annotated(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    for norm, sublayer in ((norm1, attend_to), (norm2, feed)):
        x = x + sublayer(norm(x))
    return x


@found(
    CONVENTION,
    "layer_norm.encoder_layer",
    "hyunwoongko/transformer@6328654, models/blocks/encoder_layer.py:13",
    "always post-norm",
)
def encoder_of_hyunwoong(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    x = norm1(attend_to(x) + x)
    return norm2(feed(x) + x)


@found(
    WRONG,
    "layer_norm.encoder_layer",
    "Howuhh/faster-trajectory-transformer#3; trajectory/models/gpt/gpt.py@6b1bcb3",
    "in pre-norm the first skip, but not the second, adds what is normed already",
)
def encoder_of_howuhh(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    if not norm_first:
        return encoder_of_torch(x, P, h, mask)
    x = norm1(x)
    x = x + attend_to(x)
    return x + feed(norm2(x))


@found(
    WRONG,
    "layer_norm.encoder_layer",
    "SHI-Labs/Compact-Transformers#25",
    "in pre-norm the second skip, but not the first, adds what is normed already",
)
def encoder_of_compact(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    if not norm_first:
        return encoder_of_torch(x, P, h, mask)
    x = norm2(x + attend_to(norm1(x)))
    return x + feed(x)


@found(
    WRONG,
    "layer_norm.encoder_layer",
    "facebookresearch/xformers#233",
    "in pre-norm only the queries are normed",
)
def encoder_of_xformers(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    if not norm_first:
        return encoder_of_torch(x, P, h, mask)
    x = x + attend_to(norm1(x), x)
    return x + feed(norm2(x))


@found(
    WRONG,
    "layer_norm.encoder_layer",
    "strutive07/transformer-tensorflow2.0#14",
    "in post-norm the second skip adds the layer's input",
)
def encoder_of_strutive(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    if norm_first:
        return encoder_of_torch(x, P, h, mask, norm_first)
    return norm2(x + feed(norm1(x + attend_to(x))))


@found(
    WRONG,
    "layer_norm.encoder_layer",
    "keras-team/keras-io#2144",
    "in post-norm what a sublayer gives is normed, and then added",
)
def encoder_of_keras_io(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, norm2 = sublayers_of(P, h, mask)
    if norm_first:
        return encoder_of_torch(x, P, h, mask, norm_first)
    x = x + norm1(attend_to(x))
    return x + norm2(feed(x))


@found(
    WRONG,
    "layer_norm.encoder_layer",
    "graykode/nlp-tutorial@d05e31e, 5-2.BERT/BERT.py:117",
    "always post-norm, and neither a skip nor a norm around the FFN",
)
def encoder_of_graykode_bert(x, P, h, mask=None, norm_first=False):
    attend_to, feed, norm1, _ = sublayers_of(P, h, mask)
    return feed(norm1(attend_to(x) + x))


# ---- transformer


def three_of(memory, P, h, self_mask, mem_mask):
    """The three sublayers, as they should be, and the norms by their number."""
    for_memory = {name: P[f"{name}_mem"] for name in ("W", "b", "Wo", "bo")}
    look, feed, *_ = sublayers_of(P, h, self_mask)

    def consult(x):
        return multi_head.multi_head(x, memory, for_memory, h, mem_mask)[0]

    def norm(i, x):
        return layer_norm(x, P[f"gamma{i}"], P[f"beta{i}"])

    return look, consult, feed, norm


@found(
    RIGHT,
    "transformer.decoder_layer",
    "pytorch/pytorch, torch/nn/modules/transformer.py: TransformerDecoderLayer.forward",
    "both orders, with a block for each sublayer",
)
def decoder_of_torch(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    look, consult, feed, norm = three_of(memory, P, h, self_mask, mem_mask)
    if norm_first:
        y = y + look(norm(1, y))
        y = y + consult(norm(2, y))
        return y + feed(norm(3, y))
    y = norm(1, y + look(y))
    y = norm(2, y + consult(y))
    return norm(3, y + feed(y))


@found(
    CONVENTION,
    "transformer.decoder_layer",
    "labmlai/annotated_deep_learning_paper_implementations@e6b3c8a,"
    " labml_nn/transformers/models.py:60",
    "always pre-norm",
)
def decoder_of_labml(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    return decoder_of_torch(y, memory, P, h, self_mask, mem_mask, True)


@found(
    CONVENTION,
    "transformer.decoder_layer",
    "jadore801120/attention-is-all-you-need-pytorch@132907d, transformer/SubLayers.py",
    "always post-norm",
)
def decoder_of_jadore(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    return decoder_of_torch(y, memory, P, h, self_mask, mem_mask, False)


@found(
    WRONG,
    "transformer.decoder_layer",
    "ml-explore/mlx#1636",
    "in post-norm the first norm twice, and the second not at all",
)
def decoder_of_mlx_norms(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    look, consult, feed, norm = three_of(memory, P, h, self_mask, mem_mask)
    if norm_first:
        return decoder_of_torch(y, memory, P, h, self_mask, mem_mask, norm_first)
    y = norm(1, y + look(y))
    y = norm(1, y + consult(y))
    return norm(3, y + feed(y))


@found(
    WRONG,
    "transformer.decoder_layer",
    "ml-explore/mlx#3382",
    "in post-norm the second attention asks with what the first gave, before skip and norm",
)
def decoder_of_mlx_queries(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    look, consult, feed, norm = three_of(memory, P, h, self_mask, mem_mask)
    if norm_first:
        return decoder_of_torch(y, memory, P, h, self_mask, mem_mask, norm_first)
    seen = look(y)
    y = norm(1, y + seen)
    y = norm(2, y + consult(seen))
    return norm(3, y + feed(y))


@found(
    WRONG,
    "transformer.decoder_layer",
    "georgepar/slp#26",
    "the skip around the second attention adds the memory",
)
def decoder_of_slp(y, memory, P, h, self_mask, mem_mask, norm_first=False):
    look, consult, feed, norm = three_of(memory, P, h, self_mask, mem_mask)
    if norm_first:
        y = y + look(norm(1, y))
        y = memory + consult(norm(2, y))
        return y + feed(norm(3, y))
    y = norm(1, y + look(y))
    y = norm(2, memory + consult(y))
    return norm(3, y + feed(y))


def log_softmax(logits):
    shifted = logits.astype(float) - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def soft_targets(targets, V, confidence, rest):
    """The confidence at each target, and the rest at every other word."""
    return np.where(np.arange(V) == targets[..., None], confidence, rest)


@found(
    RIGHT,
    "transformer.seq_loss",
    "huggingface/transformers, trainer_pt_utils.py: LabelSmoother",
    "two sums with 0 at the padding, over the number of the rest",
)
def loss_of_transformers(logits, targets, pad, smoothing=0.0):
    log_p = -log_softmax(logits)
    padding = (targets == pad)[..., None]
    nll = np.where(padding, 0, np.take_along_axis(log_p, targets[..., None], -1))
    smooth = np.where(padding, 0, log_p.sum(-1, keepdims=True))
    active = padding.size - padding.sum()
    nll, smooth = nll.sum() / active, smooth.sum() / (active * log_p.shape[-1])
    return float((1 - smoothing) * nll + smoothing * smooth)


@found(
    RIGHT,
    "transformer.seq_loss",
    "Kyubyong/transformer@fb023bb, modules.py:224: label_smoothing, and its use in model.py",
    "one-hot rows are smoothed; 1e-7 more tokens than there are",
)
def loss_of_kyubyong(logits, targets, pad, smoothing=0.0):
    V = logits.shape[-1]
    rows = (1 - smoothing) * np.eye(V)[targets] + smoothing / V
    losses, real = -(rows * log_softmax(logits)).sum(-1), targets != pad
    return float((losses * real).sum() / (real.sum() + 1e-7))


@found(
    CONVENTION,
    "transformer.seq_loss",
    "jadore801120/attention-is-all-you-need-pytorch@132907d, train.py:40: cal_loss",
    "the smoothing goes to the other words only",
)
def loss_of_jadore(logits, targets, pad, smoothing=0.0):
    V = logits.shape[-1]
    rows = soft_targets(targets, V, 1 - smoothing, smoothing / (V - 1))
    return float(-(rows * log_softmax(logits)).sum(-1)[targets != pad].mean())


@found(
    CONVENTION,
    "transformer.seq_loss",
    "facebookresearch/fairseq@3d262bb, fairseq/criterions/label_smoothed_cross_entropy.py:34",
    "as that, by another formula: all words alike, and less for the target",
)
def loss_of_fairseq(logits, targets, pad, smoothing=0.0):
    log_p, real = log_softmax(logits), targets != pad
    nll = -np.take_along_axis(log_p, targets[..., None], -1)[..., 0][real].sum()
    rest = smoothing / (log_p.shape[-1] - 1)
    return float(((1 - smoothing - rest) * nll - rest * log_p[real].sum()) / real.sum())


@found(
    CONVENTION,
    "transformer.seq_loss",
    "tensorflow/tensor2tensor@bafdc1b, tensor2tensor/layers/common_layers.py:2073",
    "the smoothing goes to the other words only, and the entropy of the targets is taken away",
)
def loss_of_t2t(logits, targets, pad, smoothing=0.0):
    V, confidence = logits.shape[-1], 1 - smoothing
    rest = smoothing / (V - 1)
    least = -confidence * np.log(confidence) - (V - 1) * rest * np.log(rest + 1e-20)
    losses = -(soft_targets(targets, V, confidence, rest) * log_softmax(logits)).sum(-1) - least
    return float(losses[targets != pad].mean())


@found(
    CONVENTION,
    "transformer.seq_loss",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:1148: LabelSmoothing",
    "a divergence: nothing for the padding, the smoothing for V − 2 words, less their entropy",
)
def loss_of_annotated(logits, targets, pad, smoothing=0.0):
    V, real = logits.shape[-1], targets != pad
    rows = soft_targets(targets, V, 1 - smoothing, smoothing / (V - 2))
    rows[..., pad] = 0
    rows[~real] = 0
    divergence = rows * (np.log(np.where(rows > 0, rows, 1)) - log_softmax(logits))
    return float(divergence.sum() / real.sum())


@found(
    WRONG,
    "transformer.seq_loss",
    "eladhoffer/utils.pytorch#4",
    "divides by all places, padding too",
)
def loss_of_padding_counted(logits, targets, pad, smoothing=0.0):
    rows = (1 - smoothing) * np.eye(logits.shape[-1])[targets] + smoothing / logits.shape[-1]
    losses = -(rows * log_softmax(logits)).sum(-1)
    return float(np.where(targets == pad, 0, losses).sum() / targets.size)


@found(
    WRONG,
    "transformer.seq_loss",
    "k-tahiro/bert-summarizer#41; likewise EleutherAI/gpt-neo#45",
    "padding is predicted like any word",
)
def loss_of_bert_summarizer(logits, targets, pad, smoothing=0.0):
    rows = (1 - smoothing) * np.eye(logits.shape[-1])[targets] + smoothing / logits.shape[-1]
    return float(-(rows * log_softmax(logits)).sum(-1).mean())


@found(
    WRONG,
    "transformer.seq_loss",
    "huggingface/transformers#47394",
    "the targets are moved a second time",
)
def loss_of_git(logits, targets, pad, smoothing=0.0):
    return loss_of_transformers(logits[..., :-1, :], targets[..., 1:], pad, smoothing)


@found(
    RIGHT,
    "transformer.greedy_decode",
    "huggingface/transformers, generation/utils.py: greedy search",
    "numbers 0 and 1 for the sentences still going on; what has ended gets padding",
)
def greedy_of_transformers(step, B, sos, eos, pad, max_len):
    ids, unfinished = np.full((B, 1), sos), np.ones(B, int)
    while unfinished.max() and ids.shape[1] <= max_len:
        best = step(ids).argmax(-1) * unfinished + pad * (1 - unfinished)
        ids = np.concatenate([ids, best[:, None]], 1)
        unfinished = unfinished * (best != eos)
    return ids, unfinished == 0


@found(
    RIGHT,
    "transformer.greedy_decode",
    "Dao-AILab/flash-attention#2784",
    "fills a table of padding in, as far as it gets",
)
def greedy_of_flash_mended(step, B, sos, eos, pad, max_len):
    ids, going, t = np.full((B, max_len + 1), pad), np.ones(B, bool), 1
    ids[:, 0] = sos
    while t <= max_len and going.any():
        ids[going, t] = step(ids[:, :t])[going].argmax(-1)
        going &= ids[:, t] != eos
        t += 1
    return ids[:, :t], ~going


@found(
    WRONG,
    "transformer.greedy_decode",
    "Dao-AILab/flash-attention#2784, before; likewise lucidrains/h-transformer-1d#9",
    "stops when all sentences end with the same word; one that has ended goes on",
)
def greedy_of_flash(step, B, sos, eos, pad, max_len):
    ids, done = np.full((B, 1), sos), np.zeros(B, bool)
    while not done.all() and ids.shape[1] <= max_len:
        best = step(ids).argmax(-1)
        ids = np.concatenate([ids, best[:, None]], 1)
        done = best == eos
    return ids, done


@found(
    WRONG,
    "transformer.greedy_decode",
    "2000ZRL/SOKE#7",
    "all sentences are done when one is",
)
def greedy_of_soke(step, B, sos, eos, pad, max_len):
    ids, done = np.full((B, 1), sos), np.zeros(B, bool)
    while not done.any() and ids.shape[1] <= max_len:
        best = step(ids).argmax(-1)
        ids = np.concatenate([ids, best[:, None]], 1)
        done = done | (best == eos)
    return ids, done


@found(
    WRONG,
    "transformer.greedy_decode",
    "mistralai/mistral-inference#270",
    "stops rightly, but lets sentences that have ended go on until then",
)
def greedy_of_mistral(step, B, sos, eos, pad, max_len):
    ids, done = np.full((B, 1), sos), np.zeros(B, bool)
    while not done.all() and ids.shape[1] <= max_len:
        best = step(ids).argmax(-1)
        ids = np.concatenate([ids, best[:, None]], 1)
        done = done | (best == eos)
    return ids, done


@found(
    WRONG,
    "transformer.greedy_decode",
    "harvardnlp/annotated-transformer@debc9fd, the_annotated_transformer.py:1313: greedy_decode",
    "for one sentence: the first one's word for all, and no stop at <EOS>",
)
def greedy_of_annotated(step, B, sos, eos, pad, max_len):
    ids = np.full((B, 1), sos)
    for _ in range(max_len):
        best = step(ids).argmax(-1)[0]
        ids = np.concatenate([ids, np.full((B, 1), best)], 1)
    return ids, (ids == eos).any(1)


@found(
    WRONG,
    "transformer.greedy_decode",
    "lilianweng/transformer-tensorflow@ddcebc3, transformer.py:508: predict; likewise"
    " graykode/nlp-tutorial@d05e31e",
    "the model reads places still empty, and writes on to the greatest length",
)
def greedy_of_lilian(step, B, sos, eos, pad, max_len):
    ids = np.full((B, max_len + 1), pad)
    ids[:, 0] = sos
    for t in range(1, max_len + 1):
        ids[:, t] = step(ids).argmax(-1)
    return ids, (ids == eos).any(1)


@found(
    RIGHT,
    "transformer.cached_step",
    "openai/gpt-2@9b63575, src/model.py:69: attn with past",
    "keys and values on one array; new ones joined on along the axis of the words",
)
def cached_of_gpt_2(x_t, cache, P, h):
    x = x_t[..., None, :] + P["pe"][cache.shape[-2]]
    q, k, v = (split(part, h) for part in np.split(x @ P["W"].T + P["b"], 3, axis=-1))
    past_k, past_v = cache
    k, v = np.concatenate([past_k, k], -2), np.concatenate([past_v, v], -2)
    weights = softmax(q @ turned(k) * v.shape[-1] ** -0.5)
    return out(merge(weights @ v), P)[..., 0, :], np.stack([k, v])


@found(
    RIGHT,
    "transformer.cached_step",
    "facebookresearch/llama@54c22c0, llama/model.py:253: Attention.forward",
    "room is made first, and the new token written into it",
)
def cached_of_llama(x_t, cache, P, h):
    t = cache.shape[-2]
    room = np.zeros((*cache.shape[:-2], t + 1, cache.shape[-1]))
    room[..., :t, :] = cache
    parts = np.split((x_t + P["pe"][t]) @ P["W"].T + P["b"], 3, axis=-1)
    q, k, v = (part.reshape(*part.shape[:-1], h, -1) for part in parts)
    room[0, ..., t, :], room[1, ..., t, :] = k, v
    weights = softmax(np.einsum("...d,...td->...t", q, room[0]) / math.sqrt(q.shape[-1]))
    heads = np.einsum("...t,...td->...d", weights, room[1])
    return out(heads.reshape(x_t.shape), P), room


def cached_at(place):
    """As GPT-2, but for the place of the new token, a function of how many are kept."""

    def step(x_t, cache, P, h):
        rows = np.broadcast_to(P["pe"][place(cache.shape[-2])], P["pe"].shape)
        return cached_of_gpt_2(x_t, cache, P | {"pe": rows}, h)

    return step


found(
    WRONG,
    "transformer.cached_step",
    "pytorch/executorch#2010; likewise mosaicml/examples#244",
    "places start from 0 at every step",
)(cached_at(lambda t: 0))

found(
    WRONG,
    "transformer.cached_step",
    "fla-org/flash-linear-attention#766",
    "tokens kept are counted after the new one has been added",
)(cached_at(lambda t: t + 1))


# ---- relatives


@found(
    RIGHT,
    "relatives.graph_attention",
    "pyg-team/pytorch_geometric, torch_geometric/utils/_softmax.py, on a full matrix",
    "powers summed for each node, over the sum and 1e-16",
)
def graph_of_pyg(X, A, Wq, Wk, Wv):
    scores = X @ Wq @ turned(X @ Wk) / math.sqrt(Wk.shape[1])
    highest = np.where(A, scores, -np.inf).max(-1, keepdims=True)
    powers = np.exp(np.where(A, scores - np.where(np.isinf(highest), 0, highest), -np.inf))
    weights = powers / (powers.sum(-1, keepdims=True) + 1e-16)
    return weights @ (X @ Wv), weights


@found(
    WRONG,
    "relatives.graph_attention",
    "pyg-team/pytorch_geometric#224",
    "sums to 1 over the nodes that look, not over those looked at",
)
def graph_of_old_pyg(X, A, Wq, Wk, Wv):
    scores = X @ Wq @ turned(X @ Wk) / math.sqrt(Wk.shape[1])
    weights = turned(masked(turned(scores), turned(np.broadcast_to(A, scores.shape))))
    return weights @ (X @ Wv), weights


@found(
    CONVENTION,
    "relatives.graph_attention",
    "dmlc/dgl#2657",
    "minus infinity where there is no edge: a node without neighbours is NaN",
)
def graph_of_dgl(X, A, Wq, Wk, Wv):
    weights = softmax(np.where(A, X @ Wq @ turned(X @ Wk) / math.sqrt(Wk.shape[1]), -np.inf))
    return weights @ (X @ Wv), weights


@found(
    WRONG,
    "relatives.graph_attention",
    "leffff/graphormer-pyg#14",
    "scores times −1e6 where there is no edge, which makes negative ones the highest",
)
def graph_of_graphormer(X, A, Wq, Wk, Wv):
    scores = X @ Wq @ turned(X @ Wk) / math.sqrt(Wk.shape[1])
    weights = softmax(scores * np.where(A, 1, -1e6))
    return weights @ (X @ Wv), weights


@found(
    RIGHT,
    "relatives.blockwise_attention",
    "lucidrains/memory-efficient-attention-pytorch@d54f391, memory_efficient_attention.py:85",
    "queries in blocks too; each block keeps its own maximum, until all are brought to the highest",
)
def blockwise_of_lucidrains(Q, K, V, block):
    starts = range(0, Q.shape[-2], block)
    return np.concatenate([of_queries(Q[..., i : i + block, :], K, V, block) for i in starts], -2)


def of_queries(Q, K, V, block):
    totals, blends, highest = [], [], []
    for start in range(0, K.shape[-2], block):
        scores = Q * Q.shape[-1] ** -0.5 @ turned(K[..., start : start + block, :])
        highest.append(scores.max(-1))
        powers = np.exp(scores - highest[-1][..., None])
        totals.append(powers.sum(-1))
        blends.append(powers @ V[..., start : start + block, :])
    shares = np.exp(np.array(highest) - np.max(highest, 0))
    total = (np.array(totals) * shares).sum(0)
    return (np.array(blends) * shares[..., None]).sum(0) / (total[..., None] + 1e-8)


@found(
    RIGHT,
    "relatives.blockwise_attention",
    "shreyansh26/FlashAttention-PyTorch@4415951, flash_attention.py:23",
    "the output is divided anew at every block, as in the paper",
)
def blockwise_of_shreyansh(Q, K, V, block):
    output = np.zeros((*Q.shape[:-1], V.shape[-1]))
    total, highest = np.zeros((*Q.shape[:-1], 1)), np.full((*Q.shape[:-1], 1), -1e10)
    for start in range(0, K.shape[-2], block):
        scores = Q / np.sqrt(Q.shape[-1]) @ turned(K[..., start : start + block, :])
        own = scores.max(-1, keepdims=True)
        powers = np.exp(scores - own)
        now = np.maximum(own, highest)
        old, new = np.exp(highest - now), np.exp(own - now)
        grown = old * total + new * (powers.sum(-1, keepdims=True) + 1e-10)
        output = (total * old * output + new * powers @ V[..., start : start + block, :]) / grown
        total, highest = grown, now
    return output


@found(
    WRONG,
    "relatives.blockwise_attention",
    "AminRezaei0x443/memory-efficient-attention@882c5e7, memory_efficient_attention/utils.py:5",
    "a last block that would be too short begins earlier, and sees some keys once more",
)
def blockwise_of_amin_rezaei(Q, K, V, block):
    m = K.shape[-2]
    block = min(block, m)
    starts = np.clip(np.arange(0, m, block), 0, m - block)
    seen = (starts[:, None] + np.arange(block)).ravel()
    return blockwise_of_lucidrains(Q, K[..., seen, :], V[..., seen, :], block)


@found(
    CONVENTION,
    "relatives.layer_cost",
    "karpathy/nanoGPT@3adf61e, transformer_sizing.ipynb: flops",
    "additions count as well",
)
def cost_of_nano_gpt(n, d, dff):
    return {
        "projections": 2 * n * d * 3 * d + 2 * n * d * d,
        "attention": 2 * n * n * d + 2 * n * n * d,
        "ffn": 2 * n * d * dff + 2 * n * dff * d,
    }


# ---- the table


def main() -> int:
    """Print the table; return the exit code."""
    refused = passed = named = 0
    for one in FOUND:
        verdict = one.verdict()
        accepted = verdict.fraction == 1
        refused += one.kind == RIGHT and not accepted
        passed += one.kind != RIGHT and accepted
        named += one.kind != RIGHT and one.named(verdict)
        print(f"{one.kind:18} {one.check:34} {verdict.fraction:4.2f}  {one.where}")
        print(f"    {one.does}")
        if verdict.hint:
            print(f"    {'hint' if one.named(verdict) else 'not named'}: {verdict.hint}")
    right = sum(one.kind == RIGHT for one in FOUND)
    wrong = len(FOUND) - right
    print(f"wild right {right} refused {refused} wrong {wrong} passed {passed} named {named}")
    return int(refused > 0 or passed > 0 or named < 0.9 * wrong)


if __name__ == "__main__":
    sys.exit(main())
