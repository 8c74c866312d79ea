"""What a path names: files of one kind, or a table in a database file. Nothing is opened here.

A path is a string or a `pathlib.Path`, a list of them, a glob (`data/*.parquet`), or `file.duckdb::table`. Its suffix
says what it holds. Remote addresses are refused: the engine is cut off from the network.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..errors import ArgumentTypeError, SourceError

__all__ = ["Files", "found", "is_path"]

_KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".duckdb": "table",
    ".ddb": "table",
    ".db": "table",
}
_PACKED = (".gz", ".zst")
_ADVICE = "Give .parquet, .csv, .tsv, .json, .jsonl, or file.duckdb::table"


@dataclass(frozen=True)
class Files:
    """Files of one kind, by absolute path in order; of a database file also the table."""

    kind: str
    paths: tuple[str, ...]
    table: str | None = None

    @property
    def tabs(self) -> bool:
        """Whether the name says that fields stand between tabs."""
        return any(".tsv" in Path(path).suffixes for path in self.paths)


def is_path(source: object) -> bool:
    """Whether a source is a path, or a list of nothing but paths."""
    if isinstance(source, (str, PathLike)):
        return True
    return isinstance(source, (list, tuple)) and bool(source) and all(isinstance(s, (str, PathLike)) for s in source)


def found(source: Any) -> Files:
    """The files that a source names."""
    given: Sequence[Any] = [source] if isinstance(source, (str, PathLike)) else source
    texts = [_text(path) for path in given]
    if len(texts) == 1 and "::" in texts[0]:
        return _in_database(texts[0])
    paths = tuple(dict.fromkeys(path for text in texts for path in _expanded(text)))
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise SourceError.cannot(source, "these files are of different kinds", "Give files of one kind")
    (kind,) = kinds
    if kind == "table":
        raise SourceError.cannot(source, "a database file holds many tables", "Name one: 'file.duckdb::table'")
    return Files(kind, paths)


def _text(path: Any) -> str:
    text = fspath(path)
    if not isinstance(text, str):
        raise ArgumentTypeError.expected("source", path, "a path is a string or a pathlib.Path")
    if "://" in text:
        raise SourceError.cannot(
            text, "this is a remote address, and the engine has no network", "Fetch the file first"
        )
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise SourceError.cannot(text, "this cannot be the name of a file")
    return text


def _in_database(text: str) -> Files:
    path, _, table = text.rpartition("::")
    if not table or _kind(path) != "table":
        raise SourceError.cannot(text, "a table in a file is written 'file.duckdb::table'")
    return Files("table", tuple(_expanded(path)), table)


def _expanded(text: str) -> list[str]:
    if _is(Path.is_file, text):  # a name with brackets may be a file before it is a pattern
        return [str(Path(text).absolute())]
    if _is(Path.is_dir, text):
        raise SourceError.cannot(text, "this is a folder", "Give a glob such as 'folder/*.parquet'")
    if not glob.has_magic(text):
        raise SourceError.cannot(text, "there is no such file, or it cannot be read", "Check the path and its rights")
    matches = (path for path in glob.iglob(text, recursive=True) if _is(Path.is_file, path))
    paths = sorted(str(Path(path).absolute()) for path in matches)
    if not paths:
        raise SourceError.cannot(text, "no file matches this pattern", "Check the pattern and the folder")
    return paths


def _is(what: Callable[[Path], bool], text: str) -> bool:
    try:
        return what(Path(text))
    except OSError:  # a name that is too long, or a folder that may not be entered
        return False


def _kind(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
        packed = True
    else:
        packed = False
    kind = _KINDS.get(suffixes[-1]) if suffixes else None
    if kind is None or (packed and kind not in ("csv", "json", "lines")):
        raise SourceError.cannot(Path(path).name, "this suffix says nothing about what the file holds", _ADVICE)
    return kind
