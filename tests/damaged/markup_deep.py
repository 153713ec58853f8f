# attention: 4 + 6 + 6
# Text that is nested deeper than anyone would read.
from tests.damaged import text


def damage(nb, folder):
    nb["cells"].insert(0, text(">" * 3_000 + "[" * 3_000 + "*" * 3_000))
    return nb
