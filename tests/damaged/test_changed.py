# attention: 4 + 0 + 6
# says: test_attention was changed; its own text is back
from tests.damaged import answer, cell_of


def damage(nb, folder):
    cell_of(nb, "test_attention")["source"] = "assert True"
    return answer(nb, "attention", "def attention(Q, K, V):\n    return V, Q\n")
