# attention: 0 + 0 + 0
# says: not a notebook (JSON)
# A disk that was full: the end of the file is zeros.
import json


def damage(nb, folder):
    data = json.dumps(nb).encode()
    return data[:3000] + bytes(len(data) - 3000)
