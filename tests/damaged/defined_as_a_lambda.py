# attention: 4 + 6 + 6
from tests.damaged import answer

SOURCE = """
softmax = lambda x: (e := np.exp(x - x.max(-1, keepdims=True))) / e.sum(-1, keepdims=True)
attention = lambda Q, K, V: ((w := softmax(Q @ np.swapaxes(K, -1, -2))) @ V, w)
"""


def damage(nb, folder):
    return answer(nb, "attention", SOURCE)
