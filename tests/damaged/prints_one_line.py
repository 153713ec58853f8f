# attention: 4 + 6 + 6
# says: output cut at
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "print('x' * 60_000_000)")
