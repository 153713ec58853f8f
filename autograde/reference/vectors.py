"""Chapter `vectors`: cosine similarity, softmax, and pairs of vectors that tell words apart.

Sources: Bridle (1990), Probabilistic Interpretation of Feedforward Classification Network
Outputs, for the softmax; Rodgers and Nicewander (1988), Thirteen Ways to Look at the Correlation
Coefficient, for the correlation as the cosine of centred vectors.
"""

import numpy as np


def cosine_matrix(X: np.ndarray) -> np.ndarray:
    """Compare the directions of all rows, each with each.

    C[i, j] = x_i · x_j / (|x_i| |x_j|). A zero row has no direction: its cosines are 0.

    Args:
        X: (n, d) real.

    Returns:
        (n, n) float32 if X is float32, else float64.
    """
    X = np.asarray(X)
    rows = X.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)  # (n, 1)
    units = rows / np.where(lengths == 0, 1, lengths)
    return (units @ units.T).astype(X.dtype if X.dtype == np.float32 else np.float64)


def softmax(z: np.ndarray, axis: int = -1, temperature: float = 1.0) -> np.ndarray:
    """Turn scores into weights that are not negative and sum to 1 along an axis.

    exp(z_i / T) / Σ_j exp(z_j / T)

    Args:
        z: any shape, real. May hold -inf, not everywhere along the axis.
        axis: along which the weights sum to 1.
        temperature: T > 0; the higher, the more alike the weights.

    Returns:
        the shape of z, float64.

    Raises:
        ValueError: the temperature is not positive.
    """
    if temperature <= 0:
        raise ValueError(f"the temperature must be above 0, not {temperature}")
    logits = np.asarray(z, np.float64) / temperature
    # Shifting all logits alike changes no weight, and keeps exp from overflowing.
    powers = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def witnesses() -> dict[str, np.ndarray]:
    """Give one pair of vectors for each of four words that are often taken for one another.

    Returns:
        name -> (2, 4) float64, the two vectors as rows. Linearly independent but not orthogonal;
        orthogonal but linearly dependent, with a zero vector; orthogonal but correlated;
        uncorrelated but (statistically) dependent, the four entries being equally likely. No entry
        is 0, but in the zero vector.
    """
    return {
        "independent_not_orthogonal": np.array([[1.0, 1, 1, 1], [1, 2, 3, 4]]),
        "orthogonal_dependent": np.array([[0.0, 0, 0, 0], [1, 2, 3, 4]]),
        # The second is 5 minus twice the first, so that one rises as the other falls.
        "orthogonal_but_correlated": np.array([[1.0, 3, 1, 3], [3, -1, 3, -1]]),
        "uncorrelated_but_dependent": np.array([[-2.0, -1, 1, 2], [4, 1, 1, 4]]),
    }
