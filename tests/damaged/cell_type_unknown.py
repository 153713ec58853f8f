# attention: 4 + 6 + 6
# says: test_attention was a raw cell
from tests.damaged import cell_of


def damage(nb, folder):
    cell_of(nb, "test_attention")["cell_type"] = "heading"
    cell_of(nb, "attention")["cell_type"] = ["code"]
    return nb
