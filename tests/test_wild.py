"""The checks judge what people really write: nothing right is refused, nothing wrong passes."""

import pytest

from autograde.check import PRACTICE
from tests.mistakes import CHECKS
from tests.wild import CONVENTION, FOUND, RIGHT, WRONG

SEEDS = [PRACTICE, "another release"]
ACCEPTED = [one for one in FOUND if one.kind == RIGHT]
REFUSED = [one for one in FOUND if one.kind != RIGHT]


def identifier(one):
    return f"{one.check}-{one.function.__name__}"


def test_enough_was_collected_and_each_has_a_pointer_of_its_own_kind():
    assert len(ACCEPTED) >= 40
    assert len(REFUSED) >= 25
    assert {one.kind for one in FOUND} == {RIGHT, WRONG, CONVENTION}
    assert {one.check for one in FOUND} <= set(CHECKS)
    assert all(one.where and one.does for one in FOUND)
    assert len({one.function for one in FOUND}) == len(FOUND)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("one", ACCEPTED, ids=identifier)
def test_what_is_right_is_not_refused(one, seed):
    verdict = one.verdict(seed)
    assert verdict.fraction == 1, verdict.text()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("one", REFUSED, ids=identifier)
def test_what_is_wrong_does_not_pass(one, seed):
    verdict = one.verdict(seed)
    assert verdict.fraction < 1
    assert verdict.hint


@pytest.mark.parametrize("one", [one for one in FOUND if one.kind == CONVENTION], ids=identifier)
def test_another_convention_is_named_whatever_was_drawn(one):
    verdicts = [one.verdict(seed) for seed in SEEDS]
    assert all(one.named(verdict) for verdict in verdicts)
    assert len({verdict.hint for verdict in verdicts}) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_nine_in_ten_of_the_wrong_ones_are_named(seed):
    named = [one.named(one.verdict(seed)) for one in REFUSED]
    assert sum(named) / len(named) >= 0.9
