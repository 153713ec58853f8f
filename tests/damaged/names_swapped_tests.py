# attention: 4 + 0 + 6
# says: test_attention was changed; its own text is back
# The test of attention comes before attention is defined.
from tests.damaged import swap


def damage(nb, folder):
    return swap(nb, "test_attend_one", "test_attention")
