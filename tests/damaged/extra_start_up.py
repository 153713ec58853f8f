# attention: 4 + 0 + 6
# Files that some program runs when it starts in their folder.
from tests.damaged import answer

NAMES = ("sitecustomize.py", "usercustomize.py", "conftest.py", "ipykernel_launcher.py")
MORE = ("ipython_config.py", "ipython_kernel_config.py", "nbgrader_config.py", "setup.py")


def damage(nb, folder):
    for name in (*NAMES, *MORE):
        (folder / name).write_text("raise SystemExit('full points')\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "x.pth").write_text("import os; os._exit(0)\n")
    return answer(nb, "attention", "def attention(Q, K, V):\n    return V, Q\n")
