"""Chapter, exercise, solution, checks and reference go by one name; imports go one way."""

import ast
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
PAGES = [Path(chapter["file"]).name for chapter in TOC["chapters"]]
CHAPTERS = [page for page in PAGES if page != "ledger"]  # which is made from the others
DOCSTRING = ast.get_docstring(ast.parse((ROOT / "autograde" / "__init__.py").read_text()))
ORDER = re.findall(r"^ {4}(\w+)/?  ", DOCSTRING, re.MULTILINE)
MODULES = sorted((ROOT / "autograde").rglob("*.py"))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_its_companions(chapter):
    for path in (
        f"book/{chapter}.md",
        f"solutions/{chapter}/{chapter}.ipynb",
        f"exercises/{chapter}/{chapter}.ipynb",
        f"autograde/checks/{chapter}.py",
        f"autograde/reference/{chapter}.py",
    ):
        assert (ROOT / path).is_file(), f"{path} is missing"


def test_the_docstring_names_every_module_and_no_other():
    names = {path.relative_to(ROOT / "autograde").parts[0].removesuffix(".py") for path in MODULES}
    assert set(ORDER) == names - {"__init__"}


def modules_of_ours(path):
    """The parts of autograde that the file at `path` imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "autograde":
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograde."):
            yield node.module.split(".")[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    part = path.relative_to(ROOT / "autograde").parts[0].removesuffix(".py")
    if part == "__init__":
        assert not list(modules_of_ours(path))
        return
    for imported in modules_of_ours(path):
        same_folder = imported == part and path.parent.name == part
        assert same_folder or ORDER.index(imported) < ORDER.index(part), f"it imports {imported}"
