# attention: 0 + 0 + 0
# says: line 3, column 1
import json


def damage(nb, folder):
    return json.dumps(nb)[:-1] + "\n,\n}"
