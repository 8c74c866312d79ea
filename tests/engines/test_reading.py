"""How files are read: what is declared, what is left out, and that no value is in a refusal."""

from __future__ import annotations

import datetime
import gzip
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from twoworlds.engines import Dialect, Schema, opened, sniffed
from twoworlds.errors import ArgumentError, QueryError, SourceError, UnknownNameError


def _read(source: Any, sql: str = "SELECT * FROM data", **how: Any) -> dict[str, list[Any]]:
    with opened(source, **how) as table:
        return {name: column.tolist() for name, column in table.run(sql).items()}


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text('id,name,x\n1,"a, b",1.5\n2,,nan\nx,"say ""hi""",inf\n4,z,-0.0\n')
    return path


def test_a_csv_is_text(csv: Path) -> None:
    assert _read(csv) == {
        "id": ["1", "2", "x", "4"],
        "name": ["a, b", None, 'say "hi"', "z"],
        "x": ["1.5", "nan", "inf", "-0.0"],
    }


def test_a_csv_in_its_schema(csv: Path) -> None:
    right = {"id": [1, 2, None, 4], "x": [1.5, None, None, 0.0]}
    for schema in ({"id": "integer", "x": "float"}, Schema({"id": "integer", "x": "float"})):
        assert _read(csv, schema=schema) == right
    (csv.parent / "s.toml").write_text('[columns]\nX = "decimal(3,1)"\n')
    assert _read(csv, schema=csv.parent / "s.toml") == {"X": [Decimal("1.5"), None, None, Decimal("0.0")]}
    with pytest.raises(UnknownNameError, match="Those that exist: id, name, x"):
        opened(csv, schema={"age": "integer"})


def test_what_is_guessed_is_said(csv: Path) -> None:
    with opened(csv) as table:
        assert not table.sniffed
    csv.write_text("id;day;x\n1;2024-02-29;1.5\n2;2024-03-01;2\n")
    with opened(csv, sniff=True) as table:
        assert table.sniffed
        assert table.schema == Schema({"id": "integer", "day": "date", "x": "float"}, Dialect(delimiter=";"))
        assert table.run("SELECT day FROM data")["day"].tolist()[0] == datetime.date(2024, 2, 29)
    again = Schema.from_toml(sniffed(csv).toml())
    assert _read(csv, schema=again)["id"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2\n3\n4,5\n", 2),  # too short
        ("a,b\n1,2\n3,4,5\n", 2),  # too long: the rest is dropped
        ("a,b\r\n1,2\r\n", 1),
        ("\ufeffa,b\n1,2\n", 1),
        ("a,b\n", 0),
        ("a,b", 0),
        ("a,b\n\n1,2\n\n", 1),
    ],
)
def test_lines_that_cannot_be_read_are_left_out(tmp_path: Path, text: str, rows: int) -> None:
    (tmp_path / "a.csv").write_text(text, newline="")
    read = _read(tmp_path / "a.csv")
    assert list(read) == ["a", "b"]
    assert len(read["a"]) == rows


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a,b\n1,x\n2,\xff\xfe\n3,z\n")
    assert _read(tmp_path / "a.csv") == {"a": ["1", "3"], "b": ["x", "z"]}
    latin = Schema({"a": "integer", "b": "text"}, Dialect(encoding="latin-1"))
    (tmp_path / "a.csv").write_bytes("a,b\n1,é\n".encode("latin-1"))
    assert _read(tmp_path / "a.csv", schema=latin) == {"a": [1], "b": ["é"]}


BAD = [b"2,\xff", b"3", b'"4"x,q', b'x"5",q', b"6,q,7,8", b"", b"7,\0", b'8,"\xff"', b"\xff,9", b"9,q\r", b'"a""",1']


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_line_changes_no_other(tmp_path: Path, bad: bytes) -> None:
    good = [b"%d,q" % i for i in range(100, 120)]
    (tmp_path / "a.csv").write_bytes(b"\n".join([b"a,b", *good[:10], bad, *good[10:]]) + b"\n")
    for schema in (None, {"a": "integer"}, {"b": "text"}):
        with opened(tmp_path / "a.csv", schema=schema) as table:
            counts = [int(table.run(f"SELECT {sql} AS n FROM data")["n"][0]) for sql in ("count(*)", "count(1)")]
            assert counts[0] == counts[1] in (20, 21)
            for name in table.schema.names:
                column = table.run(f"SELECT {name} FROM data")[name].tolist()
                assert len(column) == counts[0]
                kept = {"a": [str(i) for i in range(100, 120)], "b": ["q"] * 20}[name]
                rest = [str(value) for value in column]
                for value in kept:
                    rest.remove(value)


