# attention: 4 + 6 + 6
# Ten megabytes that some extension keeps in the notebook.


def damage(nb, folder):
    nb["metadata"]["widgets"] = {"state": "x" * (10 << 20)}
    return nb
