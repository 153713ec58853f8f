# attention: 4 + 6 + 6
# Forty megabytes of old outputs, which nobody reads.
from tests.damaged import cell_of


def damage(nb, folder):
    outputs = [{"output_type": "stream", "name": "stdout", "text": "0123456789" * (4 << 20)}]
    cell_of(nb, "attention")["outputs"] = outputs
    return nb
