# attention: 0 + 0 + 0
# says: not a notebook
# Says that it has worksheets, but has cells.


def damage(nb, folder):
    return nb | {"nbformat": 3}
