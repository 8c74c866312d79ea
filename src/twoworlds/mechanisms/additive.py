"""What the additive mechanisms share: place the answer on a grid, add integer noise, give the number back.

A concrete mechanism writes one method, `_noise`: from the query's sensitivity to a grid, a law in steps and a
guarantee.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from .. import checks
from ..base import Guarantee, Law, Query, Release, Sensitivity, Unit
from ..errors import ArgumentError, ArgumentTypeError
from ..noise import DiscreteGaussian, DiscreteLaplace, NoNoise, Scaled, Source, source
from ..noise.ranges import Expected, expected_error
from .grid import Grid, added, counted

__all__ = ["Additive", "float_grid", "kept", "read_bounds", "read_query"]

FINE = 20
"""A grid has at least 2**20 steps to a scale of the noise."""
ROUNDING = 128
"""Rounding adds at most one part in 128 to the noise."""
_REFERENCE_STEP = Fraction(1, 2**30)  # for a number that nobody can move, which needs no noise


@dataclass(frozen=True)
class _Ready:
    """All that a run needs besides the data, from public parameters alone."""

    grid: Grid
    law: DiscreteLaplace | DiscreteGaussian | NoNoise
    error: Law
    integer: bool


class Additive(ABC):
    """A query plus independent integer noise on each cell of its grid."""

    query: Query

    @abstractmethod
    def _noise(self, sensitivity: Sensitivity) -> tuple[Grid, DiscreteLaplace | DiscreteGaussian | NoNoise]:
        """The grid, and the law of the noise in steps."""

    @abstractmethod
    def guarantee(self, unit: Unit | None) -> Guarantee:
        """What a run promises."""

    def error(self, unit: Unit | None) -> Law:
        """The law of a released cell minus the clamped, gridded truth."""
        return self._ready(unit).error

    def expected(self, unit: Unit | None, confidence: float) -> dict[str, Expected]:
        """The forecast of a plan."""
        ready = self._ready(unit)
        half_step = 0.0 if ready.grid.whole else ready.grid.step / 2
        return {"value": expected_error(ready.error, getattr(self.query, "size", None), half_step, confidence)}

    def check(self, data: Any, unit: Unit | None) -> dict[str, dict[str, int]]:
        """For the owner alone, unpaid: how many cells are missing or would be clamped."""
        ready = self._ready(unit)
        return {"value": ready.grid.clamped(self._answer(data, unit, ready))}

    def run(self, data: Any, unit: Unit | None, *, rng: Source | None = None) -> Release:
        """Read the data, place the answer on the grid, add the noise, release."""
        bits, ready, guarantee = source(rng), self._ready(unit), self.guarantee(unit)
        grid, law = ready.grid, ready.law
        steps = grid.place(self._answer(data, unit, ready))
        if isinstance(steps, int):
            drawn = added(steps, law.sample(rng=bits))
        else:
            drawn = added(steps, law.sample(steps.size, rng=bits).reshape(steps.shape))
        value = grid.number(drawn)
        names = getattr(self.query, "labels", ())
        return Release(
            value,
            guarantee,
            ready.error,
            grid.step,
            grid.bounds,
            rounded=not grid.whole,
            labels={"cell": tuple(names)} if names else {},
            seeded=bits.seeded,
        )

    def logpmf(self, value: Any, data: Any, unit: Unit | None) -> float:
        """ln of the chance of releasing exactly this value: what the laws hold guarantees to.

        It reads the data and is never published.
        """
        ready = self._ready(unit)
        centre = np.asarray(ready.grid.place(self._answer(data, unit, ready)), dtype=float)
        steps = ready.grid.steps(value)
        return -math.inf if np.isnan(steps).any() else float(np.sum(ready.law.logpdf(steps - centre)))

    def _ready(self, unit: Unit | None) -> _Ready:
        """Worked out once for each unit: it depends on nothing but the mechanism and the unit."""
        kept: dict[Unit | None, _Ready] = self.__dict__.setdefault("_kept", {})
        if unit not in kept:
            sensitivity = self.query.sensitivity(unit)
            grid, law = self._noise(sensitivity)
            error = law if grid.whole or isinstance(law, NoNoise) else Scaled(law, grid.step)
            kept[unit] = _Ready(grid, law, error, sensitivity.integer)
        return kept[unit]

    def _answer(self, data: Any, unit: Unit | None, ready: _Ready) -> Any:
        """The true answer, refused by its type and its shape only."""
        answer, size, integer = counted(self.query.answer(data, unit))
        declared = getattr(self.query, "size", size)
        if size != declared:
            raise ArgumentError(
                f"the query returned another number of cells than the {declared} it was declared with. Declare size=."
            )
        if ready.integer and not integer:
            raise ArgumentTypeError(
                "the query was declared as integer and returned another type. Return integers or declare integer=False."
            )
        return answer


@lru_cache(maxsize=256)
def kept(kind: type[Additive], *public: Any) -> Any:
    """A mechanism kept by its public parameters: working out grids and laws takes longer than drawing."""
    return kind(*public)


def float_grid(sensitivity: Sensitivity, scale: Fraction, norm: int, bounds: tuple[Fraction, Fraction] | None) -> Grid:
    """A grid fine against both the noise and the sensitivity, with room for what rounding of many cells adds.

    With d cells rounding adds at most d steps to the L1 distance and sqrt(d) <= d to the L2 one.
    """
    moved = sensitivity.l1 if norm == 1 else _root_down(sensitivity.l2_squared)
    if not moved:
        return Grid.of(_REFERENCE_STEP, Fraction(2) ** 900, bounds)
    coarsest = moved / (ROUNDING * sensitivity.cells)
    return Grid.of(min(scale / 2**FINE, coarsest), coarsest, bounds)


def read_query(query: Any) -> Query:
    """Something that answers and knows its sensitivity."""
    if not callable(getattr(query, "answer", None)) or not callable(getattr(query, "sensitivity", None)):
        raise ArgumentTypeError.expected(
            "query", query, "something with answer and sensitivity is needed", "Use tw.query or tw.linear"
        )
    return query  # type: ignore[no-any-return]


def read_bounds(bounds: Any) -> tuple[Fraction, Fraction] | None:
    """(lower, upper) or None."""
    return None if bounds is None else checks.interval(bounds=bounds)


def _root_down(square: Fraction) -> Fraction:
    """Roughly the root, from below: it only decides how fine a grid is."""
    return Fraction(float(square) ** 0.5) * Fraction(999999, 1000000)
