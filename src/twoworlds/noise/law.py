"""What every noise law shares: quantiles found from tails, and how laws are shown.

A law answers `sample`, `logpdf` (log mass where `discrete`), `cdf`, `sf`, `quantile`, `mean()`, `variance()`. A
concrete law writes only the formulas that are its own.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError
from .bits import Source

__all__ = ["Continuous", "Discrete", "LawBase"]


class LawBase(ABC):
    """A probability law on the line, centred and symmetric unless it says otherwise."""

    discrete: ClassVar[bool]
    symmetric: ClassVar[bool] = True
    step: float = 1.0
    """The lattice of a discrete law: its values are multiples of this."""

    @abstractmethod
    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        """`n` draws, or one."""

    @abstractmethod
    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density at x (of the mass, where `discrete`)."""

    @abstractmethod
    def cdf(self, x: Any) -> Any:
        """P(X <= x)."""

    @abstractmethod
    def sf(self, x: Any) -> Any:
        """P(X > x), accurate far into the tail."""

    @abstractmethod
    def quantile(self, p: Any) -> Any:
        """The least x with P(X <= x) >= p."""

    @abstractmethod
    def mean(self) -> float:
        """The mean; NaN where there is none."""

    @abstractmethod
    def variance(self) -> float:
        """The true variance; infinite where there is none."""

    @abstractmethod
    def mean_absolute(self) -> float:
        """The mean of |X|: the expected absolute error, where X is an error."""

    def pmf(self, x: Any) -> Any:
        """The mass at x: exp(logpdf) where `discrete`, else 0."""
        if not self.discrete:
            return _like(x, np.zeros(np.shape(x)))
        return _like(x, np.exp(self.logpdf(x)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{f.name}={_plain(getattr(self, f.name))}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({inside})"


class Continuous(LawBase):
    """A law with a density. `sample` inverts the distribution function at 53 random bits: for simulation, never for a
    release."""

    discrete = False

    def _uniforms(self, n: int | None, rng: Source) -> Any:
        u = rng.open().uniforms(1 if n is None else n)
        return float(u[0]) if n is None else u


class Discrete(LawBase):
    """A law on the integers."""

    discrete = True

    @abstractmethod
    def _guess(self, tail: float) -> float:
        """Roughly the x with P(X > x) = tail, for tail <= 1/2."""

    def quantile(self, p: Any) -> Any:
        return _map(p, self._quantile)

    def _quantile(self, p: float) -> float:
        if not 0 <= p <= 1:
            raise ArgumentError.expected("p", p, "a probability is needed")
        if p in (0, 1):
            return -math.inf if p == 0 else math.inf
        # Each side is decided by the tail that is computed without cancellation.
        enough: Callable[[float], bool] = (lambda k: self.sf(k) <= 1 - p) if p > 0.5 else (lambda k: self.cdf(k) >= p)
        tail = min(p, 1 - p)
        return least_integer(enough, math.copysign(self._guess(tail), p - 0.5))

    @staticmethod
    def _each(x: Any, formula: Callable[[Any], Any], off: float) -> Any:
        """A formula for integers, and `off` elsewhere."""
        k = np.asarray(x, dtype=float)
        with np.errstate(invalid="ignore"):
            out = np.where(k == np.floor(k), formula(k), off)
        return _like(x, out)

    @staticmethod
    def _floor(x: Any, formula: Callable[[Any], Any]) -> Any:
        """A formula of the largest integer that is not above x."""
        return _like(x, formula(np.floor(np.asarray(x, dtype=float))))


def least_integer(enough: Callable[[float], bool], guess: float) -> float:
    """The least integer from which on `enough` holds, searched outwards from a guess and then by halving."""
    start, stride = math.floor(guess), 1
    low = high = start
    if enough(high):
        while enough(low - stride):
            low, stride = low - stride, 2 * stride
        low, high = low - stride, low
    else:
        while not enough(low + stride):
            low, stride = low + stride, 2 * stride
        high = low + stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high)


def _map(x: Any, formula: Callable[[float], float]) -> Any:
    if np.ndim(x) == 0:
        return formula(float(x))
    flat = [formula(float(v)) for v in np.ravel(x)]
    return np.array(flat, dtype=float).reshape(np.shape(x))


def _like(x: Any, out: Any) -> Any:
    """A float for a number, an array for an array."""
    return float(out) if np.ndim(x) == 0 else np.asarray(out)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Fraction) else value
