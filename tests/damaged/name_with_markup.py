# attention: 4 + 6 + 6
# says: unknown name
# A name that would be a path, a script and a terminal's command.
from tests.damaged import code


def damage(nb, folder):
    cell = code("1 + 1")
    name = "../../x<script>harm()</script>\x1b[2J\n\x00" + "y" * 10_000
    cell["metadata"] = {"nbgrader": {"grade_id": name, "grade": True, "points": 99}}
    nb["cells"].append(cell)
    return nb
