# attention: 0 + 0 + 0
# says: attention.ipynb is a link
from tests.damaged import hand_in


def damage(nb, folder):
    hand_in(nb, folder.parent.parent / "link_target.txt")
    (folder / "attention.ipynb").symlink_to(folder.parent.parent / "link_target.txt")
