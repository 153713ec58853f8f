# attention: 6
# Names of sockets that others could meet, and all the others that there are.
import os
import socket

for name in (
    "\0hostile",
    "\0attention",
    "hostile.sock",
    "/dev/shm/hostile.sock",
    "/dev/hostile.sock",
):
    try:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(name)
        listening.listen()
        globals()[name] = listening
    except OSError as error:
        print(name, error)
port = socket.create_server(("127.0.0.1", 48151))
with open("/proc/net/unix") as table:
    names = [line.split()[7] for line in table.readlines()[1:] if len(line.split()) > 7]
assert names and all("hostile" in name or "attention" in name for name in names), names
for address in ("127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "8.8.8.8"):
    for port in (22, 53, 80, 443, 8888):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as connection:
            connection.settimeout(0.02)
            assert connection.connect_ex((address, port)) != 0, (address, port)


def attention(Q, K, V):
    scores = Q @ np.swapaxes(K, -1, -2)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return weights @ V, weights
