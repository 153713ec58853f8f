# attention: 4 + 6 + 6
# says: is a copy of test_attention
# Copied a test, name and all, as nbgrader does on copy and paste.
import copy

from tests.damaged import place_of


def damage(nb, folder):
    place = place_of(nb, "test_attention")
    nb["cells"].insert(place, copy.deepcopy(nb["cells"][place]))
    return nb
