"""Calibration both ways: the parameter that a guarantee allows, or that an accuracy needs.

Found among doubles by halving, to the last one, and never on the wrong side: what is returned has been checked to hold.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .. import checks
from ..base import Guarantee, Mechanism, Plan, Unit
from ..errors import ArgumentError, ArgumentTypeError, CalibrationError, UnitError
from ..guarantees import ZCDP, Approx, Kind

__all__ = ["calibrate"]

_KINDS = "Use tw.pure, tw.approx or tw.zcdp"
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
    confidence. `promise` asks for a guarantee, `tw.pure`, `tw.approx` or `tw.zcdp`: the largest parameter whose
    guarantee implies that one. A promise brings its own unit.

    >>> import twoworlds as tw
    >>> count = tw.query(len, sensitivity=1, integer=True)
    >>> made = tw.calibrate(lambda epsilon: tw.GeometricMechanism(count, epsilon), within=50)
    >>> round(float(made.epsilon), 6)
    0.059313
    """
    who = Unit.of(unit)
    if not callable(make):
        raise ArgumentTypeError.expected("make", make, "a function from a parameter to a mechanism is needed")
    if (within is None) == (promise is None):
        raise ArgumentError("calibrate needs one goal: within=... (an accuracy) or promise=... (a guarantee)")
    if promise is not None:
        return make(_largest(make, promise, who))
    goal, level = float(checks.positive(within=within)), checks.confidence_level(confidence=confidence)
    return make(_least(lambda p: _half_width(make(p), who, level) <= goal, f"within={goal:g}"))


def _largest(make: Callable[[float], Mechanism], promise: Guarantee, unit: Unit | None) -> float:
    """The last double whose guarantee implies the promise."""
    if not isinstance(promise, (Approx, ZCDP)):
        raise ArgumentTypeError.expected("promise", promise, "one point or one rho is needed", _KINDS)
    if unit is not None and promise.unit is not None and unit != promise.unit:
        raise UnitError.clash(unit, promise.unit)
    who = promise.unit if unit is None else unit
    breaks: Callable[[float], bool] = lambda p: not _implies(make(p).guarantee(who), promise)  # noqa: E731
    if not breaks(_MOST):
        return _MOST
    over = _least(breaks, "promise")
    if over <= _LEAST:
        raise CalibrationError(f"no parameter from {_LEAST:g} up keeps the promise {promise!r}. Allow more.")
    return _double(_order(over) - 1)


def _implies(guarantee: Guarantee, promise: Approx | ZCDP) -> bool:
    """Whether one guarantee says at least as much: at the promise's point, or along the whole curve of its rho."""
    if isinstance(promise, ZCDP):
        has = guarantee.concentrated if isinstance(guarantee, Kind) else None
        return has is not None and has[1] == 0 and has[0] <= promise.rho
    return guarantee.epsilon(promise.at_delta) <= checks.round_up(promise.at_epsilon)  # type: ignore[arg-type]


def _half_width(mechanism: Mechanism, unit: Unit | None, confidence: float) -> float:
    forecast = Plan(mechanism, None, unit or Unit(None)).expected(confidence)
    return max(float("inf") if one.half_width is None else one.half_width for one in forecast.values())


def _least(holds: Callable[[float], bool], goal: str) -> float:
    """The least double in range from which on a monotone condition holds."""
    low, high = _order(_LEAST), _order(_MOST)
    if not holds(_MOST):
        raise CalibrationError(f"no parameter up to {_MOST:g} reaches {goal}. Ask for less.")
    if holds(_LEAST):
        return _LEAST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(_double(middle)) else (middle, high)
    return _double(high)


def _order(x: float) -> int:
    """The place of a positive double among all of them."""
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def _double(place: int) -> float:
    return float(struct.unpack("<d", struct.pack("<q", place))[0])
