# attention: 0 + 0 + 0
# says: `attention` is not defined


def damage(nb, folder):
    nb["cells"] = []
    return nb
