# attention: 4 + 6 + 6
# says: output cut at
from tests.damaged import add


def damage(nb, folder):
    source = "from IPython.display import Image\n"
    source += "display(Image(data=b'\\x89PNG' + bytes(20_000_000), format='png'))"
    return add(nb, source)
