# attention: 4 + 6 + 6
from tests.damaged import cell_of

SOURCE = """


import functools

attend = attention
attention = functools.partial(lambda scale, Q, K, V: attend(scale * Q, K, V), 1.0)
"""


def damage(nb, folder):
    cell_of(nb, "attention")["source"] += SOURCE
    return nb
