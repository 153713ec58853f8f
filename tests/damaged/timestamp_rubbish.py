# attention: 4 + 6 + 6


def damage(nb, folder):
    (folder / "timestamp.txt").write_text("yesterday, before noon (I think) \x00\n")
    return nb
