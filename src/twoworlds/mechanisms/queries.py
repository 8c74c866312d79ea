"""Questions whose sensitivity is known: numbers that are given, a function, a linear query on counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..base import Sensitivity, Unit
from ..errors import ArgumentError, ArgumentTypeError

__all__ = ["Function", "Given", "Linear", "linear", "linear_sensitivity", "query"]

_Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Given:
    """Numbers that are themselves the data, with the sensitivity their owner states for the whole array, in L1 or L2
    norm."""

    stated: Fraction
    norm: int
    size: int
    integer: bool

    def answer(self, data: Any, unit: Unit | None) -> Any:
        return data

    def sensitivity(self, unit: Unit | None) -> Sensitivity:
        return _in_all_norms(self.stated, self.norm, self.size, self.integer)


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the data, with the sensitivity its owner proved.

    The function is trusted: its sensitivity is the owner's claim, it returns `size` numbers for all data, and integers
    where `integer` says so.
    """

    function: Callable[[Any], Any] = field(repr=False)
    stated: Fraction
    norm: int = 1
    size: int = 1
    integer: bool = False
    labels: tuple[Any, ...] = ()
    """Public names of the cells."""

    def answer(self, data: Any, unit: Unit | None) -> Any:
        return self.function(data)

    def sensitivity(self, unit: Unit | None) -> Sensitivity:
        return _in_all_norms(self.stated, self.norm, self.size, self.integer)


def query(
    function: Callable[[Any], Any],
    *,
    sensitivity: Any,
    norm: int = 1,
    size: int | None = None,
    integer: bool = False,
    labels: Iterable[Any] = (),
) -> Function:
    """A question asked by a function: how far one unit can move its answer is stated by whoever wrote it.

    `size` is how many numbers it returns (one, or as many as there are `labels`, the public names of its cells).

    >>> count = query(len, sensitivity=1, integer=True)
    >>> count.answer([1, 2, 3], None)
    3
    """
    if not callable(function):
        raise ArgumentTypeError.expected("function", function, "a function of the data is needed")
    names = tuple(labels)
    cells = checks.count(size=size if size is not None else max(len(names), 1))
    if names and len(names) != cells:
        raise ArgumentError.expected("labels", names, f"{cells} names are needed, one for each cell")
    stated = checks.non_negative(sensitivity=sensitivity)
    return Function(function, stated, _norm(norm), cells, bool(integer), names)


