# attention: 0 + 0 + 0
# says: it has 3,013 cells; at most 2,000 are graded
from tests.damaged import code


def damage(nb, folder):
    nb["cells"] += [code("1")] * (3_013 - len(nb["cells"]))
    return nb
