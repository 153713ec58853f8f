# attention: 4 + 6 + 6
from tests.damaged import cell_of


def damage(nb, folder):
    for cell in nb["cells"]:
        cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")
    text = cell_of(nb, "attention")["source"]
    cell_of(nb, "attention")["source"] = text + '\r\ntext = """one\r\ntwo"""\r\n'
    return nb
