# attention: 4 + 6 + 6
# What comes after the test does not count in it.
from tests.damaged import code


def damage(nb, folder):
    nb["cells"].append(code("def attention(Q, K, V):\n    return V, Q\n"))
    return nb
