# attention: 4 + 6 + 6
# says: EOFError
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "n = int(input('How many? '))")
