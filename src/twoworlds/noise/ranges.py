"""How far a law reaches: the range that holds one error, or many independent ones, at a confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the protocol of laws is one of the nouns, which stand above this room
    from ..base import Law

__all__ = ["Expected", "error_range", "expected_error"]


def error_range(law: Law, cells: int, confidence: float) -> tuple[float, float]:
    """(low, high) with which `cells` independent errors lie inside all at once, with equal tails.

    >>> from .discrete_laplace import DiscreteLaplace
    >>> error_range(DiscreteLaplace(1), 1, 0.9)
    (-2.0, 2.0)
    """
    if cells < 1:
        return 0.0, 0.0
    # (1 - c**(1/cells)) / 2 without cancellation
    tail = -math.expm1(math.log(confidence) / cells) / 2
    low = float(law.quantile(tail))
    if not law.symmetric:
        return low, float(law.quantile(1 - tail))
    # By symmetry P(X > -low) = P(X < low) <= tail; where P(X <= low) is tail itself, one lattice step less is enough.
    if law.discrete and law.cdf(low) <= tail:
        low += law.step
    return low + 0.0, -low + 0.0


@dataclass(frozen=True)
class Expected:
    """How far off one column will be, from public parameters alone; None where they do not say.

    `half_width`: one cell is no further off than this with the confidence asked. `mean_squared`: expected squared error
    of one cell. `l1`: expected absolute error summed over all cells. `largest`: with the confidence asked no cell is
    further off.
    """

    half_width: float | None
    mean_squared: float | None
    l1: float | None
    largest: float | None


def expected_error(law: Law | None, cells: int | None, half_step: float, confidence: float) -> Expected:
    """The forecast that an error law, a public number of cells and the rounding to a grid allow."""
    if law is None:
        return Expected(None, None, None, None)
    one = max(map(abs, error_range(law, 1, confidence))) + half_step
    squared = law.variance() + law.mean() ** 2
    if cells is None:
        return Expected(one, squared, None, None)
    every = max(map(abs, error_range(law, cells, confidence))) + half_step
    return Expected(one, squared, cells * law.mean_absolute(), every)
