# attention: 0
# Answers of which one part after another is of the wrong type.
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


PARTS = [
    5,
    None,
    [],
    "text",
    {"dict": {}},
    {"dict": 5},
    {"array": 5},
    {"array": []},
    {},
    True,
    float("nan"),
    {"array": [["<f8"], [], "C"]},
    {"array": ["<f8", 3, "C"]},
    {"array": ["<f8", [0, 2**20], "K"]},
]
sent = 0


def attention(Q, K, V):
    global sent
    part, sent = PARTS[sent % len(PARTS)], sent + 1
    for reply in (
        {"value": part, "error": "", "changed": []},
        {"value": 0, "error": part, "changed": part},
    ):
        send({"dict": reply})
        send(part)
