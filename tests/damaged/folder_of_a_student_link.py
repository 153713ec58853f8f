# attention: 0 + 0 + 0
# says: is a link; hand in the folder itself
from tests.damaged import hand_in


def damage(nb, folder):
    student = folder.parent
    elsewhere = student.parent.parent / "elsewhere"
    (elsewhere / "attention").mkdir(parents=True)
    hand_in(nb, elsewhere / "attention" / "attention.ipynb")
    folder.rmdir()
    student.rmdir()
    student.symlink_to(elsewhere)
