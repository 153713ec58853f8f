# attention: 0 + 0 + 0
# says: name 'np' is not defined
# Works where it was written, since np is still there; not from top to bottom.


def damage(nb, folder):
    nb["cells"] = [cell for cell in nb["cells"] if "import numpy" not in "".join(cell["source"])]
    return nb
