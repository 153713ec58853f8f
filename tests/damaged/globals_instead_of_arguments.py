# attention: 4 + 0 + 6
# says: uses Q
# Reads the Q and K that the visible example leaves behind.
from tests.damaged import answer

SOURCE = """
def attention(q, k, v):
    weights = np.exp(Q @ K.T)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v, weights
"""


def damage(nb, folder):
    return answer(nb, "attention", SOURCE)
