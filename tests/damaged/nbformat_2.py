# attention: 4 + 6 + 6
# says: test_attention was missing
# Notebooks of 2011 have worksheets, inputs, and no metadata.


def damage(nb, folder):
    def old(cell):
        if cell["cell_type"] == "markdown":
            return {"cell_type": "markdown", "source": "".join(cell["source"])}
        source = "".join(cell["source"])
        return {"cell_type": "code", "input": source, "language": "python", "outputs": []}

    sheets = [{"cells": [old(cell) for cell in nb["cells"]]}]
    return {"nbformat": 2, "nbformat_minor": 0, "metadata": {"name": "a"}, "worksheets": sheets}
