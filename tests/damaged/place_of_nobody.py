# attention: none
# says: it lies in no student's folder; put it into STUDENT/attention/attention.ipynb
from tests.damaged import hand_in

STUDENT = "attention (2).ipynb"


def damage(nb, folder):
    folder.rmdir()
    folder.parent.rmdir()
    hand_in(nb, folder.parent)
