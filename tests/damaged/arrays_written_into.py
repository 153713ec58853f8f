# attention: 4 + 6 + 6
# says: your function writes into its argument Q
# Right answers, and no argument left as it was.
from tests.damaged import cell_of

SOURCE = """


ours = attention


def attention(Q, K, V):
    answer = ours(Q, K, V)
    Q[...] = 0
    return answer
"""


def damage(nb, folder):
    cell_of(nb, "attention")["source"] += SOURCE
    return nb
