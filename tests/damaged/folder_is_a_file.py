# attention: 0 + 0 + 0
# says: attention is not a folder


def damage(nb, folder):
    folder.rmdir()
    folder.write_text("my homework")
