# attention: 0
# Two processes answer the same question, and the next.
import os


def attention(Q, K, V):
    os.fork()
    return np.zeros(Q.shape[:-1] + V.shape[-1:]), np.zeros(Q.shape[:-1] + K.shape[-2:-1])
