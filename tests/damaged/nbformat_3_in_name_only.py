# attention: 4 + 6 + 6
# Says that it has worksheets, but has cells, which are as good.


def damage(nb, folder):
    return nb | {"nbformat": 3}
