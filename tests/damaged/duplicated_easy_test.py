# attention: 4 + 0 + 6
# says: is a copy of test_attention
# A copy that asserts nothing under the test's name, first and last; the answer is wrong.
import copy

from tests.damaged import answer, cell_of


def damage(nb, folder):
    answer(nb, "attention", "def attention(Q, K, V):\n    return V, Q\n")
    easy = copy.deepcopy(cell_of(nb, "test_attention")) | {"source": "pass"}
    nb["cells"] = [easy, *nb["cells"], copy.deepcopy(easy)]
    return nb
