"""Runs the cells again when the module they share changes.

Executed cells are cached by their own text alone. Here the cache gets one folder for each state of
the module, so figures drawn by an older one are not found; a changed folder also has every page
read again.
"""

import hashlib
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

SHARED = "book/drawing.py"


def choose_cache(app: Sphinx, config: Config) -> None:
    """Point the cache of executed cells at the folder for the shared module as it is now."""
    state = hashlib.sha256(Path(app.srcdir, SHARED).read_bytes()).hexdigest()[:12]
    base = config.nb_execution_cache_path or Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(Path(base, state))


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", choose_cache)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
