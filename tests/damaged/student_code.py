# attention: 4 + 6 + 6
# Letters that SQL, a shell or Python's format would read.
STUDENT = "{0}%s'; DROP TABLE student;-- $(id) \\ `x` &amp; #"


def damage(nb, folder):
    return nb
