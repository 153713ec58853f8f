# attention: 4 + 6 + 6
from tests.damaged import tests_of


def damage(nb, folder):
    for cell in tests_of(nb):
        cell["metadata"]["nbgrader"] |= {"grade": False, "locked": False, "solution": False}
    return nb
