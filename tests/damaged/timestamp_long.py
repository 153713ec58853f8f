# attention: 4 + 6 + 6
# To look for a date in it would take minutes.


def damage(nb, folder):
    (folder / "timestamp.txt").write_text("12 " * 1_000_000)
    return nb
