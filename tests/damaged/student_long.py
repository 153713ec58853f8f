# attention: 4 + 6 + 6
STUDENT = "a_" + "long_" * 40


def damage(nb, folder):
    return nb
