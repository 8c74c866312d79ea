"""One of finitely many, exactly: P(i) proportional to exp(-cost_i) for rational costs.

With equal costs it is a fair choice; with two different ones a coin that falls with a probability such as 1/(1 +
exp(-epsilon)). No floating-point number decides, and a draw takes the same number of steps whatever comes out: draw
always, also where the outcome may not matter, or the duration tells whether it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from .. import checks
from ..errors import ArgumentError
from .bits import Source, Stream, source
from .enclosure import Interval, divide, exp_minus
from .inverse import Inverse
from .reserve import Sampler

__all__ = ["Choice"]

_MOST = 2**15 - 1
_WIDEST = 20_000
_RARE = "What is rarer than exp(-20000) can be left out"


class Choice:
    """A choice among `costs`: the index i with probability exp(-costs[i]) over the sum of all.

    >>> from .bits import seeded
    >>> fair = Choice([0, 0, 0])
    >>> sorted(set(fair.sample(100, rng=seeded(1)).tolist()))
    [0, 1, 2]
    """

    def __init__(self, costs: Sequence[Any]) -> None:
        exact = tuple(checks.number(**{f"costs[{i}]": cost}) for i, cost in enumerate(costs))
        if not 1 <= len(exact) <= _MOST:
            raise ArgumentError.expected("costs", costs, f"one cost for each of 1 to {_MOST:,} outcomes is needed")
        if max(exact) - min(exact) > _WIDEST:
            raise ArgumentError.expected("costs", costs, f"no two may differ by more than {_WIDEST:,}", _RARE)
        self.costs = exact

    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any:
        """`n` indices as int64, or one as an int."""
        return _sampler(self.costs).drawn(None if n is None else checks.count(0, n=n), source(rng))

    def __repr__(self) -> str:
        return f"Choice([{', '.join(map(str, self.costs))}])"


class _Sampler(Sampler):
    def __init__(self, costs: tuple[Fraction, ...]) -> None:
        super().__init__()
        self._inverse = _inverse(costs)

    def many(self, n: int, stream: Stream) -> np.ndarray[Any, np.dtype[np.int64]]:
        return self._inverse.sample(n, stream, []).astype(np.int64)


@lru_cache(maxsize=128)
def _sampler(costs: tuple[Fraction, ...]) -> _Sampler:
    """Costs are public, so a sampler may be kept by them."""
    return _Sampler(costs)


def _inverse(costs: tuple[Fraction, ...]) -> Inverse:
    """Outcomes stand in the order of their costs.

    Then an edge c_j is a multiple of 2**-64 only where all costs are equal: exponentials of different rationals are
    independent over the rationals (Lindemann and Weierstrass), and the costs below the edge include some class wholly
    and another not at all. So every edge can be certified.
    """
    order = sorted(range(len(costs)), key=lambda i: (costs[i], i))
    least = costs[order[0]]

    def edges(cells: int, precision: int) -> list[Interval]:
        work = precision + 8 + cells.bit_length()
        weights = {cost: exp_minus(cost - least, work) for cost in set(costs)}
        low = high = 0
        sums = []
        for i in order:
            low, high = low + weights[costs[i]][0], high + weights[costs[i]][1]
            sums.append((low, high))
        drop = work - precision
        out = [divide(one, sums[-1], work) for one in sums[:-1]]
        return [*((a >> drop, -(-b >> drop)) for a, b in out), (1 << precision, 1 << precision)]

    return Inverse(edges, len(costs), lambda cell: order[cell] if cell < len(order) else 0, finite=True)
