# attention: 4 + 6 + 6
# says: MemoryError
# An expression that Python's own parser gives up on costs its cell only.
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "x = " + "-" * 100_000 + "1")
