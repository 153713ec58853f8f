# attention: 4 + 0 + 6
# says: ValueError
from tests.damaged import answer

SOURCE = """
def attention(Q, K, V):
    raise ValueError("</pre><script>harm()</script><img src=x onerror=harm()>")
"""


def damage(nb, folder):
    return answer(nb, "attention", SOURCE)
