# attention: 4 + 6 + 6
# says: cut at
# A photograph pasted into the text: five megabytes, which the graded notebook need not hold.


def damage(nb, folder):
    nb["cells"][0]["source"] = "![](data:image/png;base64," + "iVBORw0KGgo" * 500_000 + ")"
    return nb
