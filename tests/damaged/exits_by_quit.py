# attention: 4 + 6 + 6
from tests.damaged import add


def damage(nb, folder):
    add(nb, "quit()")
    return add(nb, "exit")
