# attention: 0 + 0 + 0
# says: cell 2
# A data set pasted into the code: five megabytes.


def damage(nb, folder):
    nb["cells"][1]["source"] = "import numpy as np\ndata = [" + "1.5, " * 1_000_000 + "]"
    return nb
