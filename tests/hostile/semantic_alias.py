# attention: 0
# The values become zeros and are returned themselves.
def attention(Q, K, V):
    V[...] = 0
    Q[...] = 0
    return V, Q
