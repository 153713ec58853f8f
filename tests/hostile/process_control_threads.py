# attention: 6
# Threads that run on after every call and every cell, as many as there may be.
import threading
import time

try:
    for _ in range(1_000):
        threading.Thread(target=lambda: time.sleep(100), daemon=True).start()
except RuntimeError as error:
    print(error)


def attention(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights
