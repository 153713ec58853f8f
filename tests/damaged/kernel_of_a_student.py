# attention: 4 + 6 + 6


def damage(nb, folder):
    nb["metadata"]["kernelspec"] = {"name": "conda-root-py", "display_name": "py (conda)"}
    return nb
