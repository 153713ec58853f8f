# attention: 4 + 0 + 6
# says: test_attention was missing
# A deleted test takes nobody's points away, and gives none.
from tests.damaged import answer, drop


def damage(nb, folder):
    answer(nb, "attention", "def attention(Q, K, V):\n    return 1 / 0\n")
    return drop(nb, "test_attention")
