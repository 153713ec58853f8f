"""A probe lets a check use what plain calls cannot: classes, and functions of functions."""

import numpy as np
import pytest

from autograde.check import Check
from autograde.sandbox import NoWall, Wall
from autograde.submission import Cell, run


def scale_twice(make, factor, x):
    """Use a learner's class."""
    import numpy

    scaler = make(factor)
    return numpy.asarray(scaler(scaler(x)))


def scaler(factor):
    """How the learner's is meant to work."""
    return lambda x: factor * x


def adder(factor):
    return lambda x: factor + x


CHECK = Check(
    reference=scaler,
    cases={"some numbers": lambda rng: {"factor": 3.0, "x": rng.normal(size=4)}},
    mistakes={"Multiply, do not add.": adder},
    probe=scale_twice,
)
RIGHT = """
class scaler:
    def __init__(self, factor):
        self.factor = factor
    def __call__(self, x):
        return self.factor * x
"""


@pytest.mark.parametrize("kind", [Wall, NoWall])
@pytest.mark.parametrize(
    ("source", "fraction", "hint"),
    [
        (RIGHT, 1.0, ""),
        (RIGHT.replace("factor * x", "factor + x"), 0.0, "Multiply, do not add."),
        ("scaler = 3", 0.0, "`scaler` raised TypeError: 'int' object is not callable."),
        ("", 0.0, "`scaler` is not defined."),
    ],
)
def test_a_learners_class_is_judged_by_what_the_probe_returns(source, fraction, hint, kind):
    wall = kind()
    (ran,) = run([Cell(source, CHECK.calls())], wall)
    wall.close()
    verdict = CHECK.judge(ran.answers)
    assert (verdict.fraction, verdict.hint) == (fraction, hint)
    names = {}
    exec(source, names)
    assert CHECK.verdict(names.get("scaler")) == verdict


def test_the_reference_goes_through_the_probe_too():
    assert CHECK.verdict(scaler).fraction == 1
    assert np.isfinite(CHECK.calls()[0].arguments["x"]).all()
