# attention: 4 + 6 + 6
# says: it ran longer than 2 s
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "import time\ntime.sleep(3600)")
