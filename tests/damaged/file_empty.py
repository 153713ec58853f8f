# attention: 0 + 0 + 0
# says: it is empty


def damage(nb, folder):
    return b""
