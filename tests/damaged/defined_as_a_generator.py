# attention: 4 + 0 + 6
# says: returned a generator
from tests.damaged import answer


def damage(nb, folder):
    return answer(nb, "attention", "def attention(Q, K, V):\n    yield V\n    yield Q\n")
