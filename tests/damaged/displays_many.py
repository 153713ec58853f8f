# attention: 4 + 6 + 6
# says: output cut at
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "for i in range(20_000):\n    display(i)")
