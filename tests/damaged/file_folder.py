# attention: 0 + 0 + 0
# says: attention.ipynb is not a regular file
from tests.damaged import hand_in


def damage(nb, folder):
    (folder / "attention.ipynb").mkdir()
    hand_in(nb, folder / "attention.ipynb" / "attention.ipynb")
