# attention: 0
# Halves of characters, which no file can hold, wherever text may be.
import json
import struct
import sys


def stream():
    """The worker's own stream to the grader, out of its frame."""
    frame = sys._getframe()
    while frame.f_code.co_name != "submission":
        frame = frame.f_back
    return frame.f_locals["writer"]


def send(header, body=b"", lengths=None):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    lengths = lengths or (len(header), len(body))
    stream().write(struct.pack("<II", *lengths) + header + body)
    stream().flush()


half = "\ud800\udfff\x00\x1b]0;title\x07"
print(half)
print(half, file=sys.stderr)
send(
    {
        "dict": {
            "outputs": [
                {"dict": {"output_type": "stream", "name": half, "text": half}},
                {
                    "dict": {
                        "output_type": "error",
                        "ename": half,
                        "evalue": half,
                        "traceback": [half, 5],
                    }
                },
                {
                    "dict": {
                        "output_type": "display_data",
                        "data": {"dict": {"text/plain": half, half: half}},
                    }
                },
                {"dict": {"output_type": half}},
                half,
                5,
                None,
                [],
                {"dict": {"output_type": []}},
            ]
        }
    }
)


def attention(Q, K, V):
    raise ValueError(half)
