# attention: 4 + 6 + 6
from tests.damaged import cell_of


def damage(nb, folder):
    tags = ["skip-execution", "raises-exception", "remove-cell", "parameters"]
    for name in ("attention", "test_attention"):
        cell_of(nb, name)["metadata"]["tags"] = tags
    return nb
