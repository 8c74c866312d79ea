"""Calibration both ways: the parameter that a guarantee allows, or that an accuracy needs.

Found among doubles by halving, to the last one, and never on the wrong side: what is returned has been checked to hold.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .. import checks
from ..base import Guarantee, Mechanism, Plan, Unit
from ..errors import ArgumentError, ArgumentTypeError, CalibrationError

__all__ = ["calibrate"]

_READ_AT = 1e-6  # the delta at which guarantees without one of their own are compared
_LEAST, _MOST = 1e-9, float(checks.EPSILON_CAP)


def calibrate(
    make: Callable[[float], Mechanism],
    *,
    within: Any = None,
    confidence: float = 0.95,
    promise: Guarantee | None = None,
    unit: Unit | str | None = None,
) -> Mechanism:
    """The mechanism `make(parameter)` for the parameter (epsilon or rho) that is asked for in other terms.

    `within` asks for an accuracy: the least parameter with which every column is within that of its truth with the
    confidence. `promise` asks for a guarantee: the largest parameter whose guarantee is at most that one, at its own
    delta (1e-6 for kinds without one, and at delta 0 for pure ones).

    >>> import twoworlds as tw
    >>> count = tw.query(len, sensitivity=1, integer=True)
    >>> made = tw.calibrate(lambda epsilon: tw.GeometricMechanism(count, epsilon), within=50)
    >>> round(float(made.epsilon), 6)
    0.059313
    """
    who = Unit.of(unit)
    if (within is None) == (promise is None):
        raise ArgumentError("calibrate needs one goal: within=... (an accuracy) or promise=... (a guarantee)")
    if within is not None:
        goal, level = float(checks.positive(within=within)), checks.confidence_level(confidence=confidence)
        return make(_least(lambda p: _half_width(make(p), who, level) <= goal, f"within={goal:g}"))
    if not isinstance(promise, Guarantee):
        raise ArgumentTypeError.expected(
            "promise", promise, "a guarantee is needed", "Use tw.pure, tw.approx or tw.zcdp"
        )
    delta = float(getattr(promise, "at_delta", _READ_AT))
    allowed = promise.epsilon(delta)
    over = _least(lambda p: make(p).guarantee(who).epsilon(delta) > allowed, "promise", none=_MOST)
    return make(
        over if over == _MOST and make(over).guarantee(who).epsilon(delta) <= allowed else _before(over, promise)
    )


def _half_width(mechanism: Mechanism, unit: Unit | None, confidence: float) -> float:
    forecast = Plan(mechanism, None, unit or Unit(None)).expected(confidence)
    return max(float("inf") if one.half_width is None else one.half_width for one in forecast.values())


def _least(holds: Callable[[float], bool], goal: str, none: float | None = None) -> float:
    """The least double in range from which on a monotone condition holds."""
    low, high = _order(_LEAST), _order(_MOST)
    if not holds(_MOST):
        if none is not None:
            return none
        raise CalibrationError(f"no parameter up to {_MOST:g} reaches {goal}. Ask for less.")
    if holds(_LEAST):
        return _LEAST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(_double(middle)) else (middle, high)
    return _double(high)


def _before(parameter: float, goal: object) -> float:
    if parameter <= _LEAST:
        raise CalibrationError(f"no parameter from {_LEAST:g} up keeps the promise {goal!r}. Allow more.")
    return _double(_order(parameter) - 1)


def _order(x: float) -> int:
    """The place of a positive double among all of them."""
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def _double(place: int) -> float:
    return float(struct.unpack("<d", struct.pack("<q", place))[0])
