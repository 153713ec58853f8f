# attention: 0
# No numbers at all, in the right shape: a comparison that lets NaN equal NaN would pass them.
def attention(Q, K, V):
    return np.full(Q.shape[:-1] + V.shape[-1:], np.nan), np.full(
        Q.shape[:-1] + K.shape[-2:-1], np.nan
    )
