"""Files and database tables, read by DuckDB through a connection that can do nothing else.

`opened` lays one view over the source, each column in its declared type, and locks the door behind it: no other file,
no network, no extension, no setting. Files are read as each query runs, in pieces, and are never copied. The lock
leaves a query two ways to do harm, writing to a file it may read and changing a table it may see, so only a query that
would do as a view is run.

What a row holds never makes a query fail: a value that does not fit its type is NULL, a line of a CSV or JSON file that
cannot be read is left out. What cannot be answered so (a file that vanishes or is broken, memory, time) is an error of
constant text, because an engine's own messages quote the data.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, TypeVar

import duckdb

from ..checks import count, positive
from ..errors import ArgumentError, ArgumentTypeError, DeadlineError, QueryError, SourceError, TwoWorldsError
from .casts import column_into, identifier, literal
from .columns import Column, carried, column_of
from .files import found, is_path
from .reading import Reading, reading
from .schema import Schema, checked_names, type_of

__all__ = ["Opened", "accepts", "connected", "described", "locked", "opened"]

_T = TypeVar("_T")
_MEMORY = re.compile(r"\d{1,6}(\.\d{1,3})?\s?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)", re.ASCII)

# nothing is fetched or loaded, no variable of the program becomes a table, and no host decides what a moment is
_SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,
    "ieee_floating_point_ops": True,
    # these push a cast into the reader of a file, which leaves out a row where TRY_CAST would say NULL
    "disabled_optimizers": "type_pushdown,scalar_fn_pushdown",
}
_REFUSED = {"ParserException", "BinderException", "CatalogException", "SyntaxException", "NotImplementedException"}
_GONE = {"IOException", "PermissionException", "HTTPException"}


def accepts(source: object) -> bool:
    """Whether this engine reads such a source."""
    return is_path(source)


def opened(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    schema: Schema | Mapping[str, str] | str | PathLike[str] | None = None,
    sniff: bool = False,
    name: str = "data",
    memory: str = "2GB",
    threads: int | None = None,
    deadline: float = 300,
    spill: bool = True,
) -> Opened:
    """A source that has been opened and locked; `opened` of the room says what the arguments mean."""
    declared = None if schema is None else Schema.of(schema)
    files = found(source)
    session = connected(files.paths, memory=memory, threads=threads, deadline=deadline, spill=spill)
    try:
        plan = session.guarded(lambda: reading(session.execute, files, declared, sniff), source)
        return locked(session, plan, declared, sniff=sniff and plan.guessed, name=name, source=source)
    except BaseException:
        session.close()
        raise


def connected(paths: Sequence[str] = (), *, memory: str, threads: int | None, deadline: float, spill: bool) -> Session:
    """A connection that may read these paths and no others, not yet locked."""
    if not isinstance(memory, str):
        raise ArgumentTypeError.expected("memory", memory, "a size such as '2GB' is needed")
    if not _MEMORY.fullmatch(memory):
        raise ArgumentError.expected("memory", memory, "a size such as '2GB' is needed")
    seconds = float(positive(deadline=deadline))
    if seconds > threading.TIMEOUT_MAX:
        raise ArgumentError.expected("deadline", deadline, "this is longer than a timer runs")
    workers = min(8, os.cpu_count() or 1) if threads is None else count(threads=threads)
    # where rows go that do not fit in memory: a folder that only this user reads and that goes with the connection
    folder = tempfile.mkdtemp(prefix="twoworlds-") if spill else ""
    settings = {**_SETTINGS, "memory_limit": memory, "threads": workers, "temp_directory": folder}
    connection = duckdb.connect(":memory:", config=settings)
    session = Session(connection, folder, seconds)
    session.execute("SET TimeZone = 'UTC'")
    if paths:
        session.execute(f"SET allowed_paths = [{', '.join(map(literal, paths))}]")
    return session


def described(session: Session, relation: str) -> dict[str, str]:
    """The columns of a relation, with the types the engine gives them."""
    return {str(row[0]): str(row[1]) for row in session.execute(f"DESCRIBE SELECT * FROM {relation}")}


def locked(
    session: Session,
    plan: Reading,
    declared: Schema | None,
    *,
    sniff: bool,
    name: str,
    source: Any,
) -> Opened:
    """The view over what is read, and the door locked behind it."""
    checked_names([name])
    engine = session.guarded(lambda: described(session, plan.relation), source)
    checked_names(engine)
    schema = declared or Schema(plan.types or {c: type_of(kind) for c, kind in engine.items()}, plan.csv)
    columns = {column: _resolved(column, engine) for column in schema.names}
    picked = ", ".join(
        f"{column_into(schema.columns[column], identifier(there), engine[there])} AS {identifier(column)}"
        for column, there in columns.items()
    )

    def lock() -> None:
        session.execute("SET enable_external_access = false")
        session.execute(f"CREATE VIEW {identifier(name)} AS SELECT {picked} FROM {plan.relation}")
        session.execute("SET lock_configuration = true")

    session.guarded(lock, source)
    return Opened(session, schema, sniffed=sniff, name=name)


def _cleared(folder: str, owner: int) -> None:
    if folder and os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _resolved(column: str, engine: Mapping[str, str]) -> str:
    # a schema may be written in another case than the file
    return Schema(dict.fromkeys(engine, "text")).resolve(column)


class Session:
    """One connection of DuckDB: what runs in it ends in time, and fails in constant words."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: str, deadline: float) -> None:
        self.connection = connection
        self.deadline = deadline
        self.folder = folder
        self._one = threading.Lock()
        # also where nobody closes it, and never by a child of this process
        self._clear = weakref.finalize(self, _cleared, folder, os.getpid())

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a statement, unguarded: while a source is set up."""
        return self.connection.execute(sql).fetchall()

    def guarded(self, work: Callable[[], _T], source: Any = None, deadline: float | None = None) -> _T:
        """What `work` returns; a failure of the engine becomes an error of ours, with nothing of the engine's in it."""
        expired = threading.Event()

        def stop() -> None:
            expired.set()
            self.connection.interrupt()

        done: list[_T] = []
        failure = ""
        with self._one:
            timer = threading.Timer(self.deadline if deadline is None else deadline, stop)
            timer.daemon = True
            timer.start()
            try:
                done.append(work())
            except TwoWorldsError:
                raise
            except Exception as error:
                failure = type(error).__name__
            finally:
                timer.cancel()
                timer.join()  # a timer that is firing now must not stop the next query
        if failure:  # raised outside the handler, so that no context carries the engine's words along
            raise _sentence(failure, expired.is_set(), source)
        return done[0]

    def close(self) -> None:
        """End the connection and remove what it left on the disk."""
        self.connection.close()
        self._clear()


