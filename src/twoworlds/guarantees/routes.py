"""The routes by which the parts of one plan are read together, each a valid bound for the whole.

A route sees a part as its privacy profile: an upper bound on delta at every epsilon. It knows no kind and no mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from .losses import Losses

__all__ = ["Part", "Routes", "least_epsilon", "zcdp_delta"]

_Array = np.ndarray[Any, Any]
_UP = 1 + 1e-11  # covers the roundings of a closed form in doubles; every reading is rounded up by it
SMALLEST = 5e-324  # a delta that is not zero is never shown as zero
_MOST_EQUAL = 2**22  # equal parts whose masses are tabulated
_FAR = 2.0**40  # an epsilon beyond which nothing is looked for


@dataclass(frozen=True)
class Part:
    """One part of a plan: its profile, its pure epsilon and its point where it has them, and how often it occurs.

    `sharp` says that the profile is that of the worst pair with its point, so that copies compose exactly from the
    point.
    """

    profile: Callable[[_Array], _Array]
    pure: Fraction | None
    point: tuple[Fraction, Fraction] | None
    sharp: bool
    count: int


@dataclass(frozen=True)
class Routes:
    """The parts of one plan and the zCDP that all of them have together, if they do."""

    parts: tuple[Part, ...]
    concentrated: tuple[Fraction, Fraction] | None

    def delta(self, epsilons: _Array) -> _Array:
        """The least delta that any route gives, at each epsilon."""
        out = self._quick(epsilons)
        if self._equal is None:  # the exact law of equal parts needs no grid
            out = np.minimum(out, [self._losses(float(e)).delta(float(e)) for e in epsilons])
        return out

    def epsilon(self, delta: float) -> float:
        """The least epsilon at a delta > 0, on the safe side."""
        best = quick = least_epsilon(lambda e: float(self._quick(np.array([e]))[0]), delta, math.inf)
        if self._equal is not None or best == 0:
            return best
        # A reading of the losses is valid at every epsilon, and sharp near the one it was made for.
        for _ in range(6):
            found = least_epsilon(self._losses(best if math.isfinite(best) else 1.0).delta, delta, best)
            if found >= best * (1 - 1e-7):
                break
            best = found
        # What `delta` reads at this epsilon comes from a reading made there; the two agree to many digits, not to all.
        nudge = 1e-9
        while math.isfinite(best) and self.delta(np.array([best]))[0] > delta and nudge < 0.1:
            best, nudge = best * (1 + nudge) + nudge * 1e-6, 4 * nudge
        return best if math.isfinite(best) and self.delta(np.array([best]))[0] <= delta else quick

    def _quick(self, epsilons: _Array) -> _Array:
        return np.minimum(np.minimum(self._by_sum(epsilons), self._by_zcdp(epsilons)), self._by_equal_parts(epsilons))

    def _by_sum(self, epsilons: _Array) -> _Array:
        """Epsilons added up, and deltas as 1 - product of 1 - delta."""
        total, kept = Fraction(0), 0.0
        for part in self.parts:
            if part.point is None or part.point[1] >= 1:
                return np.ones(epsilons.shape)
            total += part.count * part.point[0]
            kept += part.count * math.log1p(-float(part.point[1]))
        reached = np.array([Fraction(float(e)) >= total for e in epsilons], dtype=bool)
        return np.where(reached, min(-math.expm1(kept) * _UP, 1.0), 1.0)

    def _by_zcdp(self, epsilons: _Array) -> _Array:
        if self.concentrated is None:
            return np.ones(epsilons.shape)
        rho, delta = (float(x) * _UP for x in self.concentrated)
        return np.minimum(delta + zcdp_delta(rho, epsilons), 1.0)

    @cached_property
    def _equal(self) -> tuple[_Array, _Array, float] | None:
        """n copies of one (epsilon, delta): positive losses, their masses, and the chance of disclosure; None for other
        plans.

        The worst pair for one copy is disclosure with probability delta and else randomised response, so this is the
        exact optimum (Kairouz, Oh and Viswanath 2015, Theorem 3.3).
        """
        points = {part.point for part in self.parts}
        n = sum(part.count for part in self.parts)
        point = points.pop()
        if points or point is None or point[1] >= 1 or n > _MOST_EQUAL or not all(part.sharp for part in self.parts):
            return None
        epsilon, delta = float(point[0]), float(point[1])
        i = np.arange(n // 2 + 1)
        log_mass = special.gammaln(n + 1) - special.gammaln(i + 1) - special.gammaln(n - i + 1)
        log_mass = log_mass - (n - i) * math.log1p(math.exp(-epsilon)) - i * (epsilon + math.log1p(math.exp(-epsilon)))
        # gammaln is right to a few roundings of its size, at most n ln n
        up = 1 + 1e-11 + 1e-14 * n * max(math.log(n), 1)
        disclosed = -math.expm1(n * math.log1p(-delta))
        return (n - 2 * i) * epsilon * _UP, np.exp(log_mass) * (1 - disclosed) * up, disclosed * _UP

    def _by_equal_parts(self, epsilons: _Array) -> _Array:
        if self._equal is None:
            return np.ones(epsilons.shape)
        loss, mass, disclosed = self._equal
        hidden = [float(np.sum(mass * -np.expm1(np.minimum(e - loss, 0)))) for e in epsilons]
        return np.minimum(disclosed + np.array(hidden), 1.0)

    def _losses(self, near: float) -> Losses:
        return Losses.of([(part.profile, part.pure, part.count) for part in self.parts], near)


@np.errstate(all="ignore")
def zcdp_delta(rho: float, epsilons: _Array) -> _Array:
    """An upper bound on the delta of rho-zCDP (Canonne, Kamath and Steinke 2020, Proposition 12), optimised over the
    order.

    Every order alpha gives a valid bound; the best solves an equation whose left side rises with alpha.
    """
    epsilons = np.asarray(epsilons, dtype=float)
    high = np.log(np.maximum((rho + epsilons + 1) / (2 * rho), 2.0))
    low = np.full(epsilons.shape, -60.0)
    for _ in range(60):
        middle = (low + high) / 2
        a = np.exp(middle)  # alpha - 1
        rising = 2 * a * rho + rho - epsilons - np.log1p(1 / a) > 0
        low, high = np.where(rising, low, middle), np.where(rising, middle, high)
    a = np.exp(high)
    exponent = a * ((a + 1) * rho - epsilons - np.log1p(1 / a)) - np.log1p(a)
    # relative error of the exponent's terms, all of them bounded by their sum
    slack = 1e-14 * (a * ((a + 1) * rho + epsilons) + 2)
    found = np.nan_to_num(np.minimum(exponent + slack, 0.0), nan=0.0)  # what overflows says nothing
    out: _Array = np.clip(np.exp(found), SMALLEST, 1.0)
    return out


def least_epsilon(delta_at: Callable[[float], float], delta: float, top: float) -> float:
    """The least epsilon whose delta is small enough, by halving: never on the wrong side. `top` is known to hold by
    other means."""
    low, high = 0.0, 1.0
    if delta_at(low) <= delta:
        return low
    while high < top and delta_at(high) > delta:
        low, high = high, 2 * high
        if high > _FAR and top == math.inf:
            return math.inf
    high = min(high, top)
    while high - low > 1e-15 * high and low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return high
