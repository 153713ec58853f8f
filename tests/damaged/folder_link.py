# attention: 0 + 0 + 0
# says: attention is a link
from tests.damaged import hand_in


def damage(nb, folder):
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    hand_in(nb, elsewhere / "attention.ipynb")
    folder.rmdir()
    folder.symlink_to(elsewhere)
