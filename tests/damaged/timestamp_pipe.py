# attention: 4 + 6 + 6
import os


def damage(nb, folder):
    os.mkfifo(folder / "timestamp.txt")
    return nb