class Opened:
    """An open source: `schema` says what its columns are, `run` answers SQL about the view `name`.

    `sniffed` says whether the types were guessed from the data: then they are not public, and belong in a schema.
    Close it, or use it in a `with`. One query runs at a time; a second thread waits.
    """

    def __init__(self, session: Session, schema: Schema, *, sniffed: bool, name: str) -> None:
        self.schema, self.sniffed, self.name = schema, sniffed, name
        self._session = session

    def run(self, sql: str, *, deadline: float | None = None) -> dict[str, Column]:
        """The answer of one SELECT as masked NumPy columns, in order (`columns.py` says how); names that repeat are
        numbered by the engine.

        The SQL is trusted to be about the right rows, and no more than that: whatever it says, it cannot write, reach
        another file or change a setting. `deadline`, in seconds, is for this query in place of the source's own.
        """
        if not isinstance(sql, str):
            raise ArgumentTypeError.expected("sql", sql, "a string is needed")
        seconds = None if deadline is None else float(positive(deadline=deadline))
        session = self._session

        def work() -> dict[str, Column]:
            kinds = _checked(session, sql)
            carry = [carried(name, kind) for name, kind in kinds.items()]
            plain = all(column == identifier(name) for column, name in zip(carry, kinds, strict=True))
            text = sql if plain else f"SELECT {', '.join(carry)} FROM ({sql}\n) AS answer"
            raw = session.connection.execute(text).fetchnumpy().values()
            return {name: column_of(column, kind) for (name, kind), column in zip(kinds.items(), raw, strict=True)}

        return session.guarded(work, deadline=seconds)

    def close(self) -> None:
        """Close the source; what it left on the disk is removed."""
        self._session.close()

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _checked(session: Session, sql: str) -> dict[str, str]:
    """The columns that a query answers, with their types, if it is one query and only reads.

    A statement is not known to be harmless by its kind: `WITH x AS (COPY ... TO ...) SELECT 1` counts as a SELECT, and
    may write to any file that it may read. Such parts are only allowed at the top of a statement, which what is
    described is not, so describing refuses them before anything runs.
    """
    statements = session.connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ArgumentError("sql: one SELECT is run at a time, and nothing but a SELECT.")
    rows = session.execute(f"DESCRIBE SELECT * FROM ({sql}\n) AS answer")
    return {str(row[0]): str(row[1]) for row in rows}


def _sentence(failure: str, expired: bool, source: Any) -> QueryError | SourceError:
    """The error for a failure, told by its class alone."""
    if expired:
        return DeadlineError("the query ran longer than its deadline and was stopped. Allow more with deadline=.")
    if failure == "OutOfMemoryException":
        return QueryError("the query needs more memory than it may use. Allow more with memory=, or spill=True.")
    if source is not None:
        return SourceError.cannot(source, "this cannot be read as what its name says", "Check that it is whole")
    if failure in _REFUSED:
        return QueryError(f"the engine does not understand the SQL ({failure}). Check names, types and syntax.")
    if failure in _GONE:
        return QueryError("the query may not read a file, or the source has vanished or changed. Open it again.")
    return QueryError("the query failed while the data were read. The source may be broken or in another encoding.")
