"""How each kind of file is read: the relation in SQL, and the types it is known to have.

A CSV or JSON file is read as text and then cast, so that no value decides a type. Its dialect is declared, not guessed:
a comma (a tab in `.tsv`), double quotes, names in the first line. Of a CSV file, a line with too few fields or bytes
that are not in the declared encoding is left out, whichever columns are asked for; fields too many are dropped; an
empty field is NULL. So a bad line changes no other one, but for this: a quote that is opened and never closed takes the
lines after it along, because what a quoted field spans is up to its quotes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import SourceError, UnknownNameError
from .casts import identifier, literal
from .files import Files
from .schema import Dialect, Schema, checked_names, type_of

__all__ = ["Reading", "reading"]

_Execute = Callable[[str], list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Reading:
    """A relation in SQL, the types of its columns where the engine does not know them, and a CSV's dialect.

    `guessed` says whether the types were looked up in the data.
    """

    relation: str
    types: Mapping[str, str] | None = None
    csv: Dialect = field(default_factory=Dialect)
    guessed: bool = False


def reading(execute: _Execute, files: Files, declared: Schema | None, sniff: bool) -> Reading:
    """How these files are read; `execute` asks the engine about them."""
    if files.kind == "parquet":
        several = len(files.paths) > 1  # columns are told by name, whatever their order in each file
        options = f"hive_partitioning = false, union_by_name = {str(several).lower()}"
        return Reading(f"read_parquet({_listed(files)}, {options})")
    if files.kind == "table":
        return _table(execute, files)
    if files.kind in ("json", "lines"):
        return _json(execute, files, declared, sniff)
    return _csv(execute, files, declared, sniff)


def _table(execute: _Execute, files: Files) -> Reading:
    (path,) = files.paths
    execute(f"ATTACH {literal(path)} AS source (READ_ONLY, TYPE duckdb)")
    rows = execute("SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source'")
    rows += execute("SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'source' AND NOT internal")
    known = {name if where == "main" else f"{where}.{name}": (where, name) for where, name in rows}
    wanted = str(files.table)
    alike = [name for name in known if name == wanted] or [name for name in known if name.lower() == wanted.lower()]
    if not alike:
        raise UnknownNameError("table", wanted, known)
    where, name = known[alike[0]]
    return Reading(f"source.{identifier(where)}.{identifier(name)}")


def _json(execute: _Execute, files: Files, declared: Schema | None, sniff: bool) -> Reading:
    options = "format = 'newline_delimited', ignore_errors = true" if files.kind == "lines" else "format = 'auto'"
    options += ", hive_partitioning = false"
    if declared is not None:
        types = dict(declared.columns)
    else:
        rows = execute(f"DESCRIBE SELECT * FROM read_json({_listed(files)}, {options})")
        types = {str(row[0]): type_of(str(row[1])) if sniff else "text" for row in rows}
    return Reading(f"read_json({_listed(files)}, {options}, {_columns(types)})", types, guessed=True)


def _csv(execute: _Execute, files: Files, declared: Schema | None, sniff: bool) -> Reading:
    dialect = declared.csv if declared else Dialect(delimiter="\t") if files.tabs else Dialect()
    guesses: list[Mapping[str, str]] = []
    if sniff and declared is None:
        dialect, guesses = _sniffed(execute, files.paths[0])
    headers = [_header(execute, path, dialect) for path in files.paths]
    names = headers[0]
    if any(other != names for other in headers):
        raise SourceError.cannot(files.paths[0], "the files do not have the same columns in the same order")
    kinds = [type_of(guess["type"]) for guess in guesses] if len(guesses) == len(names) else ["text"] * len(names)
    types = dict(zip(names, kinds, strict=True))
    # strict, the reader would lose the lines after one with a stray quote
    options = "header = true, auto_detect = false, ignore_errors = true, strict_mode = false, hive_partitioning = false"
    relation = f"read_csv({_listed(files)}, {options}, {_dialect(dialect)}, {_columns(types)})"
    # the reader checks the encoding only of columns that are asked for: ask for all, or queries differ in their rows
    every = f"length(concat({', '.join(map(identifier, names))})) >= 0"
    return Reading(f"(SELECT * FROM {relation} WHERE {every})", types, dialect, guessed=True)


def _sniffed(execute: _Execute, path: str) -> tuple[Dialect, list[Mapping[str, str]]]:
    """The dialect and types that the engine guesses from the first rows of a file."""
    call = f"sniff_csv({literal(path)}, header = true, ignore_errors = true)"
    ((delimiter, quote, escape, columns),) = execute(f'SELECT "Delimiter", "Quote", "Escape", "Columns" FROM {call}')
    plain = Dialect()
    one = [str(value) if len(str(value)) == 1 else None for value in (delimiter, quote, escape)]
    return (
        replace(plain, delimiter=one[0] or ",", quote=one[1] or '"', escape=one[2] or one[1] or '"'),
        list(columns),
    )


def _header(execute: _Execute, path: str, dialect: Dialect) -> list[str]:
    """The names in the first line of a file, which the engine reads as one field of bytes.

    As Latin-1 every byte is a character, so bad bytes further down stop nothing, and a bad first line is told from a
    good second one.
    """
    utf8 = dialect.encoding == "utf-8"
    raw = replace(dialect, delimiter="\x01", encoding="latin-1" if utf8 else dialect.encoding)
    options = f"{_dialect(raw, quoted=False)}, strict_mode = false, columns = {{'line': 'VARCHAR'}}"
    rows = execute(
        f"SELECT line FROM read_csv({literal(path)}, header = false, auto_detect = false, {options}) LIMIT 1"
    )
    line = str(rows[0][0] or "") if rows else ""
    try:
        line = line.encode("latin-1").decode("utf-8-sig") if utf8 else line
    except ValueError:
        line = ""
    if not line.strip():
        raise SourceError.cannot(path, "the first line does not hold the names of the columns")
    doubled = dialect.escape == dialect.quote
    row = next(
        csv.reader(
            [line],
            delimiter=dialect.delimiter,
            quotechar=dialect.quote,
            doublequote=doubled,
            escapechar=None if doubled else dialect.escape,
        )
    )
    names = [name.strip() or f"column{place}" for place, name in enumerate(row)]
    checked_names(names)
    return names


def _dialect(dialect: Dialect, quoted: bool = True) -> str:
    quote, escape = (dialect.quote, dialect.escape) if quoted else ("", "")
    return (
        f"delim = {literal(dialect.delimiter)}, quote = {literal(quote)}, escape = {literal(escape)}, "
        f"encoding = {literal(dialect.encoding)}"
    )


def _columns(types: Mapping[str, str]) -> str:
    return "columns = {" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in types) + "}"


def _listed(files: Files) -> str:
    return "[" + ", ".join(map(literal, files.paths)) + "]"
