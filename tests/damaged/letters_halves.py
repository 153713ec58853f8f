# attention: 4 + 6 + 6
# Halves of characters, which JSON can hold and a file cannot.
import json

from tests.damaged import add


def damage(nb, folder):
    add(nb, "halves = '\ud800 \udfff'\nprint('\\ud800')\nhalves")
    nb["cells"][0]["source"] = "\udc80"
    return json.dumps(nb)
