# attention: 4 + 6 + 6
# says: attention was missing
# Two answers in one cell.
from tests.damaged import cell_of, drop


def damage(nb, folder):
    cell_of(nb, "attend_one")["source"] += "\n\n" + cell_of(nb, "attention")["source"]
    return drop(nb, "attention")
