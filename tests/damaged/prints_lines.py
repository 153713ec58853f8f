# attention: 4 + 6 + 6
# says: output cut at
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "for i in range(300_000):\n    print(i)")
