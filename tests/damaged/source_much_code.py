# attention: 0 + 0 + 0
# says: of code; at most
# Many cells of almost as much code as one may have: to look at it all would take an hour.
from tests.damaged import code


def damage(nb, folder):
    nb["cells"] += [code("x = [" + "0," * 90_000 + "]")] * 40
    return nb
