# attention: 0 + 0 + 0
# says: not a notebook (JSON)
# A download that stopped half way.
import json


def damage(nb, folder):
    text = json.dumps(nb)
    return text[: len(text) // 2]
