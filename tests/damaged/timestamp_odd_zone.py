# attention: 4 + 6 + 6


def damage(nb, folder):
    (folder / "timestamp.txt").write_text("2026-11-29 12:00:00 99999999999999999999")
    return nb
