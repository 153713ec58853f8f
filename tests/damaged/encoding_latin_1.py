# attention: 0 + 0 + 0
# says: is 0xe9
import json

from tests.damaged import add


def damage(nb, folder):
    add(nb, "# écrit à la main")
    return json.dumps(nb, ensure_ascii=False).encode("latin-1", "replace")
