"""Chapter `layer_norm`: layer normalization, and the encoder layer put together.

Sources: Ba, Kiros and Hinton (2016), Layer Normalization; Vaswani et al. (2017), Attention Is All
You Need, section 3.1; Xiong et al. (2020), On Layer Normalization in the Transformer Architecture,
for the two places of the norm.
"""

from collections.abc import Mapping

import numpy as np

from autograde.reference.feed_forward import ffn
from autograde.reference.multi_head import multi_head


def layer_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """Bring each token to mean 0 and variance 1 over its features, then to a learned scale.

    γ (x - μ) / √(σ² + ε) + β, with σ² the mean of (x - μ)²: the biased variance, ε in the root.

    Args:
        x: (..., d) real.
        gamma: (d,) real.
        beta: (d,) real.
        eps: ε > 0.

    Returns:
        (..., d) float64.

    Raises:
        ValueError: gamma or beta differs from x in d, or eps is not positive.
    """
    x, gamma, beta = (np.asarray(array, np.float64) for array in (x, gamma, beta))
    for name, scale in (("gamma", gamma), ("beta", beta)):
        if scale.shape != x.shape[-1:]:
            raise ValueError(f"x and {name} differ in d: {x.shape[-1]} and {scale.shape}")
    if eps <= 0:
        raise ValueError(f"eps must be above 0, not {eps}")
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gamma * centred / np.sqrt(variance + eps) + beta


def encoder_layer(
    x: np.ndarray,
    P: Mapping[str, np.ndarray],
    h: int,
    mask: np.ndarray | None = None,
    norm_first: bool = False,
) -> np.ndarray:
    """Let tokens look at each other, then transform each, with a skip and a norm at both steps.

    Post-norm: y = LN₁(x + MHA(x)), output = LN₂(y + FFN(y)).
    Pre-norm: y = x + MHA(LN₁(x)), output = y + FFN(LN₂(y)).

    Args:
        x: (..., n, d) real.
        P: the parameters: "W", "b", "Wo", "bo" as in `multi_head`, "W1", "b1", "W2", "b2" as in
            `ffn`, "gamma1", "beta1", "gamma2", "beta2" of the two norms.
        h: how many heads; divides d.
        mask: bool, broadcast to (..., h, n, n); True where a query may look. None: everywhere.
        norm_first: whether pre-norm.

    Returns:
        (..., n, d) float64.

    Raises:
        ValueError: x and the parameters differ in d, or h does not divide it.
    """

    def attend(tokens: np.ndarray) -> np.ndarray:
        return multi_head(tokens, tokens, P, h, mask)[0]

    def feed(tokens: np.ndarray) -> np.ndarray:
        return ffn(tokens, P["W1"], P["b1"], P["W2"], P["b2"])

    def norm(tokens: np.ndarray, which: int) -> np.ndarray:
        return layer_norm(tokens, P[f"gamma{which}"], P[f"beta{which}"])

    x = np.asarray(x, np.float64)
    if norm_first:
        y = x + attend(norm(x, 1))
        return y + feed(norm(y, 2))
    y = norm(x + attend(x), 1)
    return norm(y + feed(y), 2)
