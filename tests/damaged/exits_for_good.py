# attention: 4 + 6 + 6
# says: it ended its own process (exit code 0)
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "import os\nos._exit(0)")
