"""The ground floor that reads data: sources of every kind, and checked expressions about one row.

    with opened("visits.parquet") as source:
        columns = source.run('SELECT place, count(*) AS n FROM data GROUP BY place')

A source is a path or glob (Parquet, CSV, JSON), a list of them, `file.duckdb::table`, an Arrow, Polars or pandas frame,
or a dictionary of arrays or lists. An engine is a module with `accepts(source)` and `opened(source, ...)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Protocol

from ..errors import ArgumentTypeError
from . import duckdb, frames
from .columns import Column
from .duckdb import Opened
from .expressions import Checked, row_expression
from .schema import Dialect, Schema

__all__ = ["ENGINES", "Checked", "Column", "Dialect", "Opened", "Schema", "opened", "row_expression", "sniffed"]


class Engine(Protocol):
    """What every engine's module offers."""

    def accepts(self, source: object) -> bool:
        """Whether this engine reads such a source."""

    @property
    def opened(self) -> Callable[..., Opened]:
        """A source that has been opened and locked."""


ENGINES: tuple[Engine, ...] = (duckdb, frames)
"""Every engine: a source is read by the first that accepts it."""


def opened(
    source: Any,
    *,
    schema: Schema | Mapping[str, str] | str | PathLike[str] | None = None,
    sniff: bool = False,
    name: str = "data",
    memory: str = "2GB",
    threads: int | None = None,
    deadline: float = 300,
    spill: bool = True,
) -> Opened:
    """A source, opened for SQL about the view `name`, each column in its declared type, and locked.

    `schema` names the columns that are kept and their types: a `Schema`, a mapping from name to type, or the path of a
    TOML file. Without one, the types are those that the source declares; where it declares none (CSV, JSON, lists) all
    are text, or with `sniff=True` what the engine guesses from the first rows. A guess looks at the data and is not
    private: the answer's `sniffed` says so, and its `schema` what was guessed.

    `memory` and `threads` (8 at most by default) cap the engine. What does not fit in memory goes to a private folder
    on the disk until the source is closed, unless `spill` is False. `deadline` is for each query, in seconds.
    """
    for engine in ENGINES:
        if engine.accepts(source):
            return engine.opened(
                source,
                schema=schema,
                sniff=sniff,
                name=name,
                memory=memory,
                threads=threads,
                deadline=deadline,
                spill=spill,
            )
    raise ArgumentTypeError.expected("source", source, "a path, a frame or a dictionary of arrays is needed")


def sniffed(source: Any) -> Schema:
    """The schema of a source, guessed from its first rows where it declares none: an owner's first draft.

    >>> sniffed({"age": [31, 45], "name": ["Ann", "Bob"]}).columns
    {'age': 'integer', 'name': 'text'}
    """
    with opened(source, sniff=True) as table:
        return table.schema
