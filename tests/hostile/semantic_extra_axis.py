# attention: 0
# says: shape
# The right values with one more axis, which would be stretched over all others.
def inner(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights


def attention(Q, K, V):
    return tuple(part[None] for part in inner(Q, K, V))
