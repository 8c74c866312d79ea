"""Densities of a sample that are constant between its points, so that everything about them is integrated exactly.

The variable-width rectangular kernel of Burchard and Daoud (2022): each of t values is spread evenly over the span of
the 2k + 1 order statistics nearest to it in rank, the window slid inwards at the ends, k about the square root of t.
Where those values are all equal the kernel has no width, and its share is a point mass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError

__all__ = ["Density", "reach", "window"]

_Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Density:
    """Heights between neighbouring edges, and masses at points; together they hold all of a probability.

    `ends` are the widths of the outermost kernels, the smallest distance at which an end of the sample can be trusted.
    """

    edges: _Array
    heights: _Array
    points: _Array
    masses: _Array
    ends: tuple[float, float]

    @property
    def low(self) -> float:
        """The least value of the sample."""
        return float(self.edges[0])

    @property
    def high(self) -> float:
        """The largest."""
        return float(self.edges[-1])

    def at(self, x: _Array) -> _Array:
        """The height at x, which is no edge; zero outside."""
        place = np.searchsorted(self.edges, x, side="right") - 1
        inside = (place >= 0) & (place < self.heights.size)
        return np.where(inside, self.heights[np.clip(place, 0, max(self.heights.size - 1, 0))], 0.0)

    def mass_at(self, points: _Array) -> _Array:
        """The point mass at each of some values."""
        if not self.points.size:
            return np.zeros(points.shape)
        place = np.clip(np.searchsorted(self.points, points), 0, self.points.size - 1)
        return np.where(self.points[place] == points, self.masses[place], 0.0)


def reach(t: int) -> int:
    """k: how many neighbours in rank a kernel covers on either side, about the square root of the sample's size."""
    return min(round(math.sqrt(t)), (t - 1) // 2)


def window(values: Any) -> Density:
    """The variable-width density of a sample of finite numbers.

    >>> density = window([0.0, 1.0, 2.0, 4.0, 8.0])
    >>> float(density.heights @ (density.edges[1:] - density.edges[:-1]))
    1.0
    """
    x = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if not x.size or not np.isfinite(x).all():
        raise ArgumentError("values: a density needs at least one value, and finite ones only")
    t, k = x.size, reach(x.size)
    first, last = x[: t - 2 * k], x[2 * k :]
    share = np.ones(t - 2 * k)
    share[0] += k  # the first k + 1 values share the first window, the last k + 1 the last
    share[-1] += k
    share /= t
    width = last - first
    flat = width == 0
    at, place = np.unique(first[flat], return_inverse=True)
    masses = np.bincount(place, weights=share[flat], minlength=at.size).astype(np.float64)
    # Between x[j] and x[j + 1] lie the windows that start at j - 2k + 1, ..., j. Their heights are added up anew for
    # each j: widths may differ by so much that a running sum would lose the small ones.
    heights = np.zeros(max(t - 1, 0))
    if k:
        each = np.pad(np.where(flat, 0.0, share / np.where(flat, 1.0, width)), 2 * k - 1)
        heights = np.lib.stride_tricks.sliding_window_view(each, 2 * k).sum(axis=1)
    return Density(x, heights, at, masses, (float(width[0]), float(width[-1])))
