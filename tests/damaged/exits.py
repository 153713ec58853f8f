# attention: 4 + 6 + 6
# says: SystemExit
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "import sys\nsys.exit()")
