# attention: 4 + 6 + 6
from tests.damaged import cell_of


def damage(nb, folder):
    cell = cell_of(nb, "attention")
    head, _, body = cell["source"].partition("\n")
    cell["source"] = f"{head}\n    print('x' * 10_000)\n{body}"
    return nb
