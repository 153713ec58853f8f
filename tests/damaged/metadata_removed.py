# attention: 4 + 6 + 6
# says: test_attention was missing
# An editor that drops what it does not know.


def damage(nb, folder):
    for cell in nb["cells"]:
        cell["metadata"] = {}
    return nb
