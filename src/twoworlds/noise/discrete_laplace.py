"""Discrete Laplace noise: the two-sided geometric law on the integers, and its exact sampler.

**The draw.** With q = exp(-1/scale), X is non-negative with probability 1/(1+q), and then X is geometric; otherwise
-X-1 is. So X is a sign and a geometric number Y. Written in base 2**m the digits of a geometric number are independent:
the lowest is geometric cut off at 2**m, and what is above it is geometric with ratio q**(2**m). The sign travels with
the topmost digit. No step rejects.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from .. import checks
from ..errors import GridError
from .bits import Source, Stream, source
from .enclosure import Interval, divide, exp_minus, multiply
from .inverse import Inverse, Overflow
from .law import Discrete
from .loops import assemble
from .reserve import Sampler

__all__ = ["DiscreteLaplace"]

LARGEST_SCALE = Fraction(2**56)
_BLOCK = 1 << 17  # draws at a time: the working set stays in the cache


@dataclass(frozen=True, repr=False)
class DiscreteLaplace(Discrete):
    """Two-sided geometric noise: P(X = k) is proportional to exp(-|k| / scale), k an integer.

    `scale` is any positive rational up to 2**56. Samples are exact: given uniform bits, each integer has exactly its
    probability; an integer beyond 64 bits (probability below 2**-180 at the largest scale) is returned as the nearest
    that fits.

    >>> from fractions import Fraction
    >>> law = DiscreteLaplace("1")
    >>> round(law.variance(), 6)
    1.841347
    >>> law.quantile(0.95)
    2.0
    """

    scale: Fraction

    def __init__(self, scale: Any) -> None:
        exact = checks.positive(scale=scale)
        if exact > LARGEST_SCALE:
            raise GridError.expected("scale", scale, "at most 2**56 is accepted, so that noise fits 64-bit integers")
        object.__setattr__(self, "scale", exact)

    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        """`n` exact draws as int64, or one draw as an int."""
        return _sampler(self.scale).drawn(None if n is None else checks.count(0, n=n), source(rng))

    def logpdf(self, x: Any) -> Any:
        return self._each(x, lambda k: math.log(math.tanh(0.5 / self._s)) - np.abs(k) / self._s, off=-math.inf)

    def sf(self, x: Any) -> Any:
        def tail(k: Any) -> Any:
            right = np.exp(-(np.maximum(k, -1) + 1) / self._s - self._log1q)
            return np.where(k >= -1, right, -np.expm1(np.minimum(k, -1) / self._s - self._log1q))

        return self._floor(x, tail)

    def cdf(self, x: Any) -> Any:
        def head(k: Any) -> Any:
            left = np.exp(np.minimum(k, 0) / self._s - self._log1q)
            return np.where(k >= 0, -np.expm1(-(np.maximum(k, 0) + 1) / self._s - self._log1q), left)

        return self._floor(x, head)

    def mean(self) -> float:
        return 0.0

    def variance(self) -> float:
        half = 0.5 / self._s
        return 0.5 / math.sinh(half) ** 2 if half < 350 else 0.0

    def mean_absolute(self) -> float:
        return 1 / math.sinh(1 / self._s) if self._s > 1 / 700 else 0.0

    @property
    def _s(self) -> float:
        return float(self.scale)

    @property
    def _log1q(self) -> float:
        return math.log1p(math.exp(-1 / self._s))

    def _guess(self, tail: float) -> float:
        return -self._s * math.log(tail)


class _Sampler(Sampler):
    """The digits of one scale: a signed top digit and the lower ones, each with its own inverse."""

    def __init__(self, scale: Fraction) -> None:
        super().__init__()
        rate = 1 / scale
        shift = max(0, int(scale).bit_length() - 4)  # the top digit then has a scale in [8, 16)
        digits = -(-shift // 8)
        self._widths = [shift // digits + (i < shift % digits) for i in range(digits)] if digits else []
        self._shift = shift
        base = rate * 2**shift
        # Beyond 45 scales there is less than 2**-64; two cells for each magnitude.
        self._top = Inverse(
            lambda cells, precision: _signed_edges(rate, base, cells, precision),
            2 * math.ceil(46 / min(base, 46) + 1),
            lambda cell: cell // 2 if cell % 2 == 0 else ~(cell // 2),
            finite=False,
            fits=2 ** (63 - shift),
        )
        self._low: list[Inverse] = []
        below = 0
        for width in self._widths:
            self._low.append(_digit(rate * 2**below, 1 << width))
            below += width

    def _join(self, top: int, low: list[int]) -> int:
        magnitude, below = top if top >= 0 else ~top, 0
        rest = 0
        for width, digit in zip(self._widths, low, strict=True):
            rest |= digit << below
            below += width
        magnitude = (magnitude << self._shift) | rest
        return min(magnitude, 2**63 - 1) if top >= 0 else max(~magnitude, -(2**63))

    def many(self, n: int, stream: Stream) -> np.ndarray[Any, np.dtype[np.int64]]:
        out = np.empty(n, dtype=np.int64)
        for start in range(0, n, _BLOCK):
            part = out[start : start + _BLOCK]
            overflow: Overflow = []
            top = self._top.sample(part.size, stream, overflow)
            low = [digit.sample(part.size, stream, overflow) for digit in self._low]
            assemble(part, top, low, self._widths)
            for position, value in overflow:  # only a top digit can be that large
                part[position] = self._join(value, [int(digit[position]) for digit in low])
        return out


@lru_cache(maxsize=128)
def _sampler(scale: Fraction) -> _Sampler:
    """Tables are kept by scale, a public number."""
    return _Sampler(scale)


def _digit(rate: Fraction, cells: int) -> Inverse:
    """A geometric digit below `cells`: P(j) proportional to exp(-rate j)."""

    def edges(count: int, precision: int) -> list[Interval]:
        work = precision + 16 + count.bit_length()
        one = 1 << work
        ratio = exp_minus(rate, work)
        powers = [(one, one)]
        for _ in range(count):
            powers.append(multiply(powers[-1], ratio, work))
        whole = _one_minus(powers[-1], work)
        out = [divide(_one_minus(power, work), whole, work) for power in powers[1:-1]]
        return [*(_drop(pair, work - precision) for pair in out), (1 << precision, 1 << precision)]

    return Inverse(edges, cells, lambda cell: cell, finite=True)


def _signed_edges(rate: Fraction, base: Fraction, cells: int, precision: int) -> list[Interval]:
    """c_1, c_2, ... of the top digit in the order +0, -0, +1, -1, ...

    c_{2j} = 1 - Q**j and c_{2j+1} = 1 - Q**j (1 - (1-Q)/(1+q)) with q = exp(-rate), Q = exp(-base).
    """
    work = precision + 32 + cells.bit_length()
    one = 1 << work
    q, big = exp_minus(rate, work), exp_minus(base, work)
    rest = _one_minus(divide(_one_minus(big, work), (one + q[0], one + q[1]), work), work)
    power, out = (one, one), []
    for cell in range(1, cells + 1):
        if cell % 2:
            edge = _one_minus(multiply(power, rest, work), work)
        else:
            power = multiply(power, big, work)
            edge = _one_minus(power, work)
        out.append(_drop(edge, work - precision))
    return out


def _one_minus(a: Interval, precision: int) -> Interval:
    one = 1 << precision
    return max(one - a[1], 0), one - a[0]


def _drop(a: Interval, bits: int) -> Interval:
    return a[0] >> bits, -(-a[1] >> bits)
