# attention: 4 + 6 + 6
from tests.damaged import swap


def damage(nb, folder):
    return swap(nb, "attend_one", "additive_scores")
