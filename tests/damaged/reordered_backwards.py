# attention: 0 + 0 + 0
# says: `attention` is not defined
# Every test stands above its answer, the import comes last: nothing runs from top to bottom.


def damage(nb, folder):
    nb["cells"].reverse()
    return nb
