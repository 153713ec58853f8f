# attention: 4 + 6 + 6
# The later one counts, as everywhere.
import json


def damage(nb, folder):
    return '{"cells": [], "nbformat": 3, ' + json.dumps(nb)[1:]
