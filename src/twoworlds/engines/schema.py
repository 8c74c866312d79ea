"""What a table's columns are: a schema, read from and printed as TOML.

A column is of one of seven types. Whatever a source holds is brought into its declared type before anything else sees
it, and what does not fit becomes NULL: the type of a column is public, the values that fail to have it are not.

    text         characters; whatever has no other type here is read as its text
    integer      64 bits with a sign
    decimal(p,s) p digits, s of them after the point; p is 38 at most
    float        a finite double: NaN and the infinities are NULL, and minus zero is zero
    boolean      true or false
    date         a day in the years 1 to 9999
    timestamp    a moment in those years to the microsecond, in UTC
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, ArgumentTypeError, SourceError, UnknownNameError

__all__ = ["TYPES", "Dialect", "Schema", "checked_names", "scale_of", "type_of"]

TYPES = ("text", "integer", "decimal(p,s)", "float", "boolean", "date", "timestamp")
"""The types a column may have."""

_PLAIN = {"text", "integer", "float", "boolean", "date", "timestamp"}
_DECIMAL = re.compile(r"decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)", re.ASCII | re.IGNORECASE)
_ENCODINGS = ("utf-8", "latin-1", "utf-16")

# what the engine calls a type -> what is declared; an integer that 64 bits do not hold stays exact as a decimal
_OF_ENGINE = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "integer"),
    "UBIGINT": "decimal(20,0)",
    "HUGEINT": "decimal(38,0)",
    "UHUGEINT": "decimal(38,0)",
    "FLOAT": "float",
    "DOUBLE": "float",
    "DATE": "date",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "timestamp"),
    "TIMESTAMP WITH TIME ZONE": "timestamp",
}


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written: one character each between fields, around them, and before a quote inside them."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        for name in ("delimiter", "quote", "escape"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise ArgumentTypeError.expected(name, value, "one character is needed")
            if len(value) != 1 or value in "\0\r\n":
                raise ArgumentError.expected(name, value, "one character is needed, and not the end of a line")
        if self.encoding not in _ENCODINGS:
            known = ", ".join(_ENCODINGS)
            raise ArgumentError.expected("encoding", self.encoding, f"the encodings that are read are {known}")


@dataclass(frozen=True)
class Schema:
    """The columns of a table in order, name -> type, and how its CSV file is written if it is one.

    Names differ by more than case, because SQL does not tell them apart otherwise.

    >>> Schema({"id": "integer", "amount": "decimal(10, 2)"}).columns["amount"]
    'decimal(10,2)'
    """

    columns: Mapping[str, str]
    csv: Dialect = field(default_factory=Dialect)

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping):
            raise ArgumentTypeError.expected("columns", self.columns, "a mapping from name to type is needed")
        if not self.columns:
            raise ArgumentError("columns={}: a table has at least one column.")
        checked_names(self.columns)
        # a copy of its own: a schema that changes later would not be the one that was checked
        object.__setattr__(self, "columns", {name: _canonical(name, kind) for name, kind in self.columns.items()})

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(self.columns)

    def resolve(self, name: str) -> str:
        """The column of that name: exactly, or up to case."""
        if name in self.columns:
            return name
        for known in self.columns:
            if known.casefold() == name.casefold():
                return known
        raise UnknownNameError("column", name, self.columns)

    def toml(self) -> str:
        """The schema as `from_toml` reads it.

        >>> print(Schema({"age": "integer"}).toml(), end="")
        [columns]
        "age" = "integer"
        """
        lines = []
        if self.csv != Dialect():
            lines += ["[csv]", *(f"{key} = {_quoted(value)}" for key, value in vars(self.csv).items()), ""]
        lines += ["[columns]", *(f"{_quoted(name)} = {_quoted(kind)}" for name, kind in self.columns.items())]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, text: str) -> Schema:
        """The schema that a text in TOML states: a table `[columns]`, and `[csv]` where the dialect is unusual."""
        try:
            stated = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ArgumentError(f"schema: this is not TOML: {error}.") from None
        for key in stated:
            if key not in ("columns", "csv"):
                raise UnknownNameError("table of a schema", key, ("columns", "csv"))
        columns, csv = stated.get("columns"), stated.get("csv", {})
        if not isinstance(columns, dict) or not isinstance(csv, dict):
            raise ArgumentError('schema: a table [columns] with lines such as age = "integer" is needed.')
        for key in csv:
            if key not in Dialect.__dataclass_fields__:
                raise UnknownNameError("setting of [csv]", key, Dialect.__dataclass_fields__)
        return cls(columns, Dialect(**csv))

    @classmethod
    def of(cls, given: Schema | Mapping[str, str] | str | PathLike[str]) -> Schema:
        """A schema however it is given: itself, a mapping from name to type, or the path of a TOML file."""
        if isinstance(given, Schema):
            return given
        if isinstance(given, Mapping):
            return cls(given)
        if not isinstance(given, (str, PathLike)):
            raise ArgumentTypeError.expected(
                "schema", given, "a Schema, a mapping or the path of a TOML file is needed"
            )
        try:
            text = Path(given).read_text(encoding="utf-8")
        except (OSError, ValueError):
            text = None
        if text is None:
            raise SourceError.cannot(str(given), "this schema file cannot be read", "Give the path of a TOML file")
        return cls.from_toml(text)


def type_of(engine: str) -> str:
    """The declared type of what the engine calls `engine`.

    >>> type_of("UBIGINT"), type_of("DECIMAL(9,2)"), type_of("UUID")
    ('decimal(20,0)', 'decimal(9,2)', 'text')
    """
    if _DECIMAL.fullmatch(engine):
        return engine.lower()
    return _OF_ENGINE.get(engine, "text")


def scale_of(kind: str) -> int:
    """How many digits a decimal type has after the point.

    >>> scale_of("decimal(9,2)")
    2
    """
    found = _DECIMAL.fullmatch(kind)
    return int(found[2]) if found else 0


def checked_names(names: Iterable[Any]) -> None:
    """Refuse names that a table cannot have side by side."""
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError.expected("column", name, "the name of a column is a string")
        if not name or "\0" in name or not _encodable(name):
            raise ArgumentError.expected(
                "column", name, "a name is not empty, and holds neither NUL nor half a character"
            )
        if name.casefold() in seen:
            raise ArgumentError.expected(
                "column", name, "another column has this name up to case", "Rename one of them in the source"
            )
        seen.add(name.casefold())


def _canonical(name: str, kind: Any) -> str:
    if not isinstance(kind, str):
        raise ArgumentTypeError.expected(f"the type of {name}", kind, f"one of {', '.join(TYPES)} is needed")
    lowered = kind.strip().lower()
    if lowered in _PLAIN:
        return lowered
    found = _DECIMAL.fullmatch(lowered)
    if found and 1 <= int(found[1]) <= 38 and int(found[2]) <= int(found[1]):
        return f"decimal({int(found[1])},{int(found[2])})"
    raise ArgumentError.expected(f"the type of {name}", kind, f"one of {', '.join(TYPES)} is needed")


def _encodable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for the one control character that JSON lets stand
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
