# attention: 0 + 0 + 0
# says: attention/attention.ipynb is missing; found: Attention
from tests.damaged import hand_in


def damage(nb, folder):
    folder.rmdir()
    (folder.parent / "Attention").mkdir()
    hand_in(nb, folder.parent / "Attention" / "attention.ipynb")
