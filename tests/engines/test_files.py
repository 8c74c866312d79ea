"""Paths and globs: what they name, and what is refused before anything is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from twoworlds.engines.files import found, is_path
from twoworlds.errors import ArgumentTypeError, SourceError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "a.csv",
        "b.csv",
        "c[1].csv",
        "d.csv.gz",
        "t.tsv",
        "e.parquet",
        "f.duckdb",
        "g.txt",
        "UP.CSV",
        "x::y.csv",
    ):
        (tmp_path / name).write_text("")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "h.csv").write_text("")
    return tmp_path


def _names(source: object) -> list[str]:
    return [Path(path).name for path in found(source).paths]


def test_paths_globs_and_lists(folder: Path) -> None:
    assert _names(folder / "a.csv") == _names(str(folder / "a.csv")) == ["a.csv"]
    assert _names([folder / "b.csv", folder / "a.csv", folder / "b.csv"]) == ["b.csv", "a.csv"]
    assert _names(str(folder / "[ab].csv")) == ["a.csv", "b.csv"]
    assert _names(folder / "c[1].csv") == ["c[1].csv"]
    assert _names(str(folder / "**" / "h.csv")) == ["h.csv"]
    assert found(folder / "UP.CSV").kind == found(folder / "d.csv.gz").kind == "csv"
    assert found(folder / "t.tsv").tabs
    assert found(f"{folder}/f.duckdb::t").table == "t"


def test_a_path_does_not_follow_the_working_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (path,) = found("a.csv").paths
    assert path == str(folder / "a.csv")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.csv", "no such file"),
        ("*.json", "no file matches"),
        ("deep", "folder"),
        ("g.txt", "suffix"),
        ("f.duckdb", "holds many tables"),
        ("a.csv::t", "file.duckdb::table"),
        ("none.duckdb::t", "no such file"),
        ("f.duckdb::", "file.duckdb::table"),
        ("x" * 5000 + ".csv", "no such file"),
        ("https://example.org/a.csv", "remote"),
        ("s3://bucket/a.parquet", "remote"),
        ("a\0.csv", "cannot be the name"),
    ],
)
def test_what_is_refused(folder: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SourceError, match=says):
        found(name)


def test_files_of_two_kinds_are_refused(folder: Path) -> None:
    with pytest.raises(SourceError, match="different kinds"):
        found([folder / "a.csv", folder / "e.parquet"])
    with pytest.raises(ArgumentTypeError):
        found([b"a.csv"])


def test_a_list_of_paths_is_a_path() -> None:
    assert is_path("a")
    assert is_path(["a", Path("b")])
    assert not is_path([])
    assert not is_path(["a", 3])
    assert not is_path({"a": [1]})
