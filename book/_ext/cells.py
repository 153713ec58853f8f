"""Runs the cells again when what they share changes.

Executed cells are cached by their own text alone. Here the cache gets one folder for each state of
the modules and weights that cells load, so figures drawn by older ones are not found; a changed
folder also has every page read again.
"""

import hashlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

SHARED = ("book/*.py", "book/*.npz")


def choose_cache(app: Sphinx, config: Config) -> None:
    """Point the cache of executed cells at the folder for the shared files as they are now."""
    files = sorted(path for pattern in SHARED for path in Path(app.srcdir).glob(pattern))
    state = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]
    base = config.nb_execution_cache_path or Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(Path(base, state))


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", choose_cache)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
