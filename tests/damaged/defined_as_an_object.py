# attention: 4 + 6 + 6
# Anything that can be called will do.
from tests.damaged import cell_of

SOURCE = """


class Attention:
    def __call__(self, Q, K, V):
        return plain_attention(Q, K, V)


plain_attention, attention = attention, Attention()
"""


def damage(nb, folder):
    cell_of(nb, "attention")["source"] += SOURCE
    return nb
