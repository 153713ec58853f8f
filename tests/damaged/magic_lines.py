# attention: 4 + 6 + 6
from tests.damaged import add


def damage(nb, folder):
    add(nb, "%matplotlib inline\n%load_ext autoreload\n%autoreload 2\n%config x\nnp.zeros?")
    return add(nb, "%nonsense\n")
