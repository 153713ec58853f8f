# attention: 4 + 0 + 6
# A numpy of one's own, whose tests all pass.
from tests.damaged import answer


def damage(nb, folder):
    for name in ("numpy.py", "nbformat.py", "json.py", "IPython.py"):
        (folder / name).write_text("def allclose(*_):\n    return True\n")
    return answer(nb, "attention", "def attention(Q, K, V):\n    return V, Q\n")