def test_a_csv_is_the_same_with_any_number_of_threads(tmp_path: Path) -> None:
    """Long enough to be split, with line ends inside quotes and bad lines between."""
    lines = [b'%d,"x\ny, %d"' % (i, i) if i % 3 else b"%d,plain" % i for i in range(400_000)]
    for place, bad in enumerate(BAD):
        lines[37_000 * place + 5] = bad
    (tmp_path / "a.csv").write_bytes(b"\n".join([b"a,b", *lines]))
    sums = "SELECT count(*) AS n, sum(hash(a)) AS a, sum(hash(b)) AS b FROM data"
    read = [_read(tmp_path / "a.csv", sums, threads=threads) for threads in (1, 2, 8)]
    assert read[0] == read[1] == read[2]
    assert read[0]["n"][0] >= 400_000 - len(BAD)


def test_a_cast_never_leaves_out_a_row(tmp_path: Path) -> None:
    """An engine that casts while it reads the file would drop the row, or not, by what else is asked."""
    (tmp_path / "a.csv").write_text("a,b\n1,x\ny,2\nz,w\n")
    kinds = ["integer", "float", "decimal(9,2)", "date", "timestamp", "boolean"]
    for kind in kinds:
        with opened(tmp_path / "a.csv", schema={"a": kind, "b": kind}) as table:
            for sql in (
                "count(*)",
                "count(a) * 0 + count(*)",
                "count(b) * 0 + count(a) * 0 + count(*)",
                "count(coalesce(a, b)) * 0 + count(*)",
            ):
                assert table.run(f"SELECT {sql} AS n FROM data")["n"].tolist() == [3]
            assert len(table.run("SELECT b FROM data")["b"]) == 3
            assert table.run("SELECT count(*) AS n FROM data WHERE a IS NULL AND b IS NULL")["n"][0] >= 1


def test_a_bad_value_far_down_is_null(tmp_path: Path) -> None:
    lines = [f"{i},{i}" for i in range(30_000)] + ["secret,7", "30001,8"]
    (tmp_path / "a.csv").write_text("\n".join(["a,b", *lines]))
    count = "SELECT count(*) AS n, count(a) AS known, sum(b) AS b FROM data"
    for how in ({"schema": {"a": "integer", "b": "integer"}}, {"sniff": True}):
        assert _read(tmp_path / "a.csv", count, **how) == {"n": [30002], "known": [30001], "b": [449985015]}


@pytest.mark.parametrize("header", ["a,a\n1,2\n", "a,A\n1,2\n", "", "\n", "\udcff,b\n1,2\n"])
def test_headers_that_are_refused(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.csv").write_text(header, errors="surrogateescape")
    with pytest.raises(ArgumentError):
        opened(tmp_path / "a.csv")


def test_names_that_need_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('select,"a ""b""",it\'s,,"x,y"\n1,2,3,4,5\n')
    assert _read(tmp_path / "a.csv") == {"select": ["1"], 'a "b"': ["2"], "it's": ["3"], "column3": ["4"], "x,y": ["5"]}


def test_several_files_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "b.csv").write_text("a,b\n3,4\n")
    with gzip.open(tmp_path / "c.csv.gz", "wt") as packed:
        packed.write("a,b\n5,6\n")
    assert sorted(_read(str(tmp_path / "?.csv*"))["a"]) == ["1", "3", "5"]
    (tmp_path / "b.csv").write_text("b,a\n3,4\n")
    with pytest.raises(SourceError, match="same columns"):
        opened(str(tmp_path / "*.csv"))
    (tmp_path / "t.tsv").write_text("a\tb\n1,5\t2\n")
    assert _read(tmp_path / "t.tsv") == {"a": ["1,5"], "b": ["2"]}


def test_names_with_quotes_and_brackets(tmp_path: Path) -> None:
    for name in ("it's.csv", "c[1].csv", "a;b --.csv", "ü.csv"):
        (tmp_path / name).write_text("a\n1\n")
        assert _read(tmp_path / name) == {"a": ["1"]}


