# attention: 0
# Closes everything that is open.
import os


def attention(Q, K, V):
    os.closerange(0, 256)
