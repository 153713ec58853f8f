"""Submissions that are broken or odd, one a file: test_damaged.py says what they state and define.

Here is what they share: ways to find, change and add cells of a notebook's JSON.
"""

import json
from pathlib import Path


def name_of(cell: dict) -> str:
    """The name under which a cell is graded, "" if it is not."""
    metadata = cell["metadata"]
    ours = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return ours.get("grade_id", "") if isinstance(ours, dict) else ""


def named(nb: dict) -> list[dict]:
    """The cells that have such a name."""
    return [cell for cell in nb["cells"] if name_of(cell)]


def graded_cells(nb: dict) -> list[dict]:
    """The cells that test a function."""
    return [cell for cell in named(nb) if name_of(cell).startswith("test_")]


def place_of(nb: dict, name: str) -> int:
    """Where a named cell is."""
    return [name_of(cell) for cell in nb["cells"]].index(name)


def cell_of(nb: dict, name: str) -> dict:
    """A named cell."""
    return nb["cells"][place_of(nb, name)]


def drop(nb: dict, name: str) -> dict:
    """Delete a named cell."""
    del nb["cells"][place_of(nb, name)]
    return nb


def swap(nb: dict, one: str, other: str) -> dict:
    """Let two cells have each other's metadata."""
    first, second = cell_of(nb, one), cell_of(nb, other)
    first["metadata"], second["metadata"] = second["metadata"], first["metadata"]
    return nb


def answer(nb: dict, name: str, source: str) -> dict:
    """Put something else in the place of an answer."""
    cell_of(nb, name)["source"] = source
    return nb


def add(nb: dict, source: str) -> dict:
    """Add a code cell below the imports, above all answers."""
    nb["cells"].insert(2, code(source))
    return nb


def code(source: str) -> dict:
    """A code cell without a name."""
    empty = {"metadata": {}, "outputs": [], "execution_count": None}
    return {"cell_type": "code", "source": source} | empty


def text(source: str) -> dict:
    """A Markdown cell."""
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def hand_in(content: dict | str | bytes, path: Path) -> None:
    """Write a submission: JSON, or a file's text or bytes as they are."""
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
