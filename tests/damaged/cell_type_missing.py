# attention: 4 + 6 + 6
# says: attention was a raw cell
from tests.damaged import cell_of


def damage(nb, folder):
    del cell_of(nb, "attention")["cell_type"]
    return nb
