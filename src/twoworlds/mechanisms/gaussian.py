"""The Gaussian mechanism: discrete Gaussian noise, zero-concentrated differential privacy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..base import Query, Release, Sensitivity, Unit
from ..guarantees import ZCDP, zcdp
from ..noise import DiscreteGaussian, NoNoise, Source
from .additive import Additive, float_grid, kept, read_bounds, read_query
from .grid import INTEGERS, Grid, counted
from .laplace import fitting
from .queries import Given, query, root_up

__all__ = ["GaussianMechanism", "gaussian"]


@dataclass(frozen=True)
class GaussianMechanism(Additive):
    """A query of known L2 sensitivity S, plus discrete Gaussian noise of variance S**2 / (2 rho) on each cell.

    It is rho-zCDP exactly, for vectors too (Canonne, Kamath and Steinke 2020, Theorem 14). Integer queries get integer
    noise; others go on a fine grid, where d cells that one unit can move have L2 distance at most S / step + sqrt(d)
    steps, which exceeds S by less than 1 %.
    """

    query: Query
    rho: Fraction
    bounds: tuple[Fraction, Fraction] | None = None

    def __init__(self, query: Query, rho: Any, bounds: Any = None) -> None:
        object.__setattr__(self, "query", read_query(query))
        object.__setattr__(self, "rho", checks.price(rho=rho))
        object.__setattr__(self, "bounds", read_bounds(bounds))

    def guarantee(self, unit: Unit | None) -> ZCDP:
        self._ready(unit)  # a unit that the query says nothing about is refused before a price is shown
        return zcdp(self.rho, unit)

    def _noise(self, sensitivity: Sensitivity) -> tuple[Grid, DiscreteGaussian | NoNoise]:
        if sensitivity.integer and self.bounds is None:
            grid, moved_squared = INTEGERS, sensitivity.l2_squared
        else:
            sigma = root_up(sensitivity.l2_squared / (2 * self.rho)) if sensitivity.l2_squared else Fraction(0)
            grid = float_grid(sensitivity, sigma, 2, self.bounds)
            steps = root_up(sensitivity.l2_squared) / Fraction(2) ** grid.exponent
            if sensitivity.cells == 1:
                moved_squared = Fraction(-(-steps.numerator // steps.denominator)) ** 2
            else:
                moved_squared = (steps + root_up(Fraction(sensitivity.cells))) ** 2
        if not sensitivity.l2_squared:
            return grid, NoNoise()
        return grid, fitting(DiscreteGaussian, moved_squared / (2 * self.rho), "rho", self.rho)

    @classmethod
    def examples(cls) -> Iterator[tuple[Any, Any, Any, Unit]]:
        """(mechanism, data with, data without, unit) for the law tests."""
        unit, replaced = Unit("person"), Unit("person", "replace")
        yield cls(query(len, sensitivity=1, integer=True), "0.5"), [1, 2, 3], [1, 2], unit
        yield cls(query(lambda x: x, sensitivity=1), "0.125", bounds=(0, 10)), 4.0, 5.0, replaced
        with_ = np.full(100, 0.5) - 2.0**-40
        yield cls(query(lambda x: x, sensitivity="1e-6", size=100, norm=2), "0.5"), with_, with_ + 1e-7, unit


def gaussian(
    values: Any,
    *,
    sensitivity: Any,
    rho: Any,
    bounds: Any = None,
    unit: Unit | str | None = None,
    rng: Source | None = None,
) -> Release:
    """Release numbers with discrete Gaussian noise on a fine grid. `sensitivity` is the L2 norm of the whole array.

    Integers go on the grid like other numbers, so that no type that came with the data decides what can come out. For
    integer noise declare it: `GaussianMechanism(tw.query(..., integer=True), rho)`. Without `bounds` truths are held
    within 2**62 steps of zero; `release.bounds` says how far that is.

    >>> import twoworlds as tw
    >>> release = tw.gaussian([3, 5], sensitivity=1, rho="0.5", rng=tw.noise.seeded(1))
    >>> round(release.error.variance(), 3)
    1.0
    """
    answer, size, _ = counted(values)
    exact = checks.non_negative(sensitivity=sensitivity)
    mechanism: GaussianMechanism = kept(
        GaussianMechanism, Given(exact, 2, size, integer=False), checks.price(rho=rho), read_bounds(bounds)
    )
    return mechanism.run(answer, Unit.of(unit), rng=rng)
