# attention: 4 + 6 + 6


def damage(nb, folder):
    source = "<script>harm()</script>"
    metadata = {"raw_mimetype": "text/html", "format": "text/html"}
    nb["cells"].append({"cell_type": "raw", "source": source, "metadata": metadata})
    return nb
