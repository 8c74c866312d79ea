"""Two worlds compared: the distribution of a statistic with an individual, and without.

How they are read is the paper's, with one small change that was computed to follow the truth: what lies outside the
common range is counted, not forgotten. At each end the single most extreme database of one world is forgiven where
it lies within one end kernel of the other world's range; every other database outside is counted in full. `truncated`
is the paper's own reading, which hides the most disclosive mass. Measured on normal data; on skewed or bounded
statistics it is off by up to .045 at 117 databases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from .. import checks
from ..errors import ArgumentError
from .density import Density, window

__all__ = ["Direction", "Worlds", "compared", "worlds_of"]

Direction = Literal["with", "without"]
_Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Worlds:
    """Two densities, what of each lies outside the other's range, and the share of databases in which they differ.

    A measured curve: `delta` and `epsilon` read it, `truncated` reads it as the paper does.
    """

    with_: Density
    without: Density
    outside: tuple[float, float]
    """The counted shares of databases of the world with, and of the world without, beyond the other's range."""
    changed: float
    """The share of databases in which the statistic differs: no delta can be larger."""

    def delta(self, epsilon: float) -> float:
        """The larger excess of the two directions, never above the share of databases that changed."""
        return min(max(self.excesses(epsilon)), self.changed)

    def direction(self, epsilon: float) -> Direction:
        """The world that has the larger excess."""
        with_, without = self.excesses(epsilon)
        return "with" if with_ >= without else "without"

    def excesses(self, epsilon: float) -> tuple[float, float]:
        """What the world with has in excess of e**epsilon times the world without, and the other way round."""
        factor = math.exp(min(float(checks.non_negative(epsilon=epsilon)), 700.0))
        if self.common is None:
            return 1.0, 1.0
        m, n = self.outside
        p, q = self.common
        there = m + float(np.maximum((1 - m) * p - factor * (1 - n) * q, 0.0).sum())
        back = n + float(np.maximum((1 - n) * q - factor * (1 - m) * p, 0.0).sum())
        return min(there, 1.0), min(back, 1.0)

    def truncated(self, epsilon: float) -> float | None:
        """The paper's reading: both densities cut off to the common range. None where there is no common range."""
        factor = math.exp(min(float(checks.non_negative(epsilon=epsilon)), 700.0))
        if self.common is None:
            return None
        p, q = self.common
        there, back = np.maximum(p - factor * q, 0.0), np.maximum(q - factor * p, 0.0)
        return min(max(float(there.sum()), float(back.sum())), 1.0)

    def epsilon(self, delta: float = 0.0) -> float:
        """The least epsilon at which the measured delta is no larger; infinite where none is."""
        allowed = float(checks.probability(delta=delta))
        if self.delta(0.0) <= allowed:
            return 0.0
        low, high = 0.0, 1.0
        while self.delta(high) > allowed:
            low, high = high, 2 * high
            if high > 700:
                return math.inf
        while high - low > 1e-12 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= allowed else (middle, high)
        return high

    @cached_property
    def common(self) -> tuple[_Array, _Array] | None:
        """What both worlds put on each piece of their common range and on each point there, renormalised."""
        low, high = max(self.with_.low, self.without.low), min(self.with_.high, self.without.high)
        if low > high:
            return None
        edges = np.unique(np.clip(np.concatenate([self.with_.edges, self.without.edges]), low, high))
        points = np.unique(np.concatenate([self.with_.points, self.without.points]))
        points = points[(points >= low) & (points <= high)]
        width, middle = np.diff(edges), (edges[1:] + edges[:-1]) / 2
        p, q = (np.concatenate([d.at(middle) * width, d.mass_at(points)]) for d in (self.with_, self.without))
        if not p.sum() or not q.sum():
            return None
        return p / p.sum(), q / q.sum()


def compared(
    with_: Any, without: Any, *, density: Callable[[Any], Density] = window, changed: float | None = None
) -> Worlds:
    """The two worlds of one statistic: its values over the databases with an individual, and without, in one order.

    >>> worlds = compared([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> worlds.delta(0)
    0.0
    """
    x, y = (np.asarray(v, dtype=np.float64).ravel() for v in (with_, without))
    if x.size != y.size:
        raise ArgumentError(f"with_ has {x.size} databases and without {y.size}. Give one value for each database.")
    return worlds_of(x, density(x), y, density, changed)


def worlds_of(
    with_: _Array,
    density_with: Density,
    without: _Array,
    density: Callable[[Any], Density] = window,
    changed: float | None = None,
) -> Worlds:
    """The same where the density with everybody is known. A statistic that is undefined without an individual (NaN)
    counts as lying outside: that it could be published tells of them."""
    defined = without[np.isfinite(without)]
    share = float(np.mean(with_ != without)) if changed is None else changed
    if not defined.size:
        return Worlds(density_with, density_with, (1.0, 0.0), share)
    other = density(defined)
    lost = (without.size - defined.size) / without.size
    beyond = _beyond(with_[np.isfinite(without)], density_with, other) * (1 - lost) + lost
    return Worlds(density_with, other, (beyond, _beyond(defined, other, density_with)), share)


def _beyond(values: _Array, own: Density, other: Density) -> float:
    """The share of databases beyond the other world's range, one near each end forgiven."""
    below, above = int(np.count_nonzero(values < other.low)), int(np.count_nonzero(values > other.high))
    below -= bool(below) and other.low - own.low <= other.ends[0]
    above -= bool(above) and own.high - other.high <= other.ends[1]
    return (below + above) / values.size
