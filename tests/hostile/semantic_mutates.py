# attention: 6
# says: writes into its argument Q
# The right values, but the queries are overwritten on the way.
def inner(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights


def attention(Q, K, V):
    out = inner(Q, K, V)
    Q[...] = 0
    return out
