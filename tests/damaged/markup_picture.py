# attention: 4 + 6 + 6
# A picture dragged into the text, as editors keep it; its data are not kept, its place is.
from tests.damaged import text


def damage(nb, folder):
    cell = text("My drawing: ![drawing.png](attachment:drawing.png)")
    cell["attachments"] = {"drawing.png": {"image/png": "iVBORw0KGgo="}}
    nb["cells"].insert(0, cell)
    return nb
