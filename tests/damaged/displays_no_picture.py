# attention: 4 + 6 + 6
# What says that it is a picture is none.
from tests.damaged import add


def damage(nb, folder):
    source = "for value in ('\"><script>harm()</script>', 'x', ''):\n"
    source += "    display({'image/png': value, 'image/jpeg': value}, raw=True)"
    return add(nb, source)
