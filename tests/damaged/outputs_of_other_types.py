# attention: 4 + 6 + 6


def damage(nb, folder):
    codes = [cell for cell in nb["cells"] if cell["cell_type"] == "code"]
    odd = (None, {}, "text", 7, [None], [{"output_type": "stream"}], [[]])
    for cell, outputs in zip(codes, odd, strict=True):
        cell |= {"outputs": outputs, "execution_count": "many"}
    return nb
