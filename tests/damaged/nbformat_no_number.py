# attention: 4 + 6 + 6


def damage(nb, folder):
    return {"cells": nb["cells"], "nbformat": "four"}
