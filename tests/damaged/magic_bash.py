# attention: 4 + 6 + 6
# says: from a shell
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "%%bash\nfor word in from a shell; do echo -n $word' '; done")
