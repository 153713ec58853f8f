# attention: 4 + 6 + 6
# says: attention was a markdown cell
# One key, m, makes text of an answer.
from tests.damaged import cell_of


def damage(nb, folder):
    cell = cell_of(nb, "attention")
    nb["cells"][nb["cells"].index(cell)] = {
        "cell_type": "markdown",
        "id": "attention",
        "metadata": cell["metadata"],
        "source": cell["source"],
    }
    return nb
