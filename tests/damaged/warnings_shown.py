# attention: 4 + 6 + 6
# says: only a warning
from tests.damaged import add


def damage(nb, folder):
    source = "import warnings\nwarnings.warn('only a warning')\nnp.log(np.zeros(2))\n"
    return add(nb, source)
