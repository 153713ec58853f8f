# attention: 0 + 0 + 0
# says: not a notebook: RecursionError
import json


def damage(nb, folder):
    return '{"metadata": ' + "[" * 200_000 + "]" * 200_000 + ", " + json.dumps(nb)[1:]
