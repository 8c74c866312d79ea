"""The geometric mechanism: integers in, integers out, pure differential privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..base import Query, Release, Sensitivity, Unit
from ..errors import ArgumentTypeError
from ..guarantees import Pure
from ..guarantees.kind import stated
from ..noise import DiscreteLaplace, NoNoise, Source
from .additive import Additive, kept, read_query
from .grid import INTEGERS, Grid, counted
from .laplace import fitting
from .queries import Given, linear, query

__all__ = ["GeometricMechanism", "geometric"]

_WHY = (
    "geometric noise is for integers only: a third of a count can be 1/3 or 2/3, and a whole number added to each "
    "tells them apart, because the two worlds have no result in common. Use tw.laplace, or ask for the count"
)


@dataclass(frozen=True)
class GeometricMechanism(Additive):
    """An integer query of L1 sensitivity S, plus two-sided geometric noise of scale S / epsilon (course, Theorem 2.3).

    A query that is not declared integer is refused, by its type and never by its values: with disjoint supports nothing
    is private.
    """

    query: Query
    epsilon: Fraction

    def __init__(self, query: Query, epsilon: Any) -> None:
        object.__setattr__(self, "query", read_query(query))
        object.__setattr__(self, "epsilon", checks.price(epsilon=epsilon))
        if not getattr(query, "integer", True):
            raise ArgumentTypeError(f"query: {_WHY}.")

    def guarantee(self, unit: Unit | None) -> Pure:
        self._ready(unit)  # a unit that the query says nothing about is refused before a price is shown
        return Pure(self.epsilon, unit=stated(unit))

    def _noise(self, sensitivity: Sensitivity) -> tuple[Grid, DiscreteLaplace | NoNoise]:
        if not sensitivity.integer:
            raise ArgumentTypeError(f"query: {_WHY}.")
        moved = math.ceil(sensitivity.l1)
        return INTEGERS, fitting(DiscreteLaplace, moved / self.epsilon, "epsilon", self.epsilon) if moved else NoNoise()

    @classmethod
    def examples(cls) -> Iterator[tuple[Any, Any, Any, Unit]]:
        """(mechanism, data with, data without, unit) for the law tests."""
        unit = Unit("person")
        yield cls(query(len, sensitivity=1, integer=True), 1), [1, 2, 3], [1, 2], unit
        yield (
            cls(query(lambda x: x, sensitivity=3, size=3, integer=True), "0.7"),
            np.array([3, 5, 2]),
            np.array([2, 4, 1]),
            unit,
        )
        yield cls(query(lambda x: x, sensitivity=1, integer=True), 100), 2**62 + 1, 2**62, unit
        histogram, replaced = linear([[1, 0], [0, 1]]), Unit("person", "replace")
        yield cls(histogram, "0.8"), np.array([3, 5]), np.array([4, 4]), replaced


def geometric(
    values: Any, *, sensitivity: Any, epsilon: Any, unit: Unit | str | None = None, rng: Source | None = None
) -> Release:
    """Release integers with two-sided geometric noise. `sensitivity` is the L1 norm of the whole array.

    >>> import twoworlds as tw
    >>> count = tw.geometric(120, sensitivity=1, epsilon=1, rng=tw.noise.seeded(1))
    >>> count.interval(0.9).high - count.value
    2
    """
    answer, size, integer = counted(values)
    if not integer:
        raise ArgumentTypeError(f"values are not integers by type: {_WHY}.")
    exact = checks.non_negative(sensitivity=sensitivity)
    mechanism: GeometricMechanism = kept(
        GeometricMechanism, Given(exact, 1, size, integer=True), checks.price(epsilon=epsilon)
    )
    return mechanism.run(answer, Unit.of(unit), rng=rng)
