# attention: none
# says: not graded: the folder's name
# A line of its own in the table, and a command for the terminal.
STUDENT = "eve\na_right  16\x1b[2J"


def damage(nb, folder):
    return nb
