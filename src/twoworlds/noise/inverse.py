"""Exact sampling of a law on cells 0, 1, 2, ... by inverting its distribution function.

**The law.** Let U be uniform on [0, 1) and c_j = P(cell < j). The cell J with c_J <= U < c_{J+1} has exactly the wanted
law.

**The draw.** U is drawn lazily, most significant bits first. In bulk its first 16 bits select an entry of a table;
nearly all entries lie between two neighbouring c_j and name the cell at once. The others take 48 more bits and a search
among t_j = floor(2**64 c_j): for an integer u, u < t_j proves U < c_j and u > t_j proves U > c_j. Only u = t_j, or a
cell beyond the table, is left open (probability about 2**-53); it goes on with fresh bits in Python integers, against
enclosures as tight as it takes.

Every t_j is an integer whose enclosure has been certified not to straddle a whole number, so no rounding error decides
an outcome. The first 16 bits are kept, not drawn again, so refining is not rejecting and does not bias.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .bits import Stream
from .enclosure import Interval

__all__ = ["Inverse", "Overflow"]

_Array = np.ndarray[Any, Any]
Overflow = list[tuple[int, int]]
"""Values that do not fit: (position in the block, value)."""

_UNDECIDED = np.int16(-(2**15))
_TABLE_FROM = 2048  # draws in one call from which building the table of 65,536 entries pays


class Inverse:
    """A sampler of the value of a cell.

    `edges(cells, precision)` encloses c_1, ..., c_cells. A finite law has c_cells = 1 at `cells`; an infinite one is
    tabulated up to `cells`, which should leave less than 2**-64 outside. `value` names the integer of a cell, within 15
    bits for tabulated cells.
    """

    def __init__(
        self,
        edges: Callable[[int, int], list[Interval]],
        cells: int,
        value: Callable[[int], int],
        *,
        finite: bool,
        fits: int = 2**15,
    ) -> None:
        self._edges, self._cells, self._value, self._finite = edges, cells, value, finite
        self._fits = min(fits, 2**15)
        thresholds = _certified_floors(edges, cells, finite=finite)
        self._thresholds = np.array(thresholds, dtype=np.uint64)
        self._values = np.array([value(j) for j in range(cells)] + [0], dtype=np.int16)
        self._table: _Array | None = None

    def sample(self, n: int, stream: Stream, overflow: Overflow) -> _Array:
        """`n` values as int16. A value of `fits` or more is stored as 0 and told in `overflow`."""
        prefixes = stream.words(n, "<u2")
        if self._table is None and n >= _TABLE_FROM:
            self._table = self._look_up(np.arange(1 << 16, dtype=np.uint64))
        if self._table is None:
            out = self._look_up(prefixes.astype(np.uint64))
        else:
            out = self._table.take(prefixes.astype(np.intp), mode="wrap")  # the cheapest mode; every prefix is in range
        left = np.flatnonzero(out == _UNDECIDED)
        if left.size:
            out[left] = self._refine(prefixes[left], stream, left, overflow)
        return out

    def _look_up(self, prefixes: _Array) -> _Array:
        """The value that 16 leading bits decide, or the mark of an open case."""
        low = prefixes << np.uint64(48)
        high = low | np.uint64(2**48 - 1)
        passed = np.searchsorted(self._thresholds, low, side="left")
        # Open where some threshold lies in [low, high]: u could equal it or fall on either side.
        undecided = passed != np.searchsorted(self._thresholds, high, side="right")
        if not self._finite:
            undecided |= passed == self._cells
        out: _Array = np.where(undecided, _UNDECIDED, self._values[passed])
        return out

    def _refine(self, prefixes: _Array, stream: Stream, positions: _Array, overflow: Overflow) -> _Array:
        """48 more bits for each open case, and integers of any length for the few that stay open."""
        more = np.zeros((prefixes.size, 4), dtype="<u2")
        more[:, :3] = stream.words(3 * prefixes.size, "<u2").reshape(-1, 3)
        u = more.view("<u8")[:, 0] | (prefixes.astype(np.uint64) << np.uint64(48))
        passed = np.searchsorted(self._thresholds, u, side="right")
        out: _Array = self._values[passed]
        tie = np.searchsorted(self._thresholds, u, side="left") != passed
        if not self._finite:
            tie |= passed == self._cells
        for i in np.flatnonzero(tie):
            value = self._value(self._finish(int(u[i]), stream))
            if abs(value) < self._fits:
                out[i] = value
            else:
                out[i] = 0
                overflow.append((int(positions[i]), value))
        return out

    def _finish(self, u: int, stream: Stream) -> int:
        """The cell of U, of which the first 64 bits are u, with as many further bits as it takes."""
        known, cells = 64, self._cells
        while True:
            precision = known + 64
            below, above = u << 64, (u + 1) << 64  # U lies in [below, above) at this precision
            edges = self._edges(cells, precision)
            cell = 0
            while cell < len(edges) and edges[cell][1] <= below:
                cell += 1
            if cell < len(edges) and edges[cell][0] >= above:
                return cell
            u, known = (u << 64) | stream.integer(64), known + 64
            if not self._finite:
                cells *= 2


def _certified_floors(edges: Callable[[int, int], list[Interval]], cells: int, *, finite: bool) -> list[int]:
    """floor(2**64 c_j) for each edge, with so many bits that no enclosure straddles a whole number."""
    precision = 192
    while True:
        drop = precision - 64
        pairs = edges(cells, precision)
        if finite:
            pairs = pairs[:-1]  # c_cells = 1 is never passed
        # Every edge kept is strictly below 1, which an enclosure of finite precision need not show.
        floors = [(low >> drop, min(high, (1 << precision) - 1) >> drop) for low, high in pairs]
        if all(low == high for low, high in floors):
            return [low for low, _ in floors]
        precision += max(128, precision // 2)
        if (
            precision > 2**18
        ):  # only an edge that is itself a multiple of 2**-64 could resist, and none here is rational
            raise AssertionError("an edge of this law cannot be certified")
