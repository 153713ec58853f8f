# attention: 4 + 6 + 6
# says: output cut at
# Each cell as much as one may show: together too much for a notebook.
from tests.damaged import add


def damage(nb, folder):
    for _ in range(40):
        add(nb, "print('x' * 199_000)")
    return nb
