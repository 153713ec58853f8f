# attention: 4 + 6 + 6
# The later one counts.
from tests.damaged import cell_of


def damage(nb, folder):
    cell = cell_of(nb, "attention")
    cell["source"] = "def attention(Q, K, V):\n    return V, Q\n\n\n" + cell["source"]
    return nb
