"""Discrete Gaussian noise on the integers, and its exact sampler.

**The draw.** Up to a standard deviation of 64 one inverse over the signed integers gives X at once. Above it |X| = K
2**h + r: K from an inverse with weights exp(-(K 2**h)**2 / 2v), r uniform, kept with probability exp(-a), a = r (2 K
2**h + r) / 2v; the sign is one bit and a negative zero is drawn again. About one in a hundred is rejected. Rejection is
decided from a uniform V >= 1 - exp(-a): 16 bits of V against a bound linear in K settle nearly all, doubles settle the
rest outside a band of 2**-40, and integers of any length settle what falls inside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from .. import checks
from ..errors import GridError
from .bits import Source, Stream, source
from .enclosure import Interval, divide, exp_minus
from .inverse import Inverse, Overflow
from .law import Discrete
from .reserve import Sampler

__all__ = ["DiscreteGaussian"]

LARGEST_VARIANCE = Fraction(2**112)
_BLOCK = 1 << 17
_DIRECT = 64  # standard deviations up to here are tabulated integer by integer
_BAND = 2.0**-40  # far wider than the rounding error of the doubles it guards, which is below 2**-45
_SUMMED = 400.0  # up to this sigma tails are summed term by term; above, the midpoint series is exact to rounding


@dataclass(frozen=True, repr=False)
class DiscreteGaussian(Discrete):
    """Discrete Gaussian noise: P(X = k) is proportional to exp(-k**2 / (2 variance)), k an integer.

    `variance` is the *parameter* of the law, any positive rational up to 2**112; `variance()` of a law is its true
    variance, which is smaller where the parameter is small. Samples are exact, as for `DiscreteLaplace`. The privacy
    loss of a shift is that of the discrete law: it satisfies the zCDP of the continuous Gaussian (Canonne, Kamath and
    Steinke 2020) but not its Gaussian-DP curve.

    >>> law = DiscreteGaussian("0.1")
    >>> round(law.variance(), 4)
    0.0133
    """

    parameter: Fraction

    def __init__(self, variance: Any) -> None:
        exact = checks.positive(variance=variance)
        if exact > LARGEST_VARIANCE:
            raise GridError.expected(
                "variance", variance, "at most 2**112 is accepted, so that noise fits 64-bit integers"
            )
        object.__setattr__(self, "parameter", exact)

    def __repr__(self) -> str:
        return f"DiscreteGaussian(variance={self.parameter})"

    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        """`n` exact draws as int64, or one draw as an int."""
        return _sampler(self.parameter).drawn(None if n is None else checks.count(0, n=n), source(rng))

    def logpdf(self, x: Any) -> Any:
        return self._each(x, lambda k: -0.5 * (k / self._sigma) ** 2 - self._log_total, off=-math.inf)

    def sf(self, x: Any) -> Any:
        return self._floor(x, lambda k: np.where(k >= 0, self._tail(np.abs(k)), 1 - self._tail(np.maximum(-k, 1) - 1)))

    def cdf(self, x: Any) -> Any:
        return self._floor(x, lambda k: np.where(k < 0, self._tail(np.maximum(-k, 1) - 1), 1 - self._tail(np.abs(k))))

    def mean(self) -> float:
        return 0.0

    def variance(self) -> float:
        if self._sigma > 4:  # Poisson summation: the two differ by less than exp(-2 pi**2 sigma**2)
            return self._sigma**2
        k = np.arange(1, 170, dtype=float)
        return float(2 * np.sum(k**2 * np.exp(self.logpdf(k))))

    def mean_absolute(self) -> float:
        if self._sigma <= _SUMMED:
            k = np.arange(1, math.ceil(40 * self._sigma) + 40, dtype=float)
            return float(2 * np.sum(k * np.exp(self.logpdf(k))))
        s = self._sigma
        # Euler-Maclaurin on sum of k f(k): the integral, less B_2/2! times the slope 1 at zero.
        return 2 * (s**2 - 1 / 12) / math.exp(self._log_total)

    @property
    def _sigma(self) -> float:
        return math.sqrt(self.parameter)

    @property
    def _log_total(self) -> float:
        """ln of the sum of exp(-k**2/2v) over all integers."""
        if self._sigma > 2:
            return math.log(self._sigma) + 0.5 * math.log(2 * math.pi) + 2 * math.exp(-2 * (math.pi * self._sigma) ** 2)
        k = np.arange(1, 90, dtype=float)
        return math.log1p(float(2 * np.sum(np.exp(-0.5 * (k / self._sigma) ** 2))))

    def _tail(self, k: Any) -> Any:
        """P(X > k) for k >= 0, to a relative error of a few roundings."""
        k = np.asarray(k, dtype=float)
        if self._sigma <= _SUMMED:
            sums = _tails(self.parameter)
            return sums[np.minimum(k, sums.size - 1).astype(np.intp)]
        s, a = self._sigma, (k + 0.5) / self._sigma
        # Midpoint Euler-Maclaurin: the integral from k + 1/2, and derivatives there, -f', -f''', ... over f as Hermite
        # polynomials.
        integral = s * math.sqrt(math.pi / 2) * special.erfcx(a / math.sqrt(2))
        series = integral
        for coefficient, order in ((-1 / 24, 1), (7 / 5760, 3), (-31 / 967680, 5), (127 / 154828800, 7)):
            series = series + coefficient * special.eval_hermitenorm(order, a) / s**order
        return np.where(a < 39, np.exp(-0.5 * np.minimum(a, 39) ** 2 - self._log_total) * series, 0.0)

    def _guess(self, tail: float) -> float:
        return -self._sigma * float(special.ndtri(tail))


@lru_cache(maxsize=64)
def _tails(parameter: Fraction) -> np.ndarray[Any, np.dtype[np.float64]]:
    """P(X > k) for k = 0, 1, ..., summed from the far end so that small terms are not lost; the last entry is 0."""
    law = DiscreteGaussian(parameter)
    terms = np.exp(law.logpdf(np.arange(1, math.ceil(39 * law._sigma) + 3, dtype=float)))
    return np.append(np.cumsum(terms[::-1])[::-1], 0.0)


class _Sampler(Sampler):
    """Integer by integer for a small variance, block and remainder for a large one."""

    def __init__(self, v: Fraction) -> None:
        super().__init__()
        self._v = v
        sigma = math.isqrt(math.floor(v))
        self._shift = max(0, sigma.bit_length() - 6)
        width = 1 << self._shift
        blocks = math.ceil(10 * (sigma + 1) / width) + 2  # beyond 10 sigma there is less than 2**-64
        if not self._shift:
            self._inverse = Inverse(
                lambda cells, precision: _edges(v, 1, cells, precision, signed=True),
                2 * blocks + 1,
                lambda cell: (cell + 1) // 2 if cell % 2 else -(cell // 2),
                finite=False,
            )
            return
        self._inverse = Inverse(
            lambda cells, precision: _edges(v, width, cells, precision, signed=False),
            blocks,
            lambda cell: cell,
            finite=False,
            fits=2 ** (63 - self._shift),
        )
        # a < (2K + 1) / 2b**2 with b = sigma / width, so V >= (K + 1) / b**2 always keeps the draw.
        self._slope = math.ceil(65536 * Fraction(width) ** 2 / v)

    def many(self, n: int, stream: Stream) -> np.ndarray[Any, np.dtype[np.int64]]:
        out = np.empty(n, dtype=np.int64)
        filled = 0
        while filled < n:
            want = min(n - filled, _BLOCK)
            if not self._shift:
                overflow: Overflow = []
                out[filled : filled + want] = self._inverse.sample(want, stream, overflow)
                for position, value in overflow:
                    out[filled + position] = value
                filled += want
            else:
                drawn = self._attempt(want + want // 64 + 16, stream)[:want]
                out[filled : filled + drawn.size] = drawn
                filled += drawn.size
        return out

    def _attempt(self, n: int, stream: Stream) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The draws among `n` that are kept, in order."""
        overflow: Overflow = []
        block = self._inverse.sample(n, stream, overflow)
        dtype = "<u2" if self._shift < 16 else "<u4" if self._shift < 32 else "<u8"
        word = stream.words(n, dtype)
        v16 = stream.words(n, "<u2")
        negative = (word & word.dtype.type(1)).astype(bool)
        r = ((word >> word.dtype.type(1)) & word.dtype.type((1 << self._shift) - 1)).astype(np.int64)
        out = block.astype(np.int64)
        unsure = np.flatnonzero(v16 < np.minimum(self._slope * (out + 1), 65536))
        np.left_shift(out, self._shift, out=out)
        np.bitwise_or(out, r, out=out)
        rejected = negative & (out == 0)
        np.negative(out, out=out, where=negative)
        if unsure.size:
            more = np.zeros((unsure.size, 4), dtype="<u2")
            more[:, :3] = stream.words(3 * unsure.size, "<u2").reshape(-1, 3)
            more[:, 3] = v16[unsure]
            rejected[unsure] |= ~self._keep(block[unsure], r[unsure], more.view("<u8")[:, 0], stream)
        for position, value in overflow:
            v = (int(v16[position]) << 48) | stream.integer(48)
            rejected[position] = not self._keeps(value, int(r[position]), v, stream)
            magnitude = (value << self._shift) + int(r[position])
            out[position] = max(-magnitude, -(2**63)) if negative[position] else min(magnitude, 2**63 - 1)
        return out[~rejected] if rejected.any() else out

    def _keep(self, block: Any, r: Any, v: Any, stream: Stream) -> Any:
        """V >= 1 - exp(-a), from 64 bits of V, by doubles where they are surely right."""
        low = r.astype(float)
        a = low * (2.0 * np.ldexp(block.astype(float), self._shift) + low) / (2.0 * float(self._v))
        gap = np.ldexp(v.astype(float), -64) + np.expm1(-a)
        keep = gap > 0
        for i in np.flatnonzero(np.abs(gap) <= _BAND):
            keep[i] = self._keeps(int(block[i]), int(r[i]), int(v[i]), stream)
        return keep

    def _keeps(self, block: int, r: int, v: int, stream: Stream) -> bool:
        """The same decision in integers of any length."""
        a = Fraction(r * (2 * (block << self._shift) + r)) / (2 * self._v)
        known = 64
        while a:
            low, high = exp_minus(a, known + 32)
            whole = 1 << (known + 32)
            if v << 32 >= whole - low:
                return True
            if (v + 1) << 32 <= whole - high:
                return False
            v, known = (v << 64) | stream.integer(64), known + 64
        return True


