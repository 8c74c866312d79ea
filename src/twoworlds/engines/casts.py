"""How a value is brought into a type without ever failing: SQL text for DuckDB.

Each piece here mentions what it is given once. SQL has no word for "let v be this", and the forms that look like one
(`NULLIF`, `CASE x WHEN`, `BETWEEN`) are rewritten by the engine so that `x` stands in them twice: nested twenty deep,
such a text binds a million times longer. A lambda over a list of one element is the form that does not. `TRY(...)` is
left out for the same reason: where it catches a failure it computes everything below it once more, row by row.
"""

from __future__ import annotations

__all__ = ["column_into", "finite", "identifier", "into", "let", "literal", "sql_name", "within_years"]

_NAMES = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "float": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}


def identifier(name: str) -> str:
    """A name in SQL.

    >>> print(identifier('the "last" name'))
    "the ""last"" name"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL.

    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def sql_name(kind: str) -> str:
    """What DuckDB calls a declared type."""
    return _NAMES.get(kind, kind.upper())


def let(sql: str, body: str) -> str:
    """The body, in which `v` is the value of `sql`, computed once."""
    return f"list_extract(list_transform([{sql}], lambda v: {body}), 1)"


def finite(sql: str) -> str:
    """A double that is finite, minus zero as zero; NULL otherwise."""
    # adding zero turns minus zero into zero and leaves every other number as it is
    return let(sql, "CASE WHEN isfinite(v) THEN v + CAST(0 AS DOUBLE) END")


def within_years(sql: str, kind: str) -> str:
    """A date or timestamp of the years 1 to 9999; NULL otherwise."""
    return let(sql, f"CASE WHEN {_in_years('v', kind)} THEN v END")


def into(kind: str, sql: str, was: str | None = None) -> str:
    """A value of an engine's type `was`, in the type `kind`; NULL where it cannot be.

    >>> print(into("integer", "x"))
    TRY_CAST(x AS BIGINT)
    """
    cast = f"TRY_CAST({sql} AS {sql_name(kind)})"
    if kind == "float":
        return finite(cast)
    if kind == "timestamp" and was == "VARCHAR":
        # by way of the type with a zone, or the offset that a text states would be ignored
        cast = f"TRY_CAST(TRY_CAST({sql} AS TIMESTAMP WITH TIME ZONE) AS TIMESTAMP)"
    return within_years(cast, kind) if kind in ("date", "timestamp") else cast


def column_into(kind: str, column: str, was: str) -> str:
    """`into` for a bare column, which may stand twice: no lambda is needed, and it runs faster."""
    if kind == "float" and was in ("FLOAT", "DOUBLE"):
        return f"CASE WHEN isfinite({column}) THEN CAST({column} AS DOUBLE) + CAST(0 AS DOUBLE) END"
    if kind in ("date", "timestamp") and was == kind.upper():
        return f"CASE WHEN {_in_years(column, kind)} THEN {column} END"
    return column if was == sql_name(kind) else into(kind, column, was)


def _in_years(sql: str, kind: str) -> str:
    if kind == "date":
        return f"{sql} >= DATE '0001-01-01' AND {sql} <= DATE '9999-12-31'"
    return f"{sql} >= TIMESTAMP '0001-01-01 00:00:00' AND {sql} <= TIMESTAMP '9999-12-31 23:59:59.999999'"
