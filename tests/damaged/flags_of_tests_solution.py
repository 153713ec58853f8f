# attention: 4 + 0 + 6
# says: test_attention was changed; its own text is back
# Tests that are marked as answers, so that what a student writes in them would stay.
from tests.damaged import answer, graded_cells


def damage(nb, folder):
    for cell in graded_cells(nb):
        cell["metadata"]["nbgrader"] |= {"grade": True, "locked": False, "solution": True}
        cell["source"] = "pass"
    return answer(nb, "attention", "def attention(Q, K, V):\n    return V, Q\n")
