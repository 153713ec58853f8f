# attention: 0 + 0 + 0
# says: attention.ipynb is not a regular file
import os


def damage(nb, folder):
    os.mkfifo(folder / "attention.ipynb")