@dataclass(frozen=True, eq=False)
class Linear:
    """Bx for counts x: one row of B for each question, one column for each kind of record (course, section 2.2).

    Answers are exact: entries are read as decimals or fractions and counts are integers. Under `remove` one record
    moves the answer by one column of B; under `replace` by the difference of two.
    """

    matrix: _Array = field(repr=False)
    numerators: _Array = field(repr=False)
    denominator: int

    @property
    def size(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def integer(self) -> bool:
        return self.denominator == 1

    def answer(self, data: Any, unit: Unit | None) -> Any:
        counts = np.asarray(data)
        if counts.ndim != 1 or counts.size != self.matrix.shape[1]:
            raise ArgumentError(
                f"this linear query has {self.matrix.shape[1]} columns and the data {counts.size} counts. "
                "Give one count for each kind of record."
            )
        if counts.dtype.kind not in "iub":
            raise ArgumentTypeError.expected("data", data, "counts of records are integers", "Give an integer array")
        exact = self.numerators.astype(object) @ counts.astype(object)
        if self.integer:
            return exact
        return np.array([Fraction(int(value), self.denominator) for value in exact], dtype=object)

    def sensitivity(self, unit: Unit | None) -> Sensitivity:
        moves = self._moves("remove" if unit is None else unit.change)
        l1 = max((int(np.abs(m).sum(axis=0).max()) for m in moves), default=0)
        l2 = max((int((m.astype(object) ** 2).sum(axis=0).max()) for m in moves), default=0)
        linf = max((int(np.abs(m).max()) for m in moves), default=0)
        cells = max((int((m != 0).sum(axis=0).max()) for m in moves), default=0)
        d = self.denominator
        return Sensitivity(Fraction(l1, d), Fraction(l2, d * d), Fraction(linf, d), max(cells, 1), self.integer)

    def _moves(self, change: str) -> list[_Array]:
        """What one unit can do to the answer, times the denominator: matrices whose columns are all the possible
        moves."""
        columns = np.array(sorted({tuple(column) for column in self.numerators.T.tolist()}), dtype=object).T
        if change in ("remove", "add"):
            return [columns]
        if change != "replace":
            raise ArgumentError.expected(
                "change", change, "a linear query is about records that are removed or replaced"
            )
        return [columns - columns[:, [i]] for i in range(columns.shape[1])]


def linear(matrix: Any) -> Linear:
    """The linear query Bx.

    >>> import numpy as np
    >>> linear([[1, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 1]]).answer(np.array([1, 0, 2, 2, 3, 0]), None).tolist()
    [3, 5]
    """
    rows = matrix.tolist() if isinstance(matrix, np.ndarray) else matrix
    if not isinstance(rows, (list, tuple)) or not rows or not all(isinstance(row, (list, tuple)) for row in rows):
        raise ArgumentTypeError.expected("matrix", matrix, "rows of numbers are needed, one row for each question")
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise ArgumentError(
            "matrix: its rows have unequal lengths or are empty. Give one number for each kind of record."
        )
    exact = [
        [checks.number(**{f"matrix[{i}][{j}]": value}) for j, value in enumerate(row)] for i, row in enumerate(rows)
    ]
    denominator = math.lcm(*(value.denominator for row in exact for value in row))
    numerators = np.array([[int(value * denominator) for value in row] for row in exact], dtype=object)
    entries = np.array(exact, dtype=object)
    for array in (entries, numerators):  # a sensitivity that was worked out must not go out of date
        array.setflags(write=False)
    return Linear(entries, numerators, denominator)


def linear_sensitivity(matrix: Any, change: str = "remove", norm: int = 1) -> Any:
    """How far one record can move Bx: the largest column norm under `remove`, the largest norm of a difference of two
    columns under `replace`.

    Exact: an int or a Fraction; an L2 norm that is irrational is a float rounded up.

    >>> B = [[1, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0]]
    >>> linear_sensitivity(B), linear_sensitivity(B, "replace"), linear_sensitivity([[1, 0], [0, 1]], "replace")
    (3, 3, 2)
    """
    if change not in ("remove", "replace"):
        raise ArgumentError.expected("change", change, "'remove' or 'replace' is needed")
    found = linear(matrix).sensitivity(Unit(None, change))  # type: ignore[arg-type]
    if _norm(norm) == 1:
        return _plain(found.l1)
    return _plain(root) if (root := root_up(found.l2_squared)) ** 2 == found.l2_squared else checks.round_up(root)


def root_up(square: Fraction) -> Fraction:
    """A rational that is not below the square root: exact for squares, else above by a relative 2**-60 at the most.

    >>> root_up(Fraction(9, 4))
    Fraction(3, 2)
    """
    top, bottom = square.numerator, square.denominator
    inside = top * bottom  # sqrt(top / bottom) = sqrt(top * bottom) / bottom
    root = math.isqrt(inside)
    if root * root == inside:
        return Fraction(root, bottom)
    shift = max(0, 124 - inside.bit_length()) // 2 + 1
    return Fraction(math.isqrt(inside << (2 * shift)) + 1, bottom << shift)


def _in_all_norms(stated: Fraction, norm: int, size: int, integer: bool) -> Sensitivity:
    """What a bound in one norm says about the others: L2 <= L1 <= sqrt(d) L2."""
    if norm == 1:
        return Sensitivity(stated, stated**2, stated, size, integer)
    return Sensitivity(root_up(size * stated**2), stated**2, stated, size, integer)


def _norm(norm: Any) -> int:
    if norm not in (1, 2):
        raise ArgumentError.expected("norm", norm, "1 or 2 is needed")
    return int(norm)


def _plain(exact: Fraction) -> int | Fraction:
    return exact.numerator if exact.denominator == 1 else exact
