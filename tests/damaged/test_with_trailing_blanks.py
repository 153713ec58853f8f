# attention: 4 + 6 + 6
# An editor that strips blank ends of lines, or adds some, has changed nothing.
from tests.damaged import tests_of


def damage(nb, folder):
    for cell in tests_of(nb):
        cell["source"] = "\n" + "".join(cell["source"]) + "\n\n   "
    return nb
