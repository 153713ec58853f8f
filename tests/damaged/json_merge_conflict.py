# attention: 0 + 0 + 0
# says: not a notebook (JSON)
import json


def damage(nb, folder):
    lines = json.dumps(nb, indent=1).splitlines()
    lines[5:5] = ["<<<<<<< HEAD", "=======", ">>>>>>> main"]
    return "\n".join(lines)
