# attention: 4 + 6 + 6
from tests.damaged import graded_cells


def damage(nb, folder):
    for cell in graded_cells(nb):
        cell["metadata"]["nbgrader"] |= {"grade": False, "locked": False, "solution": False}
    return nb
