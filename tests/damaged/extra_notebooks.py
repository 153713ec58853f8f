# attention: 4 + 6 + 6
# Others beside the right one: a copy, another chapter, a checkpoint, one that is broken.
from tests.damaged import hand_in


def damage(nb, folder):
    for name in ("attention-Copy1.ipynb", "self_attention.ipynb", ".attention.ipynb"):
        hand_in({"cells": []}, folder / name)
    (folder / ".ipynb_checkpoints").mkdir()
    hand_in({"cells": []}, folder / ".ipynb_checkpoints" / "attention-checkpoint.ipynb")
    (folder / "broken.ipynb").write_bytes(b"\xff{")
    return nb
