"""Submissions out of zip files and to their students, for `nbgrader zip_collect`.

nbgrader's own steps unpack all that an archive holds, however much that is, and stop for everybody
at one that is damaged or at a student's second file. nbgrader_config.py names ours in their place.
They open zip files only: what a tar file makes its reader do has no bounds.
"""

import os
import re
import shutil
import zipfile
from collections import defaultdict
from functools import cached_property
from hashlib import file_digest
from itertools import chain, count
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin

from autograde.notebook import MAX_FILE
from autograde.plain import describe_error

MAX_FILES = 100  # notebooks in a zip


class Notebooks(ExtractorPlugin):
    """Takes the notebooks out of zip files, and copies all other files as they are."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Fill the folder `extracted_path` from the files in `archive_path`."""
        for path in sorted(Path(archive_path).rglob("*")):
            place = Path(extracted_path) / path.relative_to(archive_path)
            try:
                if path.suffix.lower() == ".zip" and path.is_file():
                    _unpack(path, place.parent)
                elif path.is_file():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, place)
            except Exception as error:  # whatever a file is, the others are collected
                what = describe_error(error)
                self.log.warning("Skipped %s: %s. Ask for the notebook itself", path, what)


def _unpack(path: Path, parent: Path) -> None:
    """Put the notebooks in a zip into a new folder of its name."""
    if not path.stem.strip("."):
        raise ValueError("its name tells no student")
    found: dict[PurePosixPath, bytes] = {}
    room = MAX_FILE
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            name = _name(info.filename)
            if name is None:
                continue
            if name in found:
                raise ValueError(f"it holds {name} twice")
            with archive.open(info) as file:
                found[name] = file.read(room + 1)
            room -= len(found[name])
            if room < 0 or len(found) > MAX_FILES:
                most = f"{MAX_FILES} notebooks of {MAX_FILE >> 20} MiB together"
                raise ValueError(f"it holds more than {most}")
    if not found:
        raise ValueError("there is no notebook in it")
    names = chain([path.stem], (f"{path.stem} ({number})" for number in count(2)))
    folder = next(parent / name for name in names if not (parent / name).exists())
    for name, data in found.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def _name(text: str) -> PurePosixPath | None:
    """The name of a notebook without ways out of its folder; None if it is not one's."""
    parts = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return PurePosixPath(*parts) if parts and parts[-1].lower().endswith(".ipynb") else None


class Students(FileNameCollectorPlugin):
    """Tells whose each file is, and what it is to be called in the student's folder.

    Which of several files of a student counts, only a person can say. All of them are collected,
    under names that are not the notebook's: so `grade` has a row for the student, which says so.
    """

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """The student and the name of a file; None if it is nobody's, or there is another like it.

        Args:
            submitted_file: where it lies.
        """
        named = super().collect(submitted_file)
        if named is None:
            return None
        student, chapter = _whose(named)
        files = self._different[student, chapter]
        if submitted_file not in files:
            self.log.warning("%s has handed in the same file twice", student)
            return None
        if len(files) > 1:
            number = files.index(submitted_file) + 1
            self.log.warning(
                "%s has handed in %d different files for %s: %s becomes “%s (%d).ipynb”; rename "
                "the one that counts to %s.ipynb, or take the others out of the archive",
                student, len(files), chapter, submitted_file, chapter, number, chapter,
            )  # fmt: skip
            chapter = f"{chapter} ({number})"
        return {"student_id": student, "file_id": chapter}

    @cached_property
    def _different(self) -> dict[tuple[str, str], list[str]]:
        """(student, chapter) -> the files of the whole batch, of those alike only the first."""
        app = self.parent
        step = {"collect_step": app.extracted_directory, "downloaded": app.downloaded_directory}
        chapter = app.coursedir.assignment_id
        folder = app.collect_directory_structure.format(assignment_id=chapter, **step)
        walk = os.walk(os.path.join(app.coursedir.root, folder))
        found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for path in sorted(os.path.join(root, name) for root, _, names in walk for name in names):
            match = re.match(self.named_regexp, path)
            if match and Path(path).suffix in self.valid_ext:
                with open(path, "rb") as file:
                    content = file_digest(file, "sha256").hexdigest()
                found[_whose(match.groupdict())].setdefault(content, path)
        return {key: list(of.values()) for key, of in found.items()}


def _whose(named: dict[str, str]) -> tuple[str, str]:
    """(student, chapter) by the name of a file; é is one sign, though macOS makes it two."""
    return normalize("NFC", named["student_id"]), os.path.splitext(named["file_id"])[0]
