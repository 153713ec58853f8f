# attention: 4 + 0 + 6
# says: SyntaxError: incomplete input
# Split a cell in the middle of the function: neither half is Python.
from tests.damaged import cell_of, code, place_of


def damage(nb, folder):
    cell = cell_of(nb, "attention")
    lines = cell["source"].splitlines(keepends=True)
    cell["source"] = "".join(lines[-3:])
    nb["cells"].insert(place_of(nb, "attention"), code(lines[0]))
    return nb
