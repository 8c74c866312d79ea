"""The locked door: whatever the SQL says, it reads the source and nothing else, in time, in constant words."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

from twoworlds.engines import ENGINES, Opened, opened
from twoworlds.errors import ArgumentError, ArgumentTypeError, DeadlineError, QueryError, TwoWorldsError


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    duckdb.connect().execute(f"COPY (SELECT range AS i, 'secret ' || range AS s FROM range(100)) TO '{path}'")
    (tmp_path / "b.csv").write_text("other\n1\n")
    return path


@pytest.fixture
def source(parquet: Path) -> Iterator[Opened]:
    with opened(parquet) as table:
        yield table


# each is tried on the bare connection, as if nothing of ours stood before it
CLOSED = [
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM '{folder}/b.csv'",
    "SELECT * FROM '{folder}/../{name}/b.csv'",
    "SELECT * FROM '{folder}/a.parquet/../b.csv'",
    "SELECT * FROM '{folder}/*.csv'",
    "SELECT * FROM 'http://127.0.0.1:1/a.parquet'",
    "SELECT * FROM 's3://bucket/a.parquet'",
    "ATTACH '{folder}/new.duckdb'",
    "ATTACH 'http://127.0.0.1:1/x.duckdb'",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "EXPORT DATABASE '{folder}/out'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "INSTALL spatial FROM community",
    "SET enable_external_access = true",
    "SET allowed_paths = ['/etc/passwd']",
    "SET allowed_directories = ['/']",
    "SET threads = 64",
    "SET memory_limit = '64GB'",
    "RESET memory_limit",
    "PRAGMA threads = 4",
    "SET lock_configuration = false",
    "SET python_enable_replacements = true",
    "SET TimeZone = 'America/New_York'",
    "SET SESSION errors_as_json = true",
    "SELECT getenv('HOME')",
    "SELECT * FROM local_variable_of_the_program",
    "CREATE PERSISTENT SECRET s (TYPE s3)",
]


@pytest.mark.parametrize("sql", CLOSED)
def test_the_connection_itself_is_closed(source: Opened, parquet: Path, sql: str) -> None:
    local_variable_of_the_program = {"x": np.arange(3)}
    text = sql.format(folder=parquet.parent, name=parquet.parent.name)
    before = sorted(os.listdir(parquet.parent))
    with pytest.raises(duckdb.Error):
        source._session.connection.execute(text).fetchall()
    with pytest.raises(TwoWorldsError):
        source.run(text)
    assert sorted(os.listdir(parquet.parent)) == before
    assert local_variable_of_the_program


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)",
        "WITH x AS (COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)) SELECT 1",
        "WITH RECURSIVE x AS (COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)) SELECT 1",
        "SELECT * FROM (WITH x AS (COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)) SELECT 1)",
        "SELECT 1) AS a; COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false); SELECT * FROM (SELECT 1",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)",
        "PREPARE x AS COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)",
        "SELECT * FROM query('COPY (SELECT 1) TO ''{path}''')",
    ],
)
def test_a_source_cannot_be_written_to(source: Opened, parquet: Path, sql: str) -> None:
    """The engine lets a query write to a file that it may read."""
    before = parquet.read_bytes()
    with pytest.raises((QueryError, ArgumentError)):
        source.run(sql.format(path=parquet))
    assert parquet.read_bytes() == before


@pytest.mark.parametrize(
    "sql",
    [
        "DROP VIEW data",
        "CREATE TABLE t AS SELECT 1",
        "INSERT INTO held VALUES (1)",
        "WITH x AS (DELETE FROM held RETURNING *) SELECT * FROM x",
        "WITH x AS (INSERT INTO held SELECT * FROM held RETURNING *) SELECT * FROM x",
        "SELECT 1; SELECT 2",
        "",
        ";",
        "PRAGMA database_list",
        "CALL pragma_version()",
    ],
)
def test_only_reading_is_run(sql: str) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with opened(pyarrow.table({"x": [1, 2]}).to_reader()) as held:  # a stream, so it is a table in the engine
        with pytest.raises((ArgumentError, QueryError)):
            held.run(sql)
        assert held.run("SELECT count(*) AS n FROM data")["n"].tolist() == [2]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT CAST(s AS INTEGER) AS x FROM data",
        "SELECT error(s) AS x FROM data",
        "SELECT (SELECT s FROM data) AS x",
        "SELECT i // (i - 42) AS x FROM data",
        "SELECT sum(i::HUGEINT * 170141183460469231731687303715884105) AS x FROM data",
        "SELECT s::DATE AS x FROM data",
        "SELECT strptime(s, '%Y') AS x FROM data",
    ],
)
def test_no_value_is_in_a_message(source: Opened, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        source.run(sql)
    seen: BaseException | None = caught.value
    while seen is not None:
        assert "secret" not in str(seen)
        assert "42" not in str(seen)
        seen = seen.__context__ or seen.__cause__
    assert source.run("SELECT count(*) AS n FROM data")["n"].tolist() == [100]


def test_a_deadline_stops_a_query_and_no_other() -> None:
    endless = "SELECT count(*) AS n FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3"
    with opened({"x": np.arange(3)}, deadline=0.3) as table:
        for _ in range(3):
            start = time.monotonic()
            with pytest.raises(DeadlineError, match="deadline="):
                table.run(endless)
            assert time.monotonic() - start < 20
            assert table.run("SELECT sum(x) AS s FROM data")["s"].tolist() == [3]
        with pytest.raises(TimeoutError):
            table.run(endless, deadline=0.1)


def test_memory_is_capped() -> None:
    hungry = "SELECT length(l) AS n FROM (SELECT list(i) AS l FROM range(100000000) t(i))"
    with opened({"x": np.arange(3)}, memory="100MB", spill=False) as table:
        with pytest.raises(QueryError, match="memory="):
            table.run(hungry)
        assert table.run("SELECT sum(x) AS s FROM data")["s"].tolist() == [3]


def test_what_does_not_fit_in_memory_goes_to_a_private_folder_for_a_while(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.connect().execute(f"COPY (SELECT range::VARCHAR || 'abcdefghijk' AS s FROM range(3000000)) TO '{path}'")
    groups = "SELECT count(*) AS n FROM (SELECT s, count(*) FROM data GROUP BY s)"
    with opened(path, memory="100MB", threads=2) as table:
        folder = Path(table._session.folder)
        assert folder.stat().st_mode & 0o077 == 0
        assert table.run(groups)["n"].tolist() == [3_000_000]
    assert not folder.exists()


def test_a_source_that_nobody_closes_leaves_nothing() -> None:
    table = opened({"x": np.arange(3)})
    folder = Path(table._session.folder)
    assert folder.is_dir()
    del table
    gc.collect()
    assert not folder.exists()


def test_threads_wait_for_each_other(source: Opened) -> None:
    found: list[int] = []

    def ask() -> None:
        for _ in range(20):
            found.append(int(source.run("SELECT sum(i) AS s FROM data")["s"][0]))

    workers = [threading.Thread(target=ask) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [4950] * 80


def test_the_answer_does_not_depend_on_threads(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    duckdb.connect().execute(f"COPY (SELECT range AS i, range % 7 AS k FROM range(300000)) TO '{path}'")
    sums = []
    for threads in (1, 2, 8):
        with opened(path, threads=threads) as table:
            sums.append(table.run("SELECT k, sum(i) AS s FROM data GROUP BY k ORDER BY k")["s"].tolist())
    assert sums[0] == sums[1] == sums[2]


def test_arguments_are_checked(parquet: Path) -> None:
    for bad in ({"memory": "much"}, {"memory": "1GB'; --"}, {"threads": 0}, {"deadline": 0}, {"deadline": -1}):
        with pytest.raises(ArgumentError):
            opened(parquet, **bad)
    for wrong in ({"memory": 3}, {"threads": 1.5}, {"deadline": None}):
        with pytest.raises(ArgumentTypeError):
            opened(parquet, **wrong)
    with opened(parquet, name='my "data"') as table:
        assert table.run('SELECT count(*) AS n FROM "my ""data"""')["n"].tolist() == [100]
        with pytest.raises(ArgumentTypeError):
            table.run(3)  # type: ignore[arg-type]
        assert list(table.run('SELECT i AS a, i AS "A", i::HUGEINT AS a FROM "my ""data"""')) == ["a", "A_1", "a_2"]
        with pytest.raises(QueryError, match="CatalogException"):
            table.run("SELECT nothing FROM data_")


