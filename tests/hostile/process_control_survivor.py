# attention: 6
# Processes that mean to outlive the notebook.
import os
import signal
import subprocess

for _ in range(3):
    subprocess.Popen(["hostile_left", "300"], executable="/usr/bin/sleep", start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        os.execv("/usr/bin/sleep", ["hostile_left", "300"])
    os._exit(0)


def attention(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights
