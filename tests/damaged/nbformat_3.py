# attention: 4 + 6 + 6
import nbformat


def damage(nb, folder):
    return nbformat.convert(nbformat.from_dict(nb), 3)
