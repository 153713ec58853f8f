# attention: 4 + 6 + 6
# says: unknown name, “test_attention_2”
# The names of both the answer and its test.
from tests.damaged import cell_of


def damage(nb, folder):
    for name in ("attention", "test_attention"):
        cell_of(nb, name)["metadata"]["nbgrader"]["grade_id"] += "_2"
    return nb
