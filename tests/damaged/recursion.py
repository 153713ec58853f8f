# attention: 4 + 0 + 6
# says: RecursionError
from tests.damaged import add, answer


def damage(nb, folder):
    add(nb, "def down(n):\n    return down(n + 1)\n\ndown(0)")
    return answer(nb, "attention", "def attention(Q, K, V):\n    return attention(Q, K, V)\n")
