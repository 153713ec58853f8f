# attention: 0
# says: ran longer than
# Stops itself, in a child that the call waits for.
import os
import signal


def attention(Q, K, V):
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    os.waitpid(child, 0)
