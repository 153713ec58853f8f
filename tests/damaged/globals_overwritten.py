# attention: 4 + 6 + 6
# Names of Python's own in other use, as beginners do.
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "list, sum, max, len, print, type, id = [1], 2, 3, 4, 5, 6, 7")
