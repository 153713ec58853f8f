# attention: 0 + 0 + 0
# says: attention.ipynb is missing; found: attention (1).ipynb
from tests.damaged import hand_in


def damage(nb, folder):
    hand_in(nb, folder / "attention (1).ipynb")
