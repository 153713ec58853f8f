# attention: 4 + 6 + 6
# says: test_attend_one was missing
# All code in one cell without a name.
from tests.damaged import code


def damage(nb, folder):
    sources = ["".join(cell["source"]) for cell in nb["cells"] if cell["cell_type"] == "code"]
    nb["cells"] = [code("\n\n".join(sources))]
    return nb
