"""What an engine answers, as NumPy columns.

Every column is a masked array, and the mask says NULL: for text (`object`) as for numbers. What stands under the mask
is None, 0, False, NaN or NaT. Integers are `int64`, or `uint64` where their SQL type is; wider ones and decimals are
exact Python `int` and `Decimal` in an `object` array, never rounded to a double. Doubles are finite: NaN and the
infinities are NULL. Dates are `datetime64[D]`, timestamps `datetime64[us]`; everything else is its text.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from .casts import identifier

__all__ = ["Column", "carried", "column_of"]

Column = np.ma.MaskedArray[Any, Any]
"""A column of a result: a masked array."""

_PLAIN = {
    "BOOLEAN": "bool",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "int64"),
    "UBIGINT": "uint64",
    "FLOAT": "float64",
    "DOUBLE": "float64",
    "DATE": "datetime64[D]",
    "TIMESTAMP": "datetime64[us]",
}
_MOMENTS = ("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE")
_UNDER: dict[str, Any] = {"b": False, "i": 0, "u": 0, "f": np.nan, "M": np.datetime64("NaT", "us"), "O": None}


def carried(name: str, kind: str) -> str:
    """The SQL that brings a column of an engine's type over without loss: as itself, or as text."""
    column = identifier(name)
    if kind in _PLAIN or kind == "VARCHAR":
        return column
    return f"CAST({column} AS {'TIMESTAMP' if kind in _MOMENTS else 'VARCHAR'}) AS {column}"


def column_of(raw: Any, kind: str) -> Column:
    """One column in the form above."""
    mask = np.ma.getmaskarray(raw).copy()
    data = np.ma.getdata(raw)
    if kind in _PLAIN or kind in _MOMENTS:
        values = np.array(data, dtype=_PLAIN.get(kind, "datetime64[us]"))
        mask |= (
            ~np.isfinite(values)
            if values.dtype.kind == "f"
            else np.isnat(values)
            if values.dtype.kind == "M"
            else False
        )
    else:
        values = np.array(data, dtype=object)
        read = _exact(kind)
        if read is not None:
            values = np.array(
                [None if gone else read(text) for text, gone in zip(values, mask, strict=True)], dtype=object
            )
    values[mask] = _UNDER[values.dtype.kind]
    return np.ma.MaskedArray(values, mask=mask)


def _exact(kind: str) -> Callable[[str], Any] | None:
    if kind in ("HUGEINT", "UHUGEINT", "BIGNUM"):
        return int
    return Decimal if kind.startswith("DECIMAL") else None
