# attention: 4 + 6 + 6
# Not JSON, but Python reads it.
import json


def damage(nb, folder):
    nb["metadata"]["numbers"] = [float("nan"), float("inf"), -float("inf")]
    return json.dumps(nb)
