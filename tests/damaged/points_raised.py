# attention: 4 + 0 + 6
# Points are the exercise's own.
from tests.damaged import answer, graded_cells


def damage(nb, folder):
    for cell in graded_cells(nb):
        cell["metadata"]["nbgrader"]["points"] = 1000
    return answer(nb, "attention", "def attention(Q, K, V):\n    return V, Q\n")
