# attention: 4 + 6 + 6
# An answer in two cells, of which one has no name.
from tests.damaged import answer, code, place_of

HELPER = """
def softmax(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""
ANSWER = """
def attention(Q, K, V):
    weights = softmax(Q @ np.swapaxes(K, -1, -2))
    return weights @ V, weights
"""


def damage(nb, folder):
    answer(nb, "attention", ANSWER)
    nb["cells"].insert(place_of(nb, "attention"), code(HELPER))
    return nb
