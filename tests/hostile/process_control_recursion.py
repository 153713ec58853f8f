# attention: 0
# says: crashed (SIGSEGV)
# Off the end of the stack.
import sys

sys.setrecursionlimit(10**9)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")


def attention(Q, K, V):
    deep = []
    for _ in range(10**6):
        deep = [deep]
    repr_of = lambda x: [repr_of(y) for y in map(lambda z: z, x)]
    import ctypes

    ctypes.string_at(1)
