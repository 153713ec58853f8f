# attention: 4 + 6 + 6
# says: MemoryError
# A batch that is too large by far costs its cell only.
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "np.ones((10**6, 10**6))")
