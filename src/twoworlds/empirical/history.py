"""A history of databases: which rows belong to whom, and to which database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np

from ..engines import Checked, Opened, Schema, opened, row_expression
from ..errors import ArgumentError, ArgumentTypeError

__all__ = ["History", "Pairs", "history"]

_Array = np.ndarray[Any, Any]
NullUnit = Literal["each", "drop"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """What each individual brought to each database: one entry for a pair, as sums that a statistic can be made of.

    `sums[j]` are rows and, for each input x, the count, the sum and the sum of squares of its known values.
    """

    individuals: _Array
    """The name of each individual; None for a row without one."""
    databases: _Array
    """The name of each database, in order."""
    individual: _Array
    database: _Array
    sums: _Array
    left_out: int
    """Rows that belong to no database."""
    nameless: int
    """Rows without an individual."""


@dataclass(frozen=True, eq=False)
class History:
    """A source, whose rows are an individual's and belong to a database. Nothing is kept in memory but its schema."""

    source: Opened
    unit: Checked
    database: Checked
    where: Checked | None
    null_unit: NullUnit
    who: str

    def pairs(self, inputs: Sequence[str]) -> Pairs:
        """One query: the sums of each (individual, database) pair; rows without an individual stand for themselves."""
        checked = [row_expression(text, self.source.schema, name="statistic") for text in inputs]
        for text, one in zip(inputs, checked, strict=True):
            if not one.type.startswith(("integer", "float", "decimal", "boolean")):
                raise ArgumentTypeError(f"statistic: {text!r} is of type {one.type}. Numbers are needed.")
        columns = [f"CAST({one.sql} AS DOUBLE) AS x{i}" for i, one in enumerate(checked)]
        where = f" WHERE {self.where.sql}" if self.where else ""
        rows = ", ".join([f"{self.unit.sql} AS who", f"{self.database.sql} AS database", *columns])
        inner = f"SELECT {rows} FROM {self.source.name}{where}"
        sums = "".join(
            f", COUNT(x{i}) AS n{i}, SUM(x{i}) AS s{i}, SUM(x{i} * x{i}) AS q{i}" for i in range(len(checked))
        )
        grouped = self.source.run(
            f"SELECT who, database, COUNT(*) AS n{sums} FROM ({inner}) AS t "
            "WHERE who IS NOT NULL AND database IS NOT NULL GROUP BY who, database"
        )
        alone = self.source.run(
            f"SELECT NULL AS who, database, 1 AS n{_single(len(checked))} FROM ({inner}) AS t "
            "WHERE who IS NULL AND database IS NOT NULL"
        )
        lost = self.source.run(f"SELECT COUNT(*) AS n FROM ({inner}) AS t WHERE database IS NULL")
        return self._assembled(grouped, alone, int(lost["n"][0]), len(checked))

    def _assembled(self, grouped: Mapping[str, Any], alone: Mapping[str, Any], lost: int, inputs: int) -> Pairs:
        names = ["n"] + [f"{letter}{i}" for i in range(inputs) for letter in "nsq"]
        keep = self.null_unit == "each"
        parts = [grouped, alone] if keep else [grouped]
        sums = np.column_stack(
            [np.concatenate([np.ma.filled(part[name].astype(float), 0.0) for part in parts]) for name in names]
        )
        dates = np.concatenate([np.asarray(part["database"].data) for part in parts])
        databases, database = np.unique(dates, return_inverse=True)
        who, individual = np.unique(np.asarray(grouped["who"].data), return_inverse=True)
        nameless = int(alone["n"].size)
        if keep:
            individual = np.concatenate([individual, who.size + np.arange(nameless)])
            who = np.concatenate([who.astype(object), np.full(nameless, None, dtype=object)])
        return Pairs(who, databases, individual, database, sums, lost, nameless)


def _single(inputs: int) -> str:
    """The sums of one row."""
    return "".join(
        f", CAST(x{i} IS NOT NULL AS INTEGER) AS n{i}, COALESCE(x{i}, 0) AS s{i}, COALESCE(x{i} * x{i}, 0) AS q{i}"
        for i in range(inputs)
    )


def history(
    source: Any,
    *,
    unit: str,
    database: str,
    where: str | None = None,
    schema: Schema | Mapping[str, str] | str | PathLike[str] | None = None,
    null_unit: NullUnit = "each",
) -> History:
    """A history of databases: a source, the individual's column, and the expression that says which database a row
    belongs to.

    Expressions are DuckDB's SQL about one row, such as `date_trunc('month', day)`. Without a schema types are guessed
    from the data, which an audit may do: it releases nothing. A row without an individual is an individual of its own
    (`null_unit="each"`) or dropped (`"drop"`).

    >>> visits = {"who": ["a", "b", "a"], "month": [1, 1, 2], "failed": [0, 1, 1]}
    >>> sorted(history(visits, unit="who", database="month").pairs(["failed"]).sums.tolist())
    [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
    """
    if null_unit not in ("each", "drop"):
        raise ArgumentError.expected("null_unit", null_unit, "'each' or 'drop' is needed")
    reading = opened(source, schema=schema, sniff=schema is None)
    who = row_expression(unit, reading.schema, name="unit")
    when = row_expression(database, reading.schema, name="database")
    only = None if where is None else row_expression(where, reading.schema, name="where")
    return History(reading, who, when, only, null_unit, unit)
