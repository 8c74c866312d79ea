"""Pure and approximate differential privacy: one epsilon, and one delta that may be zero."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..base import Guarantee, Unit
from .kind import Kind, positive_count, stated

__all__ = ["Approx", "Pure", "approx", "pure"]

_UP = 1 + 1e-13


@dataclass(frozen=True, repr=False)
class Approx(Kind):
    """(epsilon, delta): for every event S, P(S) <= e**epsilon Q(S) + delta, both ways.

    Its curve is that of the worst pair with this point (Kairouz, Oh and Viswanath 2015): disclosure with probability
    delta, randomised response otherwise. So a smaller epsilon holds at a larger delta, and below its own delta nothing
    does.
    """

    kind = "approx"
    at_epsilon: Fraction
    at_delta: Fraction
    unit: Unit | None = None

    @property
    def pure_epsilon(self) -> Fraction | None:
        return None if self.at_delta else self.at_epsilon

    @property
    def point(self) -> tuple[Fraction, Fraction] | None:
        return self.at_epsilon, self.at_delta

    @property
    def sharp(self) -> bool:
        return True

    @property
    def concentrated(self) -> tuple[Fraction, Fraction] | None:
        # Randomised response has Renyi divergence at most alpha * epsilon * tanh(epsilon / 2), with equality as alpha
        # -> 1: ln cosh of a root is concave.
        e = float(self.at_epsilon)
        rho = min(Fraction(e * math.tanh(e / 2) * _UP), self.at_epsilon**2 / 2)
        return rho, self.at_delta

    def _epsilon(self, delta: float) -> float:  # the closed form of its own curve
        allowed = Fraction(delta)
        if allowed < self.at_delta:
            return math.inf
        top = checks.round_up(self.at_epsilon)
        e = float(self.at_epsilon)
        spare = float((allowed - self.at_delta) / (1 - self.at_delta)) * (1 - 1e-13)
        inside = spare * (1 + math.exp(-e))
        if inside >= 1:
            return 0.0
        found = e + math.log1p(-inside)
        return min(top, max(found + 1e-15 * (e + 1), 0.0)) if inside > 1e-15 else top

    def epsilon(self, delta: float = 0.0) -> float:
        exact = checks.probability(delta=delta)
        # Its own delta must not fall below itself by being read as a double.
        return checks.round_up(self.at_epsilon) if exact == self.at_delta else super().epsilon(delta)

    def delta(self, epsilon: float) -> float:
        exact = checks.non_negative(epsilon=epsilon)
        return checks.round_up(self.at_delta) if exact >= self.at_epsilon else super().delta(epsilon)

    def _delta(self, epsilons: Any) -> Any:
        e, d = float(self.at_epsilon), float(self.at_delta)
        x = np.asarray(epsilons, dtype=float)
        # (e**e - e**x) / (1 + e**e) without overflow
        hidden = -np.expm1(np.minimum(x - e, 0.0)) / (1 + math.exp(-e))
        return np.minimum((d + (1 - d) * hidden) * np.where(hidden > 0, _UP, 1 + 2.0**-52), 1.0)

    def group(self, k: int) -> Guarantee:
        if positive_count(k) == 1:
            return self
        if not self.at_delta:
            return replace(self, at_epsilon=k * self.at_epsilon)
        e = float(self.at_epsilon)
        # (e**(k e) - 1) / (e**e - 1); where it says nothing, delta is 1
        up = _UP * (1 + k * e * 2.0**-50)  # a rounding of k e is one of the whole exponential
        factor = math.expm1(k * e) / math.expm1(e) * up if k * e < 700 else math.inf
        delta = min(Fraction(1), self.at_delta * Fraction(factor)) if math.isfinite(factor) else Fraction(1)
        return replace(self, at_epsilon=k * self.at_epsilon, at_delta=delta)

    def renamed(self, unit: Unit | None) -> Kind:
        return replace(self, unit=unit)

    def words(self) -> str:
        return f"epsilon {checks.shown_up(self.at_epsilon)}, delta {checks.shown_up(self.at_delta)}"


@dataclass(frozen=True, repr=False)
class Pure(Approx):
    """epsilon alone: no result is more than e**epsilon times as likely in one world as in the other."""

    kind = "pure"
    at_delta: Fraction = Fraction(0)

    def words(self) -> str:
        return f"epsilon {checks.shown_up(self.at_epsilon)}"


def pure(epsilon: Any, unit: Unit | str | None = None) -> Pure:
    """The guarantee of pure differential privacy.

    >>> (pure(1) + pure("0.5")).epsilon()
    1.5
    """
    return Pure(checks.positive(epsilon=epsilon), unit=stated(unit))


def approx(epsilon: Any, delta: Any, unit: Unit | str | None = None) -> Approx:
    """The guarantee of approximate differential privacy; with delta 0 it is pure.

    >>> approx(1, 1e-6).epsilon(1e-6)
    1.0
    """
    exact, d = checks.positive(epsilon=epsilon), checks.probability(delta=delta)
    return Approx(exact, d, stated(unit)) if d else Pure(exact, unit=stated(unit))
