"""Laws made from laws: a multiple of one, the sum of two independent ones, and no noise at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import checks
from ..errors import ArgumentError, ArgumentTypeError
from .bits import Source, source
from .law import LawBase, _like, _map, least_integer

__all__ = ["NoNoise", "Scaled", "Sum"]

_Array = np.ndarray[Any, Any]
_FORGOTTEN = 1e-18  # mass left out at each end of a tabulated law
_LARGEST_TABLE = 1 << 22


@dataclass(frozen=True, repr=False)
class NoNoise(LawBase):
    """The law of a number that is exactly right: all mass at zero."""

    discrete = True

    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        source(rng)
        return 0 if n is None else np.zeros(checks.count(0, n=n), dtype=np.int64)

    def logpdf(self, x: Any) -> Any:
        return _like(x, np.where(np.asarray(x) == 0, 0.0, -math.inf))

    def cdf(self, x: Any) -> Any:
        return _like(x, np.where(np.asarray(x) >= 0, 1.0, 0.0))

    def sf(self, x: Any) -> Any:
        return _like(x, np.where(np.asarray(x) >= 0, 0.0, 1.0))

    def quantile(self, p: Any) -> Any:
        checks.probabilities(p=p)
        return _like(p, np.where(np.asarray(p) > 0, 0.0, -math.inf))

    def mean(self) -> float:
        return 0.0

    def variance(self) -> float:
        return 0.0

    def mean_absolute(self) -> float:
        return 0.0


@dataclass(frozen=True, repr=False)
class Scaled(LawBase):
    """The law of factor * X. A release's error on a grid is the grid's step times an integer law.

    >>> from .discrete_laplace import DiscreteLaplace
    >>> Scaled(DiscreteLaplace(2048), 2.0**-10).quantile(0.95).hex()
    '0x1.26c0000000000p+2'
    """

    law: LawBase
    factor: float

    def __init__(self, law: LawBase, factor: float) -> None:
        factor = float(factor)
        if not math.isfinite(factor) or factor == 0:
            raise ArgumentError.expected("factor", factor, "a finite number other than zero is needed")
        inner = law if isinstance(law, Scaled) else None  # one layer is enough
        object.__setattr__(self, "law", law if inner is None else inner.law)
        object.__setattr__(self, "factor", factor if inner is None else inner.factor * factor)

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return self.law.discrete

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.law.symmetric

    @property
    def step(self) -> float:  # type: ignore[override]
        return self.law.step * abs(self.factor)

    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        return self.law.sample(n, rng=rng) * self.factor

    def logpdf(self, x: Any) -> Any:
        return _like(x, self.law.logpdf(self._inside(x)) - (0.0 if self.discrete else math.log(abs(self.factor))))

    def cdf(self, x: Any) -> Any:
        z = self._inside(x)
        if self.factor > 0:
            return self.law.cdf(z)
        return _like(x, self.law.sf(z) + self.law.pmf(z))

    def sf(self, x: Any) -> Any:
        z = self._inside(x)
        if self.factor > 0:
            return self.law.sf(z)
        return _like(x, self.law.cdf(z) - self.law.pmf(z))

    def quantile(self, p: Any) -> Any:
        if self.factor > 0 or self.symmetric:
            return _like(p, abs(self.factor) * np.asarray(self.law.quantile(p)))
        if not self.discrete:
            return _like(p, self.factor * np.asarray(self.law.quantile(1 - np.asarray(p, dtype=float))))
        return _map(p, lambda one: _lattice_quantile(self, one))

    def mean(self) -> float:
        return self.factor * self.law.mean() + 0.0  # never -0.0

    def variance(self) -> float:
        return self.factor**2 * self.law.variance()

    def mean_absolute(self) -> float:
        return abs(self.factor) * self.law.mean_absolute()

    def _inside(self, x: Any) -> Any:
        z = np.asarray(x, dtype=float) / self.factor
        if self.discrete:  # (factor * k) / factor may fall just beside k, on the wrong side of a step
            nearest = np.rint(z / self.law.step) * self.law.step
            z = np.where(np.abs(z - nearest) <= 1e-9 * np.maximum(np.abs(z), self.law.step), nearest, z)
        return float(z) if z.ndim == 0 else z


@dataclass(frozen=True, repr=False)
class Sum(LawBase):
    """The law of X + Y, X and Y independent: what is left uncertain by sampling and by noise together.

    Two lattice laws on one step are convolved exactly on it; a lattice law and a density give an exact mixture; two
    densities are integrated by Gauss-Legendre rules between the points where either bends, to about 1e-12.

    >>> from .continuous import Gaussian, Laplace
    >>> round(Sum(Laplace(2), Gaussian(1)).variance(), 6)
    9.0
    """

    first: LawBase
    second: LawBase

    def __init__(self, first: LawBase, second: LawBase) -> None:
        for name, law in (("first", first), ("second", second)):
            if not isinstance(law, LawBase):
                raise ArgumentTypeError.expected(name, law, "a law such as tw.noise.Laplace(2) is needed")
        if second.discrete and not first.discrete:  # the mixture runs over the first law
            first, second = second, first
        if first.discrete and second.discrete and first.step != second.step:
            raise ArgumentError(
                f"these lattice laws have different steps ({first.step} and {second.step}). "
                "Scale one of them onto the other's step."
            )
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)

    @property
    def discrete(self) -> bool:  # type: ignore[override]
        return self.first.discrete and self.second.discrete

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return self.first.symmetric and self.second.symmetric

    @property
    def step(self) -> float:  # type: ignore[override]
        return self.first.step

    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        return self.first.sample(n, rng=rng) + self.second.sample(n, rng=rng)

    def logpdf(self, x: Any) -> Any:
        with np.errstate(divide="ignore"):
            return self._mixed(x, lambda rest: np.exp(self.second.logpdf(rest)), log=True)

    def cdf(self, x: Any) -> Any:
        return self._mixed(x, self.second.cdf)

    def sf(self, x: Any) -> Any:
        return self._mixed(x, self.second.sf)

    def quantile(self, p: Any) -> Any:
        checks.probabilities(p=p)
        return _map(p, lambda one: _lattice_quantile(self, one) if self.discrete else _quantile(self, one))

    def mean(self) -> float:
        return self.first.mean() + self.second.mean()

    def variance(self) -> float:
        return self.first.variance() + self.second.variance()

    def mean_absolute(self) -> float:
        """E|X| as the integral of both tails."""
        if self.discrete:
            values, weights = self._nodes
            inner = [self._tails_beyond(self.second, -float(v)) for v in values]
            return float(np.dot(weights, inner))
        spread = max(abs(float(self.quantile(p))) for p in (1e-12, 1 - 1e-12))
        x, w = _panels(np.linspace(-spread, spread, 65))
        return float(np.dot(w, np.where(x > 0, self.sf(np.abs(x)), self.cdf(-np.abs(x)))))

    @staticmethod
    def _tails_beyond(law: LawBase, a: float) -> float:
        """E|Y - a| for a lattice law Y, from E|Y| and the mass between 0 and a."""
        k = np.arange(1, round(abs(a) / law.step) + 1) * law.step
        if a > 0:
            moved = law.cdf(k - law.step) - law.sf(k - law.step)
        else:
            moved = law.sf(-k) - law.cdf(-k)
        return law.mean_absolute() + float(np.sum(moved)) * law.step

    @cached_property
    def _nodes(self) -> tuple[_Array, _Array]:
        """Values of the first law and their weights: its lattice, or nodes that integrate it."""
        low, high = float(self.first.quantile(_FORGOTTEN)), _upper(self.first)
        if self.first.discrete:
            count = round((high - low) / self.first.step) + 1
            if count > _LARGEST_TABLE:
                raise ArgumentError(
                    f"the lattice of {self.first!r} has {count} points in reach, more than are summed. "
                    "Use the continuous law of the same scale: on so fine a lattice the two agree."
                )
            values = low + self.first.step * np.arange(count)
            return values, np.asarray(self.first.pmf(values))
        raise AssertionError("two densities are integrated point by point")

    def _mixed(self, x: Any, formula: Any, *, log: bool = False) -> Any:
        """E formula(x - X) over the first law."""
        points = np.atleast_1d(np.asarray(x, dtype=float)).ravel()
        if self.first.discrete:
            values, weights = self._nodes
            out = np.array([float(np.dot(weights, formula(point - values))) for point in points])
        else:
            out = np.array([self._integral(float(point), formula) for point in points])
        out = np.log(out) if log else np.clip(out, 0.0, 1.0)
        return float(out[0]) if np.ndim(x) == 0 else out.reshape(np.shape(x))

    def _integral(self, x: float, formula: Any) -> float:
        """The same for two densities: panels end where either law bends (its centre) and follow the quantiles of
        both."""
        if not math.isfinite(x):
            return float(formula(x))
        tails = np.array([_FORGOTTEN, 1e-14, 1e-11, 1e-8, 1e-5, 1e-3, 0.02, 0.1, 0.25, 0.5])
        marks = [_marks(self.first, tails), x - _marks(self.second, tails), np.array([0.0, x])]
        low, high = marks[0].min(), marks[0].max()
        edges = np.unique(np.clip(np.concatenate(marks), low, high))
        t, w = _panels(edges)
        return float(np.dot(w * np.exp(self.first.logpdf(t)), formula(x - t)))


def _upper(law: LawBase) -> float:
    """The quantile with _FORGOTTEN above it, found by the tail, which 1 - _FORGOTTEN cannot express."""
    if law.symmetric:
        return -float(law.quantile(_FORGOTTEN))
    high = max(1.0, abs(float(law.quantile(0.999))))
    while law.sf(high) > _FORGOTTEN:
        high *= 1.5
    return high if not law.discrete else math.ceil(high / law.step) * law.step


def _marks(law: LawBase, tails: _Array) -> _Array:
    low = np.asarray(law.quantile(tails))
    high = -low if law.symmetric else np.append(np.asarray(law.quantile(1 - tails[4:])), _upper(law))
    return np.concatenate([low, high])


def _panels(edges: _Array) -> tuple[_Array, _Array]:
    """Gauss-Legendre nodes and weights of 24 points on each panel."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    half = np.diff(edges)[:, None] / 2
    middle = (edges[:-1] + edges[1:])[:, None] / 2
    return (middle + half * nodes).ravel(), (half * weights).ravel()


def _enough(law: LawBase, p: float) -> Any:
    """Whether x is at or above the quantile, by the tail that is computed without cancellation."""
    return (lambda x: law.sf(x) <= 1 - p) if p > 0.5 else (lambda x: law.cdf(x) >= p)


def _guess(law: LawBase) -> tuple[float, float]:
    spread = math.sqrt(law.variance()) if math.isfinite(law.variance()) else 1.0
    centre = law.mean() if math.isfinite(law.mean()) else 0.0
    return centre, spread or 1.0


def _lattice_quantile(law: LawBase, p: float) -> float:
    if p in (0, 1):
        return -math.inf if p == 0 else math.inf
    enough = _enough(law, p)
    return law.step * least_integer(lambda k: bool(enough(k * law.step)), _guess(law)[0] / law.step)


def _quantile(law: LawBase, p: float) -> float:
    if p in (0, 1):
        return -math.inf if p == 0 else math.inf
    enough = _enough(law, p)
    centre, stride = _guess(law)
    low, high = centre - stride, centre + stride
    while enough(low):
        low, stride = low - 2 * stride, 2 * stride
    while not enough(high):
        high, stride = high + 2 * stride, 2 * stride
    while high - low > 4e-16 * max(abs(low), abs(high)) and low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