def test_a_closed_source_says_so(parquet: Path) -> None:
    table = opened(parquet)
    table.close()
    table.close()
    with pytest.raises(QueryError):
        table.run("SELECT 1 AS x")


def test_big_files_are_read_in_pieces(tmp_path: Path) -> None:
    """64 MB of rows through a cap of 20 MB."""
    path = tmp_path / "a.parquet"
    duckdb.connect().execute(f"COPY (SELECT range AS i, hash(range) AS h FROM range(4000000)) TO '{path}'")
    with opened(path, memory="20MB", threads=1, spill=False) as table:
        answer = table.run("SELECT i % 10 AS k, count(*) AS n, sum(i) AS s FROM data GROUP BY k")
        assert sum(answer["s"].tolist()) == 4_000_000 * 3_999_999 // 2


def test_engines_are_alike() -> None:
    """Small and parallel: the same names in each, with the same arguments."""
    import inspect

    signatures = [str(inspect.signature(engine.opened)).split("*", 1)[1] for engine in ENGINES]
    assert len(set(signatures)) == 1
    assert all(callable(engine.accepts) for engine in ENGINES)
    assert [engine.accepts("a.csv") for engine in ENGINES] == [True, False]
    assert [engine.accepts({"x": [1]}) for engine in ENGINES] == [False, True]