def test_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"a": 1, "b": "x"}, {"a": "s", "c": {"z": 1}}, {"b": true}]')
    assert _read(tmp_path / "a.json")["a"] == ["1", "s", None]
    assert _read(tmp_path / "a.json", schema={"a": "integer", "c": "text"}) == {
        "a": [1, None, None],
        "c": [None, '{"z":1}', None],
    }
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n{broken secret\n{"a": 3}\n')
    assert [a for a in _read(tmp_path / "a.jsonl")["a"] if a] == ["1", "3"]
    assert sniffed(tmp_path / "a.jsonl").columns == {"a": "integer"}
    (tmp_path / "a.json").write_text('[{"a": "secret 4711"')
    with pytest.raises((SourceError, QueryError)) as caught:
        _read(tmp_path / "a.json")
    assert "secret" not in str(caught.value)


PARQUET = """
    SELECT 255::UTINYINT AS u8, 18446744073709551615::UBIGINT AS u64, 1.25::DECIMAL(9,2) AS d,
    170141183460469231731687303715884105727::HUGEINT AS h,
    'nan'::DOUBLE AS nan, 'inf'::FLOAT AS inf, '-0.0'::DOUBLE AS zero, DATE '2024-02-29' AS day,
    'infinity'::DATE AS far, TIMESTAMP '2024-02-29 01:02:03' AS moment, TIMESTAMPTZ '2024-02-29 02:00:00+02' AS zone,
    NULL::INTEGER AS gap, [1, 2] AS list, '\\xFF'::BLOB AS bytes, TRUE AS yes, 'x' AS "select"
"""


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.connect().execute(f"COPY ({PARQUET}) TO '{path}'")
    with opened(path) as table:
        assert list(table.schema.columns.values()) == [
            *("integer", "decimal(20,0)", "decimal(9,2)", "float", "float", "float", "float", "date", "date"),
            *("timestamp", "timestamp", "integer", "text", "text", "boolean", "text"),
        ]
        row = {name: column.tolist()[0] for name, column in table.run("SELECT * FROM data").items()}
    assert (row["u8"], row["u64"], row["d"]) == (255, 2**64 - 1, Decimal("1.25"))
    assert [row[name] for name in ("nan", "inf", "zero", "far", "gap")] == [None, None, 0.0, None, None]
    assert row["zone"] == datetime.datetime(2024, 2, 29)
    assert (row["day"], row["bytes"], row["yes"], row["select"]) == (datetime.date(2024, 2, 29), "\\xFF", True, "x")
    assert sniffed(path).columns["u64"] == "decimal(20,0)"
    assert _read(path, schema={"u64": "integer", "h": "text", "day": "integer"}) == {
        "u64": [None],
        "h": ["1.7014118346046923e+38"],
        "day": [None],
    }


def test_parquet_files_whose_columns_drift(tmp_path: Path) -> None:
    engine = duckdb.connect()
    engine.execute(f"COPY (SELECT 1 AS a, 'x' AS b) TO '{tmp_path}/1.parquet'")
    engine.execute(f"COPY (SELECT 'y' AS b, 2::BIGINT AS a) TO '{tmp_path}/2.parquet'")
    assert _read(str(tmp_path / "*.parquet"), "SELECT * FROM data ORDER BY a") == {"a": [1, 2], "b": ["x", "y"]}


def test_database_files(tmp_path: Path) -> None:
    path = tmp_path / "f.duckdb"
    with duckdb.connect(str(path)) as engine:
        engine.execute('CREATE TABLE "my t" AS SELECT 1 AS a; CREATE SCHEMA s; CREATE VIEW s.v AS SELECT 2 AS a')
        engine.execute("CREATE VIEW outside AS SELECT * FROM read_text('/etc/hostname')")
    assert _read(f"{path}::my t") == {"a": [1]}
    assert _read(f"{path}::S.V") == {"a": [2]}
    with pytest.raises(UnknownNameError, match=r"no table .none.*: my t"):
        opened(f"{path}::none")
    with pytest.raises(SourceError):
        opened(f"{path}::outside")


@pytest.mark.parametrize("name", ["a.parquet", "a.duckdb::t", "a.csv.gz", "a.json"])
def test_files_that_are_not_what_they_say(tmp_path: Path, name: str) -> None:
    (tmp_path / name.partition("::")[0]).write_text("secret 4711, not this")
    with pytest.raises(SourceError, match="cannot be read as what its name says") as caught:
        opened(f"{tmp_path}/{name}")
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_file_that_vanishes_or_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    with opened(path) as table:
        path.unlink()
        with pytest.raises(QueryError, match="vanished"):
            table.run("SELECT * FROM data")


def test_invalid_text_in_parquet_is_not_quoted(tmp_path: Path) -> None:
    """A column that says it is text and is not: the engine's message would quote it."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    raw = pyarrow.array([b"secret\xff"], type=pyarrow.binary())
    parquet.write_table(pyarrow.table({"x": raw.view(pyarrow.string())}), tmp_path / "a.parquet")
    with opened(tmp_path / "a.parquet") as table, pytest.raises(QueryError) as caught:
        table.run("SELECT * FROM data")
    assert "secret" not in str(caught.value)
