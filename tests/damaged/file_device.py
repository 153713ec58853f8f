# attention: 0 + 0 + 0
# says: attention.ipynb is a link
# Reading it would never end.


def damage(nb, folder):
    (folder / "attention.ipynb").symlink_to("/dev/zero")
