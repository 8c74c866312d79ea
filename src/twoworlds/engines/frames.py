"""Tables that are already in memory: Arrow, Polars and pandas frames, and dictionaries of arrays or lists.

Whatever offers `__arrow_c_stream__` is read through it, in place where it knows its length and can be read again, and
from a copy where it may be a stream that runs out. pandas frames and dictionaries go through NumPy. A type is what the
frame or array declares. Lists and arrays of objects declare none: they are text, unless a schema says otherwise or
`sniff=True` looks at them, because a type that one odd value changes is not public.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError
from .casts import identifier
from .duckdb import Opened, Session, connected, locked
from .reading import Reading
from .schema import Schema, checked_names

__all__ = ["accepts", "opened"]

_SORTS = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "float"),
    (datetime.datetime, "timestamp"),
    (datetime.date, "date"),
)


def accepts(source: object) -> bool:
    """Whether this engine reads such a source."""
    return isinstance(source, Mapping) or _is_pandas(source) or hasattr(source, "__arrow_c_stream__")


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
    """A source that has been opened and locked; `opened` of the room says what the arguments mean."""
    declared = None if schema is None else Schema.of(schema)
    columns = None
    if isinstance(source, Mapping):
        columns = {name: _array(name, values) for name, values in source.items()}
    elif _is_pandas(source):
        columns = _of_pandas(source)
    session = connected(memory=memory, threads=threads, deadline=deadline, spill=spill)
    try:
        shown = f"a {type(source).__name__}"
        if columns is None:
            plan = session.guarded(lambda: _stream(session, source), shown)
        else:
            checked_names(columns)
            plan = session.guarded(lambda: _arrays(session, columns, sniff), shown)
        return locked(session, plan, declared, sniff=sniff and plan.guessed, name=name, source=shown)
    except BaseException:
        session.close()
        raise


class _Stream:
    """An Arrow stream and nothing else, so that the engine takes this door and asks for no library."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._source.__arrow_c_stream__(requested_schema)


def _stream(session: Session, source: Any) -> Reading:
    again = hasattr(source, "__len__") or hasattr(source, "num_rows")
    session.connection.register("stream", _Stream(source))
    if again:
        return Reading("stream")
    session.execute("CREATE TABLE held AS SELECT * FROM stream")
    session.connection.unregister("stream")
    return Reading("held")


def _arrays(session: Session, columns: Mapping[str, _Declared], sniff: bool) -> Reading:
    """Each column as one array without gaps beside one that says where the gaps are.

    The engine would guess the type of an array of objects from a sample of it; of nothing but strings it guesses text.
    """
    lengths = {column.values.size for column in columns.values()}
    if len(lengths) != 1:
        raise ArgumentError(f"source: a table has columns of one length, and these have {sorted(lengths)}.")
    handed: dict[str, Any] = {}
    picked = []
    for place, (name, column) in enumerate(columns.items()):
        handed[f"values{place}"], handed[f"gone{place}"] = column.values, column.gone
        values = f"CAST(values{place} AS VARCHAR)" if column.type == "text" else f"values{place}"
        picked.append(f"CASE WHEN gone{place} THEN NULL ELSE {values} END AS {identifier(name)}")
    session.connection.register("arrays", handed)
    session.execute(f"CREATE VIEW held AS SELECT {', '.join(picked)} FROM arrays")
    types = {name: column.sort if sniff and column.sort else column.type for name, column in columns.items()}
    return Reading("held", types, guessed=any(column.sort for column in columns.values()))


class _Declared:
    """A column without gaps, where they are, its type, and for text what its values look like."""

    def __init__(self, values: Any, gone: Any, kind: str, sort: str | None = None) -> None:
        self.values, self.gone, self.type, self.sort = values, gone, kind, sort


