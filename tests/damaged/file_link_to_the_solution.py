# attention: 0 + 0 + 0
# says: attention.ipynb is a link
from autograde.wall import COURSE


def damage(nb, folder):
    solution = COURSE / "solutions" / "attention" / "attention.ipynb"
    (folder / "attention.ipynb").symlink_to(solution)
