# attention: 4 + 6 + 6
# There is no network; it is stopped, and the rest is graded.
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "%pip install einops")
