# attention: 4 + 0 + 6
# says: it ran longer than 1 s
from tests.damaged import answer


def damage(nb, folder):
    source = "import time\n\ndef attention(Q, K, V):\n    time.sleep(3600)\n"
    return answer(nb, "attention", source)
