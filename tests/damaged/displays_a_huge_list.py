# attention: 4 + 6 + 6
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "np.random.default_rng(0).random((128, 128, 3)).tolist()")
