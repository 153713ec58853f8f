# attention: 0 + 0 + 0
# says: attention/attention.ipynb is missing; found: attention.ipynb
from tests.damaged import hand_in


def damage(nb, folder):
    folder.rmdir()
    hand_in(nb, folder.parent / "attention.ipynb")
