# attention: 0 + 0 + 0
# says: attention.ipynb cannot be opened
import os
import socket


def damage(nb, folder):
    before = os.getcwd()
    os.chdir(folder)  # the name of a socket may have about a hundred characters
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("attention.ipynb")
    os.chdir(before)
