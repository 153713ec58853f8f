# attention: 4 + 6 + 6
from tests.damaged import code


def damage(nb, folder):
    nb["cells"] += [code("")] * 300
    return nb
