# attention: 4 + 0 + 6
# says: No module named 'helper'
# Only the notebook is graded: what it imports has to be in it.
from tests.damaged import answer


def damage(nb, folder):
    (folder / "helper.py").write_text("def softmax(x):\n    return x\n")
    return answer(nb, "attention", "from helper import softmax\n\ndef attention(Q, K, V): ...\n")
