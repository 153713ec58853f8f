# attention: 4 + 6 + 6
from tests.damaged import cell_of

SOURCE = """


ours = attention


def attention(Q, K, V):
    output, weights = ours(Q, K, V)
    for array in (Q, K, V, output, weights):
        array.setflags(write=False)
    return np.broadcast_to(output, output.shape), weights[:]
"""


def damage(nb, folder):
    cell_of(nb, "attention")["source"] += SOURCE
    return nb
