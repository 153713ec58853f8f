# attention: 0 + 0 + 0
# says: cell 2 has a source that is a int, not text


def damage(nb, folder):
    nb["cells"][1]["source"] = 5
    return nb
