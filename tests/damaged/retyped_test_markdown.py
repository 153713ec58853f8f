# attention: 4 + 6 + 6
# says: test_attention was a markdown cell
from tests.damaged import cell_of


def damage(nb, folder):
    cell_of(nb, "test_attention")["cell_type"] = "markdown"
    return nb
