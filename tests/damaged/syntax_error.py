# attention: 4 + 0 + 6
# says: SyntaxError
from tests.damaged import cell_of


def damage(nb, folder):
    cell_of(nb, "attention")["source"] += "\nreturn ((\n"
    return nb
