# attention: 4 + 0 + 6
# says: `attention` is not defined
from tests.damaged import answer

SOURCE = """
class Attention:
    def attention(self, Q, K, V):
        return V, Q
"""


def damage(nb, folder):
    return answer(nb, "attention", SOURCE)
