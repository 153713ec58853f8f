# attention: 4 + 6 + 6
# Names, defaults and more arguments are the learner's own.
from tests.damaged import cell_of


def damage(nb, folder):
    cell = cell_of(nb, "attention")
    cell["source"] += "\n\nours = attention\n\ndef attention(*all, mask=None, **more):\n"
    cell["source"] += "    return ours(*all)\n"
    return nb
