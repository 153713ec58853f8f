# attention: 4 + 6 + 6
# says: waited for 7
from tests.damaged import add


def damage(nb, folder):
    source = "import asyncio\nprint('waited for', await asyncio.sleep(0, 7))"
    return add(nb, source)
