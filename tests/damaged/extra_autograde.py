# attention: 4 + 0 + 6
# A grader of one's own.
from tests.damaged import answer


def damage(nb, folder):
    (folder / "autograde").mkdir()
    for name in ("__init__.py", "checks.py", "worker.py", "__main__.py"):
        (folder / "autograde" / name).write_text("raise SystemExit('full points')\n")
    source = "from autograde.reference.attention import attention\n"
    return answer(nb, "attention", source)
