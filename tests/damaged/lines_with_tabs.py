# attention: 4 + 6 + 6
from tests.damaged import cell_of


def damage(nb, folder):
    cell = cell_of(nb, "attention")
    cell["source"] = cell["source"].replace("    ", "\t")
    return nb
