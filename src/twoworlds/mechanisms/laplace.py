"""The Laplace mechanism on a grid: any numbers, pure differential privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..base import Query, Release, Sensitivity, Unit
from ..errors import GridError
from ..guarantees import Pure
from ..guarantees.kind import stated
from ..noise import DiscreteLaplace, NoNoise, Source
from .additive import Additive, float_grid, kept, read_bounds, read_query
from .grid import Grid, counted
from .queries import Given, query

__all__ = ["LaplaceMechanism", "laplace"]


@dataclass(frozen=True)
class LaplaceMechanism(Additive):
    """A query of known L1 sensitivity S, plus discrete Laplace noise on a fine grid: pure epsilon (course, Theorem
    2.2).

    The noise has scale ceil(S / step) + d - 1 steps over epsilon, d the cells that one unit can move, so that rounding
    is paid for; the step is so fine that this exceeds S / epsilon by less than 1 %. Answers are clamped to `bounds`
    where given.
    """

    query: Query
    epsilon: Fraction
    bounds: tuple[Fraction, Fraction] | None = None

    def __init__(self, query: Query, epsilon: Any, bounds: Any = None) -> None:
        object.__setattr__(self, "query", read_query(query))
        object.__setattr__(self, "epsilon", checks.price(epsilon=epsilon))
        object.__setattr__(self, "bounds", read_bounds(bounds))

    def guarantee(self, unit: Unit | None) -> Pure:
        self._ready(unit)  # a unit that the query says nothing about is refused before a price is shown
        return Pure(self.epsilon, unit=stated(unit))

    def _noise(self, sensitivity: Sensitivity) -> tuple[Grid, DiscreteLaplace | NoNoise]:
        grid = float_grid(sensitivity, sensitivity.l1 / self.epsilon, 1, self.bounds)
        if not sensitivity.l1:
            return grid, NoNoise()
        moved = math.ceil(sensitivity.l1 / Fraction(2) ** grid.exponent) + sensitivity.cells - 1
        return grid, fitting(DiscreteLaplace, moved / self.epsilon, "epsilon", self.epsilon)

    @classmethod
    def examples(cls) -> Iterator[tuple[Any, Any, Any, Unit]]:
        """(mechanism, data with, data without, unit) for the law tests: neighbours as far apart as the sensitivity
        allows."""
        unit, replaced = Unit("person"), Unit("person", "replace")
        yield cls(query(lambda x: x, sensitivity=1), 1), 5.0, 6.0, unit
        yield cls(query(lambda x: x, sensitivity=1), 1, bounds=(0, 10)), math.nan, 0.9999, unit
        # every cell is carried over a rounding edge by a millionth in total
        with_ = np.full(1000, 0.5) - 2.0**-40
        yield cls(query(lambda x: x, sensitivity="1e-6", size=1000), "0.5"), with_, with_ + 1e-9, unit
        yield (
            cls(query(lambda x: x, sensitivity=2, size=3), "0.1"),
            np.array([1.0, 2.0, 3.0]),
            np.array([2.0, 2.5, 3.5]),
            replaced,
        )


def fitting(law: Any, parameter: Fraction, name: str, value: Any) -> Any:
    """A law in steps, refused in the caller's terms where it does not fit 64-bit integers."""
    try:
        return law(parameter)
    except GridError:
        raise GridError.expected(
            name, value, "the noise it asks for does not fit 64-bit integers", "Ask fewer cells at once, or allow more"
        ) from None


def laplace(
    values: Any,
    *,
    sensitivity: Any,
    epsilon: Any,
    bounds: Any = None,
    unit: Unit | str | None = None,
    rng: Source | None = None,
) -> Release:
    """Release numbers with Laplace noise on a fine grid. `sensitivity` is the L1 norm of the whole array.

    It is a statement about any two neighbours, with NaN counted as the lower bound (0 without bounds), not about these
    values. Without `bounds` truths are held within 2**62 steps of zero; `release.bounds` says how far that is.

    >>> import twoworlds as tw
    >>> release = tw.laplace(3.2, sensitivity=1, epsilon=1, rng=tw.noise.seeded(1))
    >>> release.guarantee.epsilon()
    1.0
    """
    answer, size, _ = counted(values)
    exact = checks.non_negative(sensitivity=sensitivity)
    mechanism: LaplaceMechanism = kept(
        LaplaceMechanism, Given(exact, 1, size, integer=False), checks.price(epsilon=epsilon), read_bounds(bounds)
    )
    return mechanism.run(answer, Unit.of(unit), rng=rng)
