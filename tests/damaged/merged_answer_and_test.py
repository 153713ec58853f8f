# attention: 4 + 6 + 6
# says: test_attention was missing
# An answer and its test in one cell.
from tests.damaged import cell_of, drop


def damage(nb, folder):
    test = "".join(cell_of(nb, "test_attention")["source"])
    cell_of(nb, "attention")["source"] += "\n\n" + test
    return drop(nb, "test_attention")
