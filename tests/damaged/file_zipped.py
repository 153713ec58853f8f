# attention: 0 + 0 + 0
# says: is not UTF-8 text
import gzip
import json


def damage(nb, folder):
    return gzip.compress(json.dumps(nb).encode())
