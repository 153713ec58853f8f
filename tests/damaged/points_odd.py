# attention: 4 + 6 + 6
from tests.damaged import tests_of


def damage(nb, folder):
    for cell, points in zip(tests_of(nb), (float("nan"), -4, "six"), strict=True):
        cell["metadata"]["nbgrader"]["points"] = points
    return nb
