# attention: 0 + 0 + 0
# says: attention.ipynb is missing; found:


def damage(nb, folder):
    for number in range(1_000):
        (folder / f"a file with a rather long name, number {number:04}.txt").touch()
