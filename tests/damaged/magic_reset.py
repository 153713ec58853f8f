# attention: 0 + 0 + 0
# says: name 'np' is not defined
# Forgets everything, the import too.
from tests.damaged import add


def damage(nb, folder):
    return add(nb, "%reset -f")
