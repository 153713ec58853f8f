# attention: 4 + 6 + 6
# says: hello from echo
from tests.damaged import add


def damage(nb, folder):
    add(nb, "!echo hello from echo\nfiles = !ls\n!cd /nowhere\n!exit 3")
    return nb
