# attention: 0 + 0 + 0
# says: encoded in UTF-16
import json


def damage(nb, folder):
    return json.dumps(nb).encode("utf-16")
