"""The sentence is true: its factor is rounded up, its worlds are the unit's, and a finding gets none."""

from __future__ import annotations

import math
import re

import pytest

import twoworlds as tw
from twoworlds.errors import ArgumentTypeError
from twoworlds.guarantees import KINDS


@pytest.mark.parametrize("epsilon", ["0.0001", "0.01", "0.1", 1, "2.5", 10, 50, 100])
def test_the_factor_is_rounded_up(epsilon: object) -> None:
    found = re.search(r"more than ([\d.e+]+) times", tw.promise(tw.pure(epsilon)))
    assert found is not None
    exact = math.exp(float(epsilon))  # type: ignore[arg-type]
    assert exact * (1 - 1e-12) <= float(found[1]) <= exact * 1.01 + 0.01


@pytest.mark.parametrize("kind", [kind for some in KINDS.values() for kind in some], ids=repr)
def test_every_kind_has_one_sentence(kind: tw.guarantees.Kind) -> None:
    sentence = tw.promise(kind)
    assert sentence.endswith(".")
    assert sentence.count(". ") == 0
    found = re.search(r"plus ([\d.e-]+)", sentence)
    if found:  # what is said holds: the factor's epsilon is enough for the delta that is named
        factor = re.search(r"at most ([\d.e+]+) times", sentence)
        assert factor is not None
        assert kind.delta(math.log(float(factor[1]))) <= float(found[1].rstrip(".")) * (1 + 1e-9)


def test_the_worlds_are_the_units() -> None:
    assert "any one person as without them" in tw.promise(tw.pure(1, unit="person"))
    assert "any other data in their place" in tw.promise(tw.pure(1, unit=tw.Unit("person", "replace")))
    assert "not stated" in tw.promise(tw.pure(1))
    assert "any one row" in tw.promise(tw.pure(1, unit=tw.Unit(None)))


def test_plans_and_releases_are_read_by_their_guarantee() -> None:
    plan = tw.plan(tw.GeometricMechanism(tw.query(len, sensitivity=1, integer=True), 1), [1], "person")
    assert tw.promise(plan) == tw.promise(plan.run()) == tw.promise(plan.guarantee)
    with pytest.raises(ArgumentTypeError, match="guarantee"):
        tw.promise(3)  # type: ignore[arg-type]
    nothing = tw.approx(50, "0.5").group(100)
    assert isinstance(nothing, tw.guarantees.Kind)
    assert "Nothing is promised" in tw.promise(nothing)
