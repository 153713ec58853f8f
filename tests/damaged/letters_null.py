# attention: 4 + 0 + 6
# says: null byte
# A character that no Python source may hold costs its cell only.
from tests.damaged import cell_of


def damage(nb, folder):
    cell_of(nb, "attention")["source"] += "\n# \x00"
    return nb
