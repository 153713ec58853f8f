# attention: none
# says: not graded: the folder's name
# nbgrader would take it for a pattern, and make no feedback for it.
STUDENT = "[a-z]*?"


def damage(nb, folder):
    return nb
