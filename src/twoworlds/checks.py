"""Arguments read once, exactly, and refused by name.

Every number that decides how private a release is (epsilon, delta, rho, a scale, a variance, a sensitivity, a bound) is
an int, a `Fraction`, a `Decimal`, a decimal string or a float. A float is read as the decimal it prints as, so `0.1` is
one tenth and not 0.1000000000000000055. Each check takes one keyword argument, whose name stands in the message.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from .errors import ArgumentError, ArgumentTypeError

__all__ = [
    "EPSILON_CAP",
    "above",
    "confidence_level",
    "count",
    "interval",
    "non_negative",
    "number",
    "positive",
    "price",
    "probabilities",
    "probability",
    "round_up",
    "shown_up",
]

EPSILON_CAP = 100
"""The largest epsilon (and rho) a mechanism accepts: above it the noise is almost surely zero."""

_DECIMAL = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?", re.ASCII)
_RATIO = re.compile(r"[+-]?\d{1,400}/\d{1,400}", re.ASCII)
_LARGEST = Fraction(2) ** 1023
_SMALLEST = Fraction(1, 2**1022)

_ADVICE = "Give an int, a Fraction, a float or a decimal string such as '0.1'"


def number(**argument: Any) -> Fraction:
    """The exact rational that an argument stands for.

    >>> number(epsilon=0.1)
    Fraction(1, 10)
    """
    name, value = _only(argument)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal, Fraction)):
        raise ArgumentTypeError.expected(name, value, "a number is needed", _ADVICE)
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise ArgumentError.expected(name, value, "the value must be finite", _ADVICE)
    if isinstance(value, str) and not (_DECIMAL.fullmatch(value) or _RATIO.fullmatch(value)):
        raise ArgumentError.expected(name, value, "this is not a decimal number", _ADVICE)
    if isinstance(value, Decimal) and abs(value.adjusted()) > 400:  # before a huge power of ten is built
        raise ArgumentError.expected(name, value, "the value is outside what a double can hold")
    try:
        exact = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    except ZeroDivisionError:
        raise ArgumentError.expected(name, value, "the denominator is zero", _ADVICE) from None
    if exact and not _SMALLEST <= abs(exact) <= _LARGEST:
        raise ArgumentError.expected(name, value, "the value is outside what a double can hold")
    return exact


def positive(**argument: Any) -> Fraction:
    """A number above zero."""
    return above(Fraction(0), **argument)


def above(floor: Fraction, **argument: Any) -> Fraction:
    """A number strictly above a floor."""
    name, value = _only(argument)
    exact = number(**argument)
    if exact <= floor:
        raise ArgumentError.expected(name, value, f"the value must be above {floor}")
    return exact


def non_negative(**argument: Any) -> Fraction:
    """A number that is zero or more."""
    name, value = _only(argument)
    exact = number(**argument)
    if exact < 0:
        raise ArgumentError.expected(name, value, "the value must not be negative")
    return exact


def price(**argument: Any) -> Fraction:
    """What a mechanism may spend: above zero, and at most `EPSILON_CAP`."""
    name, value = _only(argument)
    exact = positive(**argument)
    if exact > EPSILON_CAP:
        raise ArgumentError.expected(
            name, value, f"at most {EPSILON_CAP} is accepted", "Above it the noise is almost surely zero"
        )
    return exact


def probability(**argument: Any) -> Fraction:
    """A number in [0, 1): a delta."""
    name, value = _only(argument)
    exact = number(**argument)
    if not 0 <= exact < 1:
        raise ArgumentError.expected(name, value, "the value must lie in [0, 1)")
    return exact


def confidence_level(**argument: Any) -> float:
    """A number strictly between 0 and 1."""
    name, value = _only(argument)
    exact = number(**argument)
    if not (0 < exact < 1 and 0 < float(exact) < 1):
        raise ArgumentError.expected(name, value, "the value must lie strictly between 0 and 1", "95 % is 0.95")
    return float(exact)


def probabilities(**argument: Any) -> Any:
    """Numbers in [0, 1], one or many, as doubles: the argument of a quantile."""
    name, value = _only(argument)
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentTypeError.expected(name, value, "a probability is needed") from None
    if not np.all((array >= 0) & (array <= 1)):
        raise ArgumentError.expected(name, value, "probabilities lie in [0, 1]")
    return array


def count(least: int = 1, **argument: Any) -> int:
    """A whole number, `least` or more."""
    name, value = _only(argument)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError.expected(name, value, "a whole number is needed")
    if value < least:
        raise ArgumentError.expected(name, value, f"the value must be {least} or more")
    return int(value)


def interval(**argument: Any) -> tuple[Fraction, Fraction]:
    """A pair (lower, upper) with lower < upper."""
    name, value = _only(argument)
    try:
        lower, upper = value
    except (TypeError, ValueError):
        raise ArgumentTypeError.expected(name, value, "a pair (lower, upper) is needed") from None
    low, high = number(**{f"{name}[0]": lower}), number(**{f"{name}[1]": upper})
    if low >= high:
        raise ArgumentError.expected(name, value, "the lower bound must be below the upper one")
    return low, high


def round_up(exact: Fraction) -> float:
    """The least double that is not below an exact number, in binary and as the decimal it prints as.

    A price is never shown as less than it is. A number that prints as exactly that decimal is that number: doubles
    are read as decimals everywhere, so 3/10 is shown as 0.3.

    >>> round_up(Fraction(1, 3)) > 1 / 3
    True
    """
    nearest = float(exact)
    if Fraction(str(nearest)) == exact:
        return nearest
    while Fraction(nearest) < exact or Fraction(str(nearest)) < exact:
        nearest = math.nextafter(nearest, math.inf)
    return nearest


def shown_up(x: float | Fraction, digits: int = 6) -> str:
    """A number in a sentence, to so many digits and never below what it is.

    >>> shown_up(Fraction(1, 3)), shown_up(2.718281828, 3), shown_up(1)
    ('0.333334', '2.72', '1')
    """
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    exact = Fraction(str(x)) if isinstance(x, float) else Fraction(x)
    with localcontext() as context:
        context.prec, context.rounding = digits, ROUND_CEILING
        shown = Decimal(exact.numerator) / Decimal(exact.denominator) if exact else Decimal(0)
        # numerator and denominator are exact; only the quotient is rounded
    return f"{float(shown):.{digits}g}" if Fraction(f"{float(shown):.{digits}g}") >= exact else str(shown)


def _only(argument: dict[str, Any]) -> tuple[str, Any]:
    ((name, value),) = argument.items()
    return name, value
