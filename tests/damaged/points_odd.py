# attention: 4 + 6 + 6
from tests.damaged import graded_cells


def damage(nb, folder):
    for cell, points in zip(graded_cells(nb), (float("nan"), -4, "six"), strict=True):
        cell["metadata"]["nbgrader"]["points"] = points
    return nb
