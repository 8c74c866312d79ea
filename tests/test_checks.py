"""Arguments are read once, exactly, and refused by name."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds import checks
from twoworlds.errors import ArgumentError, ArgumentTypeError


@pytest.mark.parametrize(
    ("given_", "exact"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("1/3", Fraction(1, 3)),
        ("-2e3", Fraction(-2000)),
        (Decimal("0.30"), Fraction(3, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.int8(3), Fraction(3)),
        (Fraction(2, 7), Fraction(2, 7)),
        (10**300, Fraction(10**300)),
        (0, Fraction(0)),
    ],
)
def test_numbers_are_read_exactly(given_: Any, exact: Fraction) -> None:
    assert checks.number(x=given_) == exact


@pytest.mark.parametrize("bad", [True, None, [1], 1j, b"1", np.bool_(True), np.datetime64("2020-01-01")])
def test_other_types_are_refused(bad: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="epsilon is of type"):
        checks.number(epsilon=bad)


@pytest.mark.parametrize(
    "bad",
    [
        math.nan,
        math.inf,
        "",
        " 1",
        "1_0",
        "0x1",
        "\u0661",
        "1/0",
        "1e99999",
        "9" * 500,
        1e-320,
        Decimal("1e999999"),
        Decimal("NaN"),
        "nan",
        "inf",
    ],
)
def test_other_values_are_refused(bad: Any) -> None:
    with pytest.raises(ArgumentError, match="epsilon="):
        checks.number(epsilon=bad)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1e300))
def test_floats_are_the_decimals_they_print_as(x: float) -> None:
    assert checks.number(x=x) == Fraction(str(x))
    assert checks.round_up(checks.number(x=x)) == x


@given(st.fractions(min_value=0, max_value=10**6))
def test_rounding_up_is_never_down(x: Fraction) -> None:
    shown = checks.round_up(x)
    assert Fraction(str(shown)) >= x
    assert shown <= float(x) * (1 + 5e-16)


def test_ranges() -> None:
    assert checks.probability(delta=0) == 0
    assert checks.price(epsilon=100) == 100
    assert checks.count(n=np.int64(3)) == 3
    assert checks.interval(bounds=("0", 1)) == (0, 1)
    assert checks.confidence_level(confidence="0.95") == 0.95
    for refused in (
        lambda: checks.probability(delta=1),
        lambda: checks.price(epsilon="100.1"),
        lambda: checks.count(n=0),
        lambda: checks.interval(bounds=(1, 1)),
        lambda: checks.confidence_level(confidence=1),
        lambda: checks.positive(scale=0),
        lambda: checks.non_negative(scale=-1),
        lambda: checks.probabilities(p=[0.5, 1.5]),
    ):
        with pytest.raises(ArgumentError):
            refused()
    for mistyped in (
        lambda: checks.count(n=1.0),
        lambda: checks.count(n=True),
        lambda: checks.interval(bounds=1),
        lambda: checks.probabilities(p="x"),
    ):
        with pytest.raises(ArgumentTypeError):
            mistyped()
