"""Submissions out of archives, for `nbgrader zip_collect`.

nbgrader's own unpacks all that an archive holds, however much that is, and stops for everybody at
one that is damaged. nbgrader_config.py names ours in its place.
"""

import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from nbgrader.plugins import ExtractorPlugin

from autograde.notebook import MAX_FILE
from autograde.plain import describe_error

SUFFIXES = (".zip", ".gz", ".tgz")
MAX_FILES = 100  # notebooks in an archive
# What opening and reading an archive raises; RuntimeError if it has a password.
DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error,
    OSError, EOFError, ValueError, RuntimeError, NotImplementedError,
)  # fmt: skip


class Notebooks(ExtractorPlugin):
    """Takes the notebooks out of archives, and copies all other files as they are."""

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Fill the folder `extracted_path` from the files in `archive_path`."""
        for path in sorted(Path(archive_path).rglob("*")):
            place = Path(extracted_path) / path.relative_to(archive_path)
            if path.suffix.lower() in SUFFIXES and path.is_file():
                self._unpack(path, place.with_name(path.name.partition(".tar")[0]).with_suffix(""))
            elif path.is_file():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, place)

    def _unpack(self, path: Path, folder: Path) -> None:
        found: dict[PurePosixPath, bytes] = {}
        room = MAX_FILE
        try:
            for name, file in _notebooks(path):
                found[name] = file.read(room + 1)
                room -= len(found[name])
                if room < 0 or len(found) > MAX_FILES:
                    most = f"{MAX_FILES} notebooks of {MAX_FILE >> 20} MiB together"
                    raise ValueError(f"it holds more than {most}")
            if not found:
                raise ValueError("there is no notebook in it")
            for name, data in found.items():
                place = folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        except DAMAGED as error:
            self.log.warning(
                "Skipped %s: %s. Ask for the notebook itself", path, describe_error(error)
            )


def _notebooks(path: Path) -> Iterator[tuple[PurePosixPath, IO[bytes]]]:
    """The notebooks in an archive, by names that stay in the folder that they are put into."""
    if path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if name := _name(info.filename):
                    with archive.open(info) as file:
                        yield name, file
        return
    with tarfile.open(path) as packed:
        for member in packed:
            content = packed.extractfile(member) if member.isfile() else None
            if content and (name := _name(member.name)):
                yield name, content


def _name(text: str) -> PurePosixPath | None:
    """The name of a notebook without ways out of its folder; None if it is not one's."""
    parts = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return PurePosixPath(*parts) if parts and parts[-1].lower().endswith(".ipynb") else None
