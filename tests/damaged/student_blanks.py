# attention: 4 + 6 + 6
STUDENT = "Ada  King Lovelace (she-her), 2nd try"


def damage(nb, folder):
    return nb
