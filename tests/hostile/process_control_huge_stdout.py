# attention: 6
# One line of sixty megabytes, from Python and from a child.
import subprocess
import sys

print("x" * (20 << 20))
sys.stderr.write("y" * (20 << 20))
subprocess.run(["head", "-c", str(20 << 20), "/dev/zero"])


def attention(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights
