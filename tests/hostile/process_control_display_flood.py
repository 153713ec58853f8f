# attention: 6
# Four thousand outputs, each a display of its own.
from IPython.display import HTML, display

for number in range(4_000):
    display(HTML(f"<b>{number}</b>"))


def attention(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights
