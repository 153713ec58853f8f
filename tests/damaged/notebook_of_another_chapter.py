# attention: 0 + 0 + 0
# says: this is the notebook of vectors; hand in the one of this chapter
from tests.demo_class import notebook_of


def damage(nb, folder):
    return notebook_of("vectors", {})
