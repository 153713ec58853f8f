# attention: 3
# says: overflows
# Exponentials of large scores, without taking the largest off.
def attention(Q, K, V):
    weights = np.exp(Q @ np.swapaxes(K, -1, -2))
    weights = weights / weights.sum(-1, keepdims=True)
    return weights @ V, weights
