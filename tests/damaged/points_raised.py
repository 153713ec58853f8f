# attention: 4 + 0 + 6
# Points are the exercise's own.
from tests.damaged import answer, tests_of


def damage(nb, folder):
    for cell in tests_of(nb):
        cell["metadata"]["nbgrader"]["points"] = 1000
    return answer(nb, "attention", "def attention(Q, K, V):\n    return V, Q\n")
