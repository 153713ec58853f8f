# attention: 4 + 6 + 6
# says: is a copy of test_additive_scores
# Pasted the whole notebook below itself.
import copy


def damage(nb, folder):
    nb["cells"] += copy.deepcopy(nb["cells"])
    return nb
