# attention: 4 + 0 + 6
# says: test_attention was changed; its own text is back
# What stands under a test's name is that test, whatever was written there.
from tests.damaged import swap


def damage(nb, folder):
    return swap(nb, "attention", "test_attention")
