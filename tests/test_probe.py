"""A probe lets a check use what plain calls cannot: classes, and functions of functions."""

from dataclasses import replace

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


LONG = replace(CHECK, seconds=40, draws=1)
PATIENT = replace(CHECK, enough=0.5)


def test_a_check_asks_for_seconds_and_for_one_draw():
    assert [call.seconds for call in CHECK.calls()] == [0, 0]
    assert [call.seconds for call in LONG.calls()] == [40]


@pytest.mark.parametrize(("wrong", "fraction"), [(0, 1), (1, 1), (2, 1), (3, 0.25), (4, 0)])
def test_enough_rows_are_enough_and_fewer_earn_their_share(wrong, fraction):
    def almost(factor):
        return lambda x: factor * x + np.where(np.arange(4) < wrong, 1e3, 0)

    verdict = PATIENT.verdict(almost)
    assert verdict.fraction == fraction
    assert bool(verdict.hint) == (wrong > 2)
    if wrong == 3:
        assert verdict.hint == "25.0% of the answers are right; 50% have to be."
    assert CHECK.verdict(almost).fraction == (wrong == 0)


def test_a_mistake_made_in_enough_rows_is_named():
    def almost_adder(factor):
        return lambda x: np.where(np.arange(4) < 2, factor + x, 7.0)

    assert PATIENT.verdict(almost_adder).hint == "Multiply, do not add."
    assert CHECK.verdict(almost_adder).hint != "Multiply, do not add."


def test_the_reference_goes_through_the_probe_too():
    assert CHECK.verdict(scaler).fraction == 1
    assert np.isfinite(CHECK.calls()[0].arguments["x"]).all()
