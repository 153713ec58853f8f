# attention: 4 + 6 + 6
# Writes over its own notebook, wherever it may be; what was handed in stays as it was.
from tests.damaged import add

SOURCE = """
import pathlib

for path in pathlib.Path(".").rglob("*.ipynb"):
    path.write_text("{}")
pathlib.Path("attention.ipynb").write_text("{}")
pathlib.Path("timestamp.txt").write_text("1970-01-01 00:00:00 UTC")
"""


def damage(nb, folder):
    return add(nb, SOURCE)
