# attention: 4 + 6 + 6
# All answers above, all tests below.
from tests.damaged import name_of


def damage(nb, folder):
    nb["cells"].sort(key=lambda cell: name_of(cell).startswith("test_"))
    return nb