def _array(name: str, given: Any) -> _Declared:
    """One column of a dictionary."""
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__"):
        raise ArgumentTypeError.expected(f"source[{name!r}]", given, "an array or a list is needed")
    if not hasattr(given, "dtype"):
        return _text(list(given))
    array = np.ma.asanyarray(given)
    if array.ndim != 1:
        raise ArgumentError(f"source[{name!r}] has {array.ndim} dimensions: a column has one.")
    gone = np.ma.getmaskarray(array).copy()
    data = np.ma.getdata(array)
    if data.dtype.kind in "OUS":
        return _text([None if masked else value for value, masked in zip(data.tolist(), gone, strict=True)])
    return _typed(name, data, gone)


def _typed(name: str, data: Any, gone: Any) -> _Declared:
    """An array of a NumPy type in the machine's own byte order, in one piece."""
    kind = data.dtype.kind
    if kind not in "biufM":
        advice = "Give numbers, booleans, strings, dates or moments"
        raise ArgumentTypeError(f"source[{name!r}] holds {data.dtype}: such values have no type here. {advice}.")
    if kind == "M":
        day = np.datetime_data(data.dtype)[0] in ("Y", "M", "W", "D")
        gone = gone | np.isnat(data)
        moments = np.where(gone, np.datetime64(0, "us"), data.astype("datetime64[us]"))
        return _Declared(moments, gone, "date" if day else "timestamp")
    if kind == "f" and data.dtype.itemsize not in (4, 8):
        data = data.astype(np.float64)
    data = np.ascontiguousarray(data, dtype=data.dtype.newbyteorder("="))
    wide = "decimal(20,0)" if data.dtype == np.uint64 else "integer"
    return _Declared(data, gone, {"b": "boolean", "f": "float"}.get(kind, wide))


def _text(values: list[Any]) -> _Declared:
    """Values of no declared type, as text; None, NaN and the like are gaps."""
    gone = np.array([_missing(value) for value in values], dtype=bool)
    texts = np.empty(len(values), dtype=object)
    texts[:] = ["" if missing else _as_text(value) for value, missing in zip(values, gone, strict=True)]
    present = [value for value, missing in zip(values, gone, strict=True) if not missing]
    return _Declared(texts, gone, "text", _sort(present) or "text")


def _missing(value: Any) -> bool:
    # NaN and NaT are not equal to themselves; pandas.NA answers neither yes nor no
    if value is None:
        return True
    try:
        return bool(np.ndim(value) == 0 and value != value)
    except TypeError:
        return True


def _as_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    text = str(value)
    # half a character of two cannot be stored; it is spelled out, as are bytes that are not UTF-8
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _sort(values: list[Any]) -> str | None:
    """The type that all values have, or None."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    for python, kind in _SORTS:
        if plain and all(type(value) is python for value in plain):
            return kind
    if plain and all(type(value) in (int, float) for value in plain):
        return "float"
    return None


def _is_pandas(source: object) -> bool:
    return type(source).__module__.split(".")[0] == "pandas" and hasattr(source, "columns")


def _of_pandas(frame: Any) -> dict[str, _Declared]:
    """The columns of a pandas frame; its index is not one of them."""
    names = [str(name) for name in frame.columns]
    checked_names(names)
    return {name: _series(name, frame.iloc[:, place]) for place, name in enumerate(names)}


def _series(name: str, series: Any) -> _Declared:
    gone = np.asarray(series.isna(), dtype=bool)
    dtype = series.dtype
    if getattr(dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    if getattr(series.dtype, "kind", "O") == "M":
        return _typed(name, series.to_numpy(dtype="datetime64[us]"), gone)
    if isinstance(dtype, np.dtype) and dtype.kind in "biufmc":
        return _typed(name, series.to_numpy(), gone)
    plain = getattr(dtype, "numpy_dtype", None)  # pandas' own numbers with gaps
    if isinstance(plain, np.dtype) and plain.kind in "biuf":
        return _typed(name, series.to_numpy(dtype=plain, na_value=plain.type(0)), gone)
    return _text([None if missing else value for value, missing in zip(series.tolist(), gone, strict=True)])
