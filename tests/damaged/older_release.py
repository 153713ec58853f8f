# attention: 4 + 6 + 6
# says: older release
# The test is last week's, untouched: its checksum is the one that nbgrader gave it then.
import nbformat
from nbgrader.utils import compute_checksum

from tests.damaged import cell_of


def damage(nb, folder):
    cell = cell_of(nb, "test_attention")
    cell["source"] = "output, weights = attention(np.eye(2), np.eye(2), np.eye(2))\n"
    checksum = compute_checksum(nbformat.from_dict(cell))
    cell["metadata"]["nbgrader"]["checksum"] = checksum
    return nb
