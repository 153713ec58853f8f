# attention: none
# says: not graded: the folder's name
# A name in an old encoding, which no table and no gradebook can hold.
STUDENT = b"ren\xe9e".decode("utf-8", "surrogateescape")


def damage(nb, folder):
    return nb
