# attention: 4 + 6 + 6
# says: SyntaxError
# One key, y, makes code of the task's text.


def damage(nb, folder):
    for cell in nb["cells"]:
        cell["cell_type"] = "code"
    return nb
