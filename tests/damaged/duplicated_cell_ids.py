# attention: 4 + 6 + 6
# Every cell has the same id, which nbformat forbids.


def damage(nb, folder):
    for cell in nb["cells"]:
        cell["id"] = "same"
    return nb
