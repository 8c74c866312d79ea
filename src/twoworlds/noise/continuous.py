"""Laws with a density, for intervals, inference and teaching. Releases never draw from them: they draw from discrete
laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import special

from .. import checks
from .bits import Source, source
from .law import Continuous, _like

__all__ = ["Exponential", "Gaussian", "Gumbel", "Laplace", "Logistic", "StudentT"]


class _Standard(Continuous):
    """A law that is `scale` times a standard one, whose formulas `_cdf`, `_sf`, `_logpdf`, `_ppf` (of the lower tail) a
    subclass writes."""

    scale: Fraction

    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        if n is not None:
            checks.count(0, n=n)
        return self.quantile(self._uniforms(n, source(rng)))

    def logpdf(self, x: Any) -> Any:
        with np.errstate(over="ignore"):
            return _like(x, self._logpdf(np.asarray(x, dtype=float) / self._s) - math.log(self._s))

    def cdf(self, x: Any) -> Any:
        with np.errstate(over="ignore"):
            return _like(x, self._cdf(np.asarray(x, dtype=float) / self._s))

    def sf(self, x: Any) -> Any:
        with np.errstate(over="ignore"):
            return _like(x, self._sf(np.asarray(x, dtype=float) / self._s))

    def quantile(self, p: Any) -> Any:
        checks.probabilities(p=p)
        with np.errstate(divide="ignore"):
            return _like(p, self._s * self._ppf(np.asarray(p, dtype=float)))

    @property
    def _s(self) -> float:
        return float(self.scale)

    def _logpdf(self, z: Any) -> Any:
        raise AssertionError("a subclass writes this")

    _cdf = _sf = _ppf = _logpdf


@dataclass(frozen=True, repr=False)
class Laplace(_Standard):
    """The Laplace law: density exp(-|x| / scale) / (2 scale), variance 2 scale**2.

    >>> round(Laplace(1).quantile(0.95), 4)
    2.3026
    """

    scale: Fraction

    def __init__(self, scale: Any) -> None:
        object.__setattr__(self, "scale", checks.positive(scale=scale))

    def _logpdf(self, z: Any) -> Any:
        return -np.abs(z) - math.log(2)

    def _sf(self, z: Any) -> Any:
        return np.where(z > 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z)))

    def _cdf(self, z: Any) -> Any:
        return self._sf(-z)

    def _ppf(self, p: Any) -> Any:
        upper = p > 0.5
        return np.where(upper, -np.log(2 * np.where(upper, 1 - p, 0.5)), np.log(2 * np.where(upper, 0.5, p)))

    def mean(self) -> float:
        return 0.0

    def variance(self) -> float:
        return 2 * self._s**2

    def mean_absolute(self) -> float:
        return self._s


@dataclass(frozen=True, repr=False)
class Gaussian(_Standard):
    """The normal law with mean zero and standard deviation `sigma`."""

    sigma: Fraction

    def __init__(self, sigma: Any) -> None:
        object.__setattr__(self, "sigma", checks.positive(sigma=sigma))

    @property
    def _s(self) -> float:
        return float(self.sigma)

    def _logpdf(self, z: Any) -> Any:
        return -0.5 * z**2 - 0.5 * math.log(2 * math.pi)

    def _sf(self, z: Any) -> Any:
        return special.ndtr(-z)

    def _cdf(self, z: Any) -> Any:
        return special.ndtr(z)

    def _ppf(self, p: Any) -> Any:
        return special.ndtri(p)

    def mean(self) -> float:
        return 0.0

    def variance(self) -> float:
        return self._s**2

    def mean_absolute(self) -> float:
        return self._s * math.sqrt(2 / math.pi)


@dataclass(frozen=True, repr=False)
class Exponential(_Standard):
    """The exponential law with mean `scale`, on x >= 0."""

    symmetric = False
    scale: Fraction

    def __init__(self, scale: Any) -> None:
        object.__setattr__(self, "scale", checks.positive(scale=scale))

    def _logpdf(self, z: Any) -> Any:
        return np.where(z >= 0, -z, -math.inf)

    def _sf(self, z: Any) -> Any:
        return np.exp(-np.maximum(z, 0))

    def _cdf(self, z: Any) -> Any:
        return -np.expm1(-np.maximum(z, 0))

    def _ppf(self, p: Any) -> Any:
        return -np.log1p(-p)

    def mean(self) -> float:
        return self._s

    def variance(self) -> float:
        return self._s**2

    def mean_absolute(self) -> float:
        return self._s


@dataclass(frozen=True, repr=False)
class Gumbel(_Standard):
    """The Gumbel law of maxima: P(X <= x) = exp(-exp(-x / scale)). Its mean is not zero but .5772 scale."""

    symmetric = False
    scale: Fraction

    def __init__(self, scale: Any) -> None:
        object.__setattr__(self, "scale", checks.positive(scale=scale))

    def _logpdf(self, z: Any) -> Any:
        return -z - np.exp(-z)

    def _sf(self, z: Any) -> Any:
        return -np.expm1(-np.exp(-z))

    def _cdf(self, z: Any) -> Any:
        return np.exp(-np.exp(-z))

    def _ppf(self, p: Any) -> Any:
        return -np.log(-np.log(p))

    def mean(self) -> float:
        return float(np.euler_gamma) * self._s

    def variance(self) -> float:
        return (math.pi * self._s) ** 2 / 6

    def mean_absolute(self) -> float:
        # E|X| = E X + 2 E max(-X, 0), and E max(-X, 0) is the integral of P(X <= -x): the exponential integral E1(1).
        return self._s * (float(np.euler_gamma) + 2 * float(special.exp1(1)))


@dataclass(frozen=True, repr=False)
class Logistic(_Standard):
    """The logistic law: P(X <= x) = 1 / (1 + exp(-x / scale))."""

    scale: Fraction

    def __init__(self, scale: Any) -> None:
        object.__setattr__(self, "scale", checks.positive(scale=scale))

    def _logpdf(self, z: Any) -> Any:
        return -np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z)))

    def _sf(self, z: Any) -> Any:
        return special.expit(-z)

    def _cdf(self, z: Any) -> Any:
        return special.expit(z)

    def _ppf(self, p: Any) -> Any:
        return special.logit(p)

    def mean(self) -> float:
        return 0.0

    def variance(self) -> float:
        return (math.pi * self._s) ** 2 / 3

    def mean_absolute(self) -> float:
        return 2 * math.log(2) * self._s


@dataclass(frozen=True, repr=False)
class StudentT(_Standard):
    """Student's t with `degrees` of freedom, times `scale`. Infinite variance up to 2 degrees, no mean up to 1."""

    degrees: Fraction
    scale: Fraction

    def __init__(self, degrees: Any, scale: Any = 1) -> None:
        object.__setattr__(self, "degrees", checks.positive(degrees=degrees))
        object.__setattr__(self, "scale", checks.positive(scale=scale))

    @property
    def _nu(self) -> float:
        return float(self.degrees)

    def _logpdf(self, z: Any) -> Any:
        nu = self._nu
        front = special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2) - 0.5 * math.log(nu * math.pi)
        return front - (nu + 1) / 2 * np.log1p(z**2 / nu)

    def _sf(self, z: Any) -> Any:
        return special.stdtr(self._nu, -z)

    def _cdf(self, z: Any) -> Any:
        return special.stdtr(self._nu, z)

    def _ppf(self, p: Any) -> Any:
        return np.where(p == 0, -math.inf, special.stdtrit(self._nu, np.maximum(p, 1e-300)))

    def mean(self) -> float:
        return 0.0 if self._nu > 1 else math.nan

    def variance(self) -> float:
        nu = self._nu
        if nu <= 1:
            return math.nan
        return self._s**2 * nu / (nu - 2) if nu > 2 else math.inf

    def mean_absolute(self) -> float:
        nu = self._nu
        if nu <= 1:
            return math.inf
        log = special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2) + 0.5 * math.log(nu / math.pi) - math.log(nu - 1)
        return float(2 * self._s * math.exp(log))
