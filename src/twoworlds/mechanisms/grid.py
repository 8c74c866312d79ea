"""The grid that numbers are released on: clamp, round, add integers, multiply by the step.

Nothing is proved about floats. A number becomes an integer count of steps before noise is added, and the step comes
from public parameters only. Rounding is floor(x / step + 1/2), which commutes with whole steps: one number that moves
by r moves by at most ceil(r / step) steps. Of d numbers that move by S in total each can be carried over almost a whole
step, so the integer L1 distance is at most ceil(S / step) + d - 1, and the L2 one at most S / step + sqrt(d).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError, GridError

__all__ = ["INTEGERS", "Grid", "counted"]

_LIMIT = 2**62
_REACH = 2**62 - 1
_NUMBERS, _ADVICE = "numbers are needed", "Give a number, a list or an array of numbers of one shape"
_Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Grid:
    """Multiples of 2**exponent between `low` and `high` steps; without bounds, +-2**62 steps.

    A NaN becomes the lower bound, or zero where there is none; an infinity becomes the bound on its side.
    """

    exponent: int
    low: int = -_LIMIT
    high: int = _LIMIT
    missing: int = 0
    whole: bool = False
    """Whether it holds integers that came as integers: nothing is rounded and integers come out."""

    @classmethod
    def of(cls, finest: Fraction, coarsest: Fraction, bounds: tuple[Fraction, Fraction] | None) -> Grid:
        """The grid of step 2**k with 2**k <= finest, made coarser (up to `coarsest`) where bounds would not fit 62
        bits."""
        exponent = _floor_log2(finest)
        if bounds is not None:
            widest = max(abs(bounds[0]), abs(bounds[1]))
            if widest:
                exponent = max(exponent, _floor_log2(widest) - 60)
            if Fraction(2) ** exponent > coarsest:
                raise GridError.expected(
                    "bounds",
                    (float(bounds[0]), float(bounds[1])),
                    "too wide for this sensitivity: a step fine enough for the noise does not reach them in 62 bits",
                    "Give bounds that answers can reach",
                )
        if not -1000 <= exponent <= 900:
            raise GridError(
                f"the step 2**{exponent} of this grid is outside what doubles can hold. Measure in another unit."
            )
        if bounds is None:
            return cls(exponent)
        low, high = (_rounded(bound, exponent) for bound in bounds)
        return cls(exponent, low, high, low)

    @property
    def step(self) -> float:
        """The distance of neighbouring grid points: a power of two, exact as a double."""
        return math.ldexp(1.0, self.exponent)

    @property
    def bounds(self) -> tuple[float, float]:
        """Between what numbers a truth is held before noise is added: the bounds given, or as far as 62 bits reach."""
        return self.low * self.step, self.high * self.step

    def place(self, values: Any) -> Any:
        """Numbers as counts of steps: an int for a number, int64 for an array. Never an error, whatever the values."""
        if np.ndim(values) == 0:
            return self._place_one(values.item() if isinstance(values, (np.generic, np.ndarray)) else values)
        array = np.asarray(values)
        if array.dtype == object or (array.dtype.kind in "iub" and not self.whole):
            return np.array([self._place_one(v) for v in array.ravel().tolist()], dtype=np.int64).reshape(array.shape)
        if array.dtype.kind in "iub":
            if array.dtype.kind == "u":
                array = np.minimum(array, np.uint64(_LIMIT))
            return np.clip(array.astype(np.int64), self.low, self.high)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            y = np.ldexp(array.astype(np.float64), -self.exponent)
            floor = np.floor(y)
            # y - floor is exact; adding 1/2 to y first would round
            z = np.clip(floor + (y - floor >= 0.5), float(-_LIMIT), float(_LIMIT))
        gone = np.isnan(y)
        out = np.where(gone, 0.0, z).astype(np.int64)
        return np.where(gone, self.missing, np.clip(out, self.low, self.high))

    def _place_one(self, x: Any) -> int:
        if x is None:
            return self.missing
        if isinstance(x, float):
            if x != x:
                return self.missing
            if math.isinf(x):
                return self.high if x > 0 else self.low
        return min(max(_rounded(x, self.exponent), self.low), self.high)

    def number(self, steps: Any) -> Any:
        """Counts of steps as released numbers: one conversion, never -0.0, never infinite."""
        if self.whole:
            return steps
        if isinstance(steps, int):
            return math.ldexp(float(steps), self.exponent)
        return np.ldexp(steps.astype(np.float64), self.exponent)

    def steps(self, number: Any) -> Any:
        """The inverse of `number` (exact below 2**53 steps); NaN for what is not on the grid."""
        steps = np.asarray(number, dtype=np.float64) if self.whole else np.ldexp(number, -self.exponent)
        return np.where(steps == np.rint(steps), steps, np.nan)

    def clamped(self, values: Any) -> dict[str, int]:
        """For the owner alone: how many cells are missing, and how many lie outside the grid."""
        flat = np.ravel(np.asarray(values)).tolist()
        flat = [math.nan if v is None else v for v in flat]
        missing = sum(isinstance(v, float) and v != v for v in flat)
        outside = 0
        for v in flat:
            if isinstance(v, float) and not math.isfinite(v):
                outside += v == v
            else:
                outside += not self.low <= _rounded(v, self.exponent) <= self.high
        return {"cells": len(flat), "clamped": outside, "missing": missing}


INTEGERS = Grid(0, whole=True)
"""The grid of answers that are integers by their type."""


def added(steps: Any, noise: Any) -> Any:
    """steps + noise, held within +-(2**62 - 1).

    Noise that did not fit 64 bits was held at their ends. Since |steps| <= 2**62, it is out of this range all the same,
    so the outcome is that of noise without ends.
    """
    if isinstance(steps, int):
        return min(max(steps + noise, -_REACH), _REACH)
    out = steps + noise
    wrapped = ((steps ^ out) & (noise ^ out)) < 0
    return np.clip(np.where(wrapped, np.where(steps < 0, -_REACH, _REACH), out), -_REACH, _REACH)


def counted(values: Any) -> tuple[Any, int, bool]:
    """An answer checked by its types alone: (number or array, how many cells, whether integers by type).

    What NumPy would infer for a list depends on its values (a large integer among small ones becomes a float), so the
    elements of a list are taken one by one. None is a missing number.
    """
    if isinstance(values, (int, float)):  # bool and NumPy's float64 among them
        return (float(values) if isinstance(values, float) else int(values)), 1, not isinstance(values, float)
    if isinstance(values, np.ma.MaskedArray):
        gone = np.ma.getmaskarray(values)
        values = values.data.astype(object)
        values[gone] = None
    if isinstance(values, np.ndarray) and values.dtype != object:
        array, integer = values, values.dtype.kind in "iub"
        if values.dtype.kind not in "iubf":
            raise ArgumentTypeError.expected("values", values, _NUMBERS, _ADVICE)
        if values.dtype.kind == "f" and values.dtype.itemsize > 8:  # doubles would round what the grid should place
            raise ArgumentTypeError.expected(
                "values", values, "floats longer than doubles are not placed exactly", _ADVICE
            )
    else:
        array = np.asarray(values, dtype=object)
        flat = [v.item() if isinstance(v, np.generic) else v for v in array.ravel().tolist()]
        kinds = {type(v) for v in flat}
        if kinds & {list, tuple, np.ndarray}:
            raise ArgumentTypeError.expected("values", values, "rows of unequal length are no array", _ADVICE)
        if not kinds <= {int, bool, float, Fraction, Decimal, type(None)}:
            raise ArgumentTypeError.expected("values", values, _NUMBERS, _ADVICE)
        integer = kinds <= {int, bool, type(None)}
        array = np.empty(array.shape, dtype=object)
        array.ravel()[:] = [_from_decimal(v) for v in flat]
        if kinds <= {float, type(None)} and float in kinds:
            array = array.astype(np.float64)  # None becomes NaN
    if array.size == 0:
        raise ArgumentError.expected("values", values, "there are no numbers to release", "Give at least one")
    return (array.item() if array.ndim == 0 else array), array.size, integer


def _from_decimal(x: Any) -> Any:
    """A Decimal as the number the grid can place."""
    if not isinstance(x, Decimal):
        return x
    if x.is_nan():
        return math.nan
    if not x:
        return 0
    # beyond what doubles hold every grid clamps alike, and no huge power of ten is built
    return (
        math.copysign(math.inf, x)
        if x.is_infinite() or x.adjusted() > 400
        else Fraction(x)
        if x.adjusted() > -400
        else 0
    )


def _rounded(x: int | float | Fraction, exponent: int) -> int:
    """floor(x / 2**exponent + 1/2), exactly, for an int, a finite float or a Fraction."""
    if isinstance(x, Fraction):
        return math.floor(x / Fraction(2) ** exponent + Fraction(1, 2))
    top, bottom = x.as_integer_ratio()  # of a float, bottom is a power of two
    down = bottom.bit_length() - 1 + exponent
    return top << -down if down <= 0 else (top + (1 << (down - 1))) >> down


def _floor_log2(x: Fraction) -> int:
    """The largest k with 2**k <= x, for x > 0."""
    k = x.numerator.bit_length() - x.denominator.bit_length()
    return k if Fraction(2) ** k <= x else k - 1
