# attention: 0 + 0 + 0
# says: attention.ipynb is missing; found:
# What is found is told, whatever letters its name has.
import os


def damage(nb, folder):
    with open(os.path.join(os.fsencode(folder), b"\x1b[2J\xff.ipynb"), "wb"):
        pass
