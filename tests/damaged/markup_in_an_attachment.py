# attention: 4 + 6 + 6
from tests.damaged import text


def damage(nb, folder):
    name = '"><script>harm()</script>'
    cell = text(f"![a](attachment:{name})")
    cell["attachments"] = {name: {"image/png": '"><script>harm()</script>'}}
    nb["cells"].insert(0, cell)
    return nb
