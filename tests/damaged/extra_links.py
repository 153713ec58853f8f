# attention: 4 + 6 + 6
# A link beside the notebook, to everything there is, and a pipe: nobody opens them.
import os


def damage(nb, folder):
    (folder / "all").symlink_to("/")
    (folder / "up").symlink_to("..")
    os.mkfifo(folder / "data.csv")
    return nb
