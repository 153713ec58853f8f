# attention: 4 + 6 + 6
# says: test_attention was missing
from tests.damaged import cell_of


def damage(nb, folder):
    cell_of(nb, "additive_scores")["metadata"]["nbgrader"] = 5
    for name, odd in (("attention", [1, 2]), ("test_attention", "none")):
        cell_of(nb, name)["metadata"] = odd
    nb["metadata"] = 7
    return nb
