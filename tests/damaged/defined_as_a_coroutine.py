# attention: 4 + 0 + 6
# says: returned a coroutine
from tests.damaged import cell_of


def damage(nb, folder):
    cell = cell_of(nb, "attention")
    cell["source"] = "async " + cell["source"].lstrip()
    return nb
