"""Runs the cells again when what they share changes, and says how long each page took.

Executed cells are cached by their own text alone. Here the cache gets one folder for each state of
the modules and weights that cells load, so figures drawn by older ones are not found; a changed
folder also has every page read again. The build ends with a table: page, seconds that its cells
ran when they last did.
"""

import hashlib
from pathlib import Path

from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

logger = logging.getLogger(__name__)

SHARED = ("book/*.py", "book/*.npz")


def choose_cache(app: Sphinx, config: Config) -> None:
    """Point the cache of executed cells at the folder for the shared files as they are now."""
    files = sorted(path for pattern in SHARED for path in Path(app.srcdir).glob(pattern))
    state = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]
    base = config.nb_execution_cache_path or Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(Path(base, state))


def tell_times(app: Sphinx, exception: Exception | None) -> None:
    """Print the seconds of each page, the slowest first; pages without cells are left out."""
    if exception:
        return
    run = {
        page: of["exec_data"]["runtime"]
        for page, of in NbMetadataCollector.get_doc_data(app.env).items()
        if of.get("exec_data", {}).get("runtime")
    }
    lines = ["", "seconds  page"]
    lines += [f"{run[page]:7.1f}  {page}" for page in sorted(run, key=run.get, reverse=True)]
    lines.append(f"{sum(run.values()):7.1f}  in all")
    logger.info("\n".join(lines))


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", choose_cache)
    app.connect("build-finished", tell_times)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
