# attention: 4 + 6 + 6


def damage(nb, folder):
    return nb | {"nbformat": 5, "nbformat_minor": 0}
