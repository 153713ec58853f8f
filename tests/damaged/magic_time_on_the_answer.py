# attention: 4 + 6 + 6
from tests.damaged import cell_of


def damage(nb, folder):
    cell_of(nb, "attend_one")["source"] = "%%time\n" + cell_of(nb, "attend_one")["source"]
    cell_of(nb, "attention")["source"] = "%%capture\n" + cell_of(nb, "attention")["source"]
    return nb
