# attention: 4 + 6 + 6


def damage(nb, folder):
    nb["metadata"]["kernelspec"] = None
    return nb
