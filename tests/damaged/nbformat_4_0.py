# attention: 4 + 6 + 6


def damage(nb, folder):
    for cell in nb["cells"]:
        del cell["id"]
    return nb | {"nbformat_minor": 0}
