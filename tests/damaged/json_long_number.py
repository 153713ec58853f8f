# attention: 0 + 0 + 0
# says: not a notebook
import json


def damage(nb, folder):
    return '{"extra": ' + "9" * 10_000 + ", " + json.dumps(nb)[1:]
