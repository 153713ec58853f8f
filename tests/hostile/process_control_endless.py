# attention: 0
# says: ran longer than
# Does not listen when asked to stop.
import signal


def attention(Q, K, V):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pass