@lru_cache(maxsize=128)
def _sampler(v: Fraction) -> _Sampler:
    """Tables are kept by variance parameter, a public number."""
    return _Sampler(v)


def _edges(v: Fraction, width: int, cells: int, precision: int, *, signed: bool) -> list[Interval]:
    """Cumulative weights exp(-(K width)**2 / 2v), K = 0, 1, 2, ... or (signed) 0, 1, -1, 2, -2, ...

    The total is enclosed by as many terms as reach below the precision, and a bound on all that follow.
    """
    work = precision + 32 + cells.bit_length()
    weight: Callable[[int], Interval] = lambda k: exp_minus(Fraction((k * width) ** 2) / (2 * v), work)  # noqa: E731
    weights = [weight(0)]
    steps = cells // 2 + 1 if signed else cells
    while weights[-1][1] > 1 or len(weights) <= steps:
        weights.append(weight(len(weights)))
    # From the last term on each is at most exp(-x) times the one before, so all that follow sum to at most
    # last * exp(-x) / (1 - exp(-x)) <= last / x.
    x = Fraction((2 * len(weights) - 1) * width**2) / (2 * v)
    rest = math.ceil(weights[-1][1] / x)
    sides = 2 if signed else 1
    low = weights[0][0] + sides * sum(w[0] for w in weights[1:])
    high = weights[0][1] + sides * (sum(w[1] for w in weights[1:]) + rest)
    order = [(cell + 1) // 2 for cell in range(cells)] if signed else range(cells)
    out, below, above = [], 0, 0
    for k in order:
        below, above = below + weights[k][0], above + weights[k][1]
        edge = divide((below, above), (low, high), work)
        out.append((edge[0] >> (work - precision), -(-edge[1] >> (work - precision))))
    return out
