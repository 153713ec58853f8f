# attention: 4 + 6 + 6
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "print('\\x1b[2J\\x07\\x08\\x00\\ud800 \\x1b]0;title\\x07')")
