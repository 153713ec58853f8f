# attention: 4 + 6 + 6
# An editor that strips blank ends of lines, or adds some, has changed nothing.
from tests.damaged import graded_cells


def damage(nb, folder):
    for cell in graded_cells(nb):
        cell["source"] = "\n" + "".join(cell["source"]) + "\n\n   "
    return nb
