# attention: 0
# Off the end of the stack.
import sys

sys.setrecursionlimit(10**9)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")


def attention(Q, K, V):
    return Deep().x
