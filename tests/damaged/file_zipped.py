# attention: 0 + 0 + 0
# says: attention.ipynb is a packed file (zip): unpack it
import gzip
import json


def damage(nb, folder):
    return gzip.compress(json.dumps(nb).encode())
