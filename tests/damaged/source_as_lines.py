# attention: 4 + 6 + 6


def damage(nb, folder):
    for cell in nb["cells"]:
        cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
    return nb
