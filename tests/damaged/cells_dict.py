# attention: 0 + 0 + 0
# says: it has no list of cells


def damage(nb, folder):
    return nb | {"cells": {str(i): cell for i, cell in enumerate(nb["cells"])}}
