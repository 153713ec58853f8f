# attention: 4 + 6 + 6
# Windows likes to put a byte order mark first.
import json


def damage(nb, folder):
    return json.dumps(nb, ensure_ascii=False).encode("utf-8-sig")
