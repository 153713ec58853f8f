# attention: 4 + 6 + 6
# In UTC it would be in the year 0.


def damage(nb, folder):
    (folder / "timestamp.txt").write_text("0001-01-01T00:00:00+14:00")
    return nb
