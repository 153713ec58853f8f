# attention: 4 + 6 + 6
# For nbgrader a test that writes there has failed.
from tests.damaged import cell_of

SOURCE = """

import sys

quiet = attention


def attention(Q, K, V):
    print("working", file=sys.stderr)
    return quiet(Q, K, V)
"""


def damage(nb, folder):
    cell_of(nb, "attention")["source"] += SOURCE
    return nb
