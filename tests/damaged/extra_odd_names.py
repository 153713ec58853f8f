# attention: 4 + 6 + 6
import os


def damage(nb, folder):
    for name in ("my notes.txt", "作业 一.txt", "-rf", "a\nb", "d=3.csv", "x" * 200, "[a]*?.py"):
        (folder / name).touch()
    with open(os.path.join(os.fsencode(folder), b"\xff\xfe.txt"), "wb"):
        pass
    return nb
