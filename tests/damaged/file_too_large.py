# attention: 0 + 0 + 0
# says: 101 MiB; at most 100: clear the outputs


def damage(nb, folder):
    with open(folder / "attention.ipynb", "wb") as file:
        file.truncate(101 << 20)  # holds nothing, and takes no room on the disk
