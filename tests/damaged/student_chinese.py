# attention: 4 + 6 + 6
STUDENT = "李 雷+韩梅梅"


def damage(nb, folder):
    return nb
