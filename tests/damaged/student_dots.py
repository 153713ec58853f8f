# attention: none
# says: not graded: the folder's name
# nbgrader would make no feedback for it.
STUDENT = "..ada"


def damage(nb, folder):
    return nb
