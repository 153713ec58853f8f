# attention: 4 + 6 + 6


def damage(nb, folder):
    (folder / "timestamp.txt").symlink_to("/etc/hostname")
    return nb
