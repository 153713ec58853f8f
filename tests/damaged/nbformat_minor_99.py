# attention: 4 + 6 + 6


def damage(nb, folder):
    return nb | {"nbformat_minor": 99, "news": {"of": "2040"}}
