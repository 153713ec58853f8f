# attention: 4 + 0 + 6
# says: `attention` is not defined
from tests.damaged import drop


def damage(nb, folder):
    return drop(nb, "attention")
