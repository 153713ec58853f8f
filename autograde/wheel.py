"""The part of this package that needs NumPy only, as a wheel: what a page in a browser loads.

It holds the checks and the references, so that a page gives the grader's verdicts. It holds
nothing that runs a submission, no exercise and no solution.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
PARTS = ("__init__.py", "plain.py", "check.py", "reference", "checks")
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "autograde"
version = "0"
dependencies = ["numpy"]

[tool.setuptools]
packages = ["autograde", "autograde.reference", "autograde.checks"]
"""


def build(folder: Path) -> Path:
    """Write the wheel into a folder; the same files give the same bytes.

    Returns:
        The wheel. Pyodide's loadPackage takes its address.

    Raises:
        subprocess.CalledProcessError: pip or setuptools fails, and has said why on stderr.
    """
    with tempfile.TemporaryDirectory() as name:
        project = Path(name, "project")
        for path in PACKAGE.rglob("*.py"):
            part = path.relative_to(PACKAGE)
            if part.parts[0] in PARTS:
                copy = project / "autograde" / part
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
                copy.chmod(0o644)  # a wheel records it
        (project / "pyproject.toml").write_text(PROJECT)
        subprocess.run(
            [sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--no-index",
             "--no-build-isolation", "--wheel-dir", name, project],
            env=os.environ | {"SOURCE_DATE_EPOCH": "1000000000"},
            umask=0o022,
            check=True,
        )  # fmt: skip
        (wheel,) = Path(name).glob("*.whl")
        return Path(shutil.move(wheel, folder / wheel.name))
