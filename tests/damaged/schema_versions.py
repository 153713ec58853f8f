# attention: 4 + 6 + 6
from tests.damaged import named


def damage(nb, folder):
    for cell, version in zip(named(nb), (0, 1, 99, "three", None, -3), strict=True):
        cell["metadata"]["nbgrader"]["schema_version"] = version
    return nb
