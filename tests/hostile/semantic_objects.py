# attention: 0
# says: dtype
# Python's numbers in an array of objects.
def inner(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights


def attention(Q, K, V):
    return tuple(part.astype(object) for part in inner(Q, K, V))
