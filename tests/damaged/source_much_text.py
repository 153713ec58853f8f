# attention: 4 + 6 + 6
# says: cut at 0 characters
# Many cells of almost as much text as one may have, which feedback would take an hour to show.
from tests.damaged import text


def damage(nb, folder):
    nb["cells"] += [text("words " * 8_000)] * 100
    return nb
