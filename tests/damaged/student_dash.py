# attention: 4 + 6 + 6
STUDENT = "--help"


def damage(nb, folder):
    return nb
