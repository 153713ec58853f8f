# attention: 0
# says: crashed (SIGSEGV)
import ctypes


def attention(Q, K, V):
    ctypes.string_at(0)
