# attention: 4 + 6 + 6
STUDENT = "<img src=x onerror=harm()>"


def damage(nb, folder):
    return nb
