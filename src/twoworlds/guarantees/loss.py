"""The exact privacy loss of integer noise: a discrete sampler never borrows a continuous curve.

Noise X on the integers and a shift of at most s integers: P is the law of X, Q that of X + s. Both laws here have a
likelihood ratio that is monotone in the outcome, so the worst event is a half-line and delta(epsilon) is one difference
of tails. A shorter shift is never worse, because tails fall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..base import Guarantee, Unit
from ..noise import DiscreteGaussian, DiscreteLaplace
from .kind import Kind, ceiling, positive_count, stated
from .routes import SMALLEST

__all__ = ["DiscreteGaussianLoss", "DiscreteLaplaceLoss", "discrete_gaussian", "discrete_laplace"]

_UP = 1e-12  # the laws' tails are right to better than 2e-13, relative


@dataclass(frozen=True, repr=False)
class DiscreteLaplaceLoss(Kind):
    """One number with discrete Laplace noise of a scale, moved by at most `sensitivity` integers."""

    kind = "discrete laplace loss"
    scale: Fraction
    sensitivity: int
    unit: Unit | None = None

    @property
    def pure_epsilon(self) -> Fraction | None:
        return self.sensitivity / self.scale

    @property
    def sharp(self) -> bool:
        return self.sensitivity == 1  # then the only losses are epsilon and -epsilon

    @property
    def concentrated(self) -> tuple[Fraction, Fraction] | None:
        e = self.sensitivity / self.scale
        return min(Fraction(float(e) * math.tanh(float(e) / 2) * (1 + 1e-13)), e**2 / 2), Fraction(0)

    def _delta(self, epsilons: Any) -> Any:
        law, s = DiscreteLaplace(self.scale), self.sensitivity
        x = np.asarray(epsilons, dtype=float)
        # P > e**epsilon Q where X < (s - scale * epsilon) / 2; one integer more or less there changes nothing but a
        # rounding.
        t = np.ceil((s - float(self.scale) * x) / 2) - 1
        above = law.cdf(t) - np.exp(np.minimum(x, 700)) * law.cdf(t - s)
        reached = x >= ceiling(self.sensitivity / self.scale)
        return np.where(reached, 0.0, np.clip(above + _UP * law.cdf(t), 0.0, 1.0))

    def group(self, k: int) -> Guarantee:
        return replace(self, sensitivity=positive_count(k) * self.sensitivity)

    def renamed(self, unit: Unit | None) -> Kind:
        return replace(self, unit=unit)

    def words(self) -> str:
        return f"the loss of discrete Laplace noise of scale {self.scale}, moved by {self.sensitivity}"


@dataclass(frozen=True, repr=False)
class DiscreteGaussianLoss(Kind):
    """One number with discrete Gaussian noise of a variance parameter, moved by at most `sensitivity` integers."""

    kind = "discrete gaussian loss"
    variance: Fraction
    sensitivity: int
    unit: Unit | None = None

    @property
    def concentrated(self) -> tuple[Fraction, Fraction] | None:
        return Fraction(self.sensitivity**2) / (2 * self.variance), Fraction(0)

    def _delta(self, epsilons: Any) -> Any:
        law, s, v = DiscreteGaussian(self.variance), self.sensitivity, float(self.variance)
        x = np.asarray(epsilons, dtype=float)
        t = np.floor(v * x / s - s / 2)  # P > e**epsilon Q, mirrored, where X > v * epsilon / s - s / 2
        beyond = law.sf(t + s)
        # a tail near the end of the doubles has lost its digits; without it the bound is only larger
        far = np.where((x > 700) | (beyond < 1e-290), 0.0, np.exp(np.minimum(x, 700.0)) * beyond)
        return np.clip(law.sf(t) * (1 + _UP) - far, SMALLEST, 1.0)

    def group(self, k: int) -> Guarantee:
        return replace(self, sensitivity=positive_count(k) * self.sensitivity)

    def renamed(self, unit: Unit | None) -> Kind:
        return replace(self, unit=unit)

    def words(self) -> str:
        return f"the loss of discrete Gaussian noise of variance {self.variance}, moved by {self.sensitivity}"


def discrete_laplace(scale: Any, sensitivity: int = 1, unit: Unit | str | None = None) -> DiscreteLaplaceLoss:
    """The exact guarantee of one integer with discrete Laplace noise.

    >>> round((100 * discrete_laplace(1)).epsilon(1e-6), 2)
    83.53
    """
    return DiscreteLaplaceLoss(DiscreteLaplace(scale).scale, checks.count(sensitivity=sensitivity), stated(unit))


def discrete_gaussian(variance: Any, sensitivity: int = 1, unit: Unit | str | None = None) -> DiscreteGaussianLoss:
    """The exact guarantee of one integer with discrete Gaussian noise; larger than the continuous curve of the same
    variance.

    >>> round(discrete_gaussian(1).delta("0.02"), 4)
    0.3929
    """
    return DiscreteGaussianLoss(
        DiscreteGaussian(variance).parameter, checks.count(sensitivity=sensitivity), stated(unit)
    )
