# attention: 4 + 6 + 6
# says: output cut at
# A progress bar is one line that is written again and again.
from tests.damaged import add

SOURCE = """
import sys

for i in range(100_000):
    print(f"\\r{i / 1000:.1f} %", end="")
    print(f"\\r{i / 1000:.1f} %", end="", file=sys.stderr)
"""


def damage(nb, folder):
    return add(nb, SOURCE)
