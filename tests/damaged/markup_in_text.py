# attention: 4 + 6 + 6
# A script in the text of a notebook, which a browser should not run.
from tests.damaged import text


def damage(nb, folder):
    nb["cells"].insert(0, text("<script>harm()</script><b>bold</b>"))
    nb["cells"].insert(0, text("<img src=x onerror=harm()> [here](javascript:harm())"))
    nb["cells"].insert(0, text('!["><script>harm()</script>](x "<script>harm()</script>")'))
    return nb
