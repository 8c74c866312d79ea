"""Tables in memory: types are those declared, odd values are NULL, and nothing of them is in a refusal."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from twoworlds.engines import opened, sniffed
from twoworlds.errors import ArgumentError, ArgumentTypeError, SourceError


def _read(source: Any, **how: Any) -> dict[str, list[Any]]:
    with opened(source, **how) as table:
        return {name: column.tolist() for name, column in table.run("SELECT * FROM data").items()}


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", ">i8", ">u2"])
def test_integers_are_exact(dtype: str) -> None:
    ends = np.iinfo(dtype)
    with opened({"x": np.array([ends.min, 0, ends.max], dtype=dtype)}) as table:
        assert table.schema.columns == {"x": "integer"}
        assert table.run("SELECT * FROM data")["x"].tolist() == [ends.min, 0, ends.max]


def test_integers_above_63_bits_are_exact() -> None:
    with opened({"x": np.array([2**64 - 1, 2**63, 1], dtype=np.uint64)}) as table:
        assert table.schema.columns == {"x": "decimal(20,0)"}
        assert table.run("SELECT x FROM data")["x"].tolist() == [2**64 - 1, 2**63, 1]
        assert table.run("SELECT sum(x) AS s FROM data")["s"].tolist() == [2**64 + 2**63]


def test_integers_add_up_exactly() -> None:
    """128 ones in 8 bits, and what a double cannot hold."""
    ones = {"x": np.ones(128, dtype=np.int8), "y": np.full(128, 2**53 + 1)}
    with opened(ones) as table:
        answer = table.run("SELECT sum(x) AS x, sum(y) AS y FROM data")
        assert (answer["x"][0], answer["y"][0]) == (128, 128 * (2**53 + 1))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", ">f8"])
def test_floats_are_finite_or_null(dtype: str) -> None:
    values = np.array([1.5, np.nan, np.inf, -np.inf, -0.0], dtype=dtype)
    assert _read({"x": values})["x"] == [1.5, None, None, None, 0.0]
    with opened({"x": values}) as table:
        assert not np.signbit(table.run("SELECT x FROM data")["x"][4])
        groups = table.run("SELECT x, count(*) AS n FROM data GROUP BY x ORDER BY x")
        assert groups["x"].tolist() == [0.0, 1.5, None]


def test_other_arrays() -> None:
    source = {
        "b": np.array([True, False]),
        "d": np.array(["2024-02-29", "NaT"], dtype="datetime64[D]"),
        "s": np.array(["2024-02-29T01:02:03", "NaT"], dtype="datetime64[s]"),
        "n": np.array(["2024-02-29T01:02:03.5", "9999-01-01"], dtype="datetime64[ms]"),
        "u": np.array(["a", "b"]),
        "y": np.array([b"a", b"\xff"]),
        "m": np.ma.MaskedArray([1, 2], mask=[False, True]),
        "r": np.arange(4)[::-2],
        "t": (1, "x"),
    }
    assert _read(source) == {
        "b": [True, False],
        "d": [datetime.date(2024, 2, 29), None],
        "s": [datetime.datetime(2024, 2, 29, 1, 2, 3), None],
        "n": [datetime.datetime(2024, 2, 29, 1, 2, 3, 500000), datetime.datetime(9999, 1, 1)],
        "u": ["a", "b"],
        "y": ["a", "\\xff"],
        "m": [1, None],
        "r": [3, 1],
        "t": ["1", "x"],
    }


def test_lists_are_text_unless_told_otherwise() -> None:
    source = {"x": [1, None, 3], "y": ["1", "z", float("nan")]}
    assert _read(source) == {"x": ["1", None, "3"], "y": ["1", "z", None]}
    assert _read(source, schema={"x": "integer", "y": "integer"}) == {"x": [1, None, 3], "y": [1, None, None]}
    with opened(source, sniff=True) as table:
        assert table.sniffed
        assert table.schema.columns == {"x": "integer", "y": "text"}
    with opened({"x": np.array([1])}, sniff=True) as table:
        assert not table.sniffed


def test_what_lists_are_guessed_to_be() -> None:
    day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 1)
    source = {"i": [1], "f": [1.5], "b": [True], "d": [day], "m": [moment], "s": ["x"], "n": [None], "c": [Decimal(1)]}
    assert list(sniffed(source).columns.values()) == [
        "integer",
        "float",
        "boolean",
        "date",
        "timestamp",
        "text",
        "text",
        "text",
    ]
    assert sniffed({"x": [1, 2.5], "y": [1, "x"]}).columns == {"x": "float", "y": "text"}
    assert _read(source, sniff=True)["m"] == [moment]


def test_a_late_odd_value_does_not_change_a_type() -> None:
    """An engine that guesses from the first rows would fail on the last."""
    values = np.array([None] * 5000 + ["late"], dtype=object)
    assert _read({"x": values})["x"][-1] == "late"
    assert _read({"x": [1] * 5000 + ["late"]}, schema={"x": "integer"})["x"][-1] is None


def test_odd_text() -> None:
    texts = ["", "a\0b", "\ud800", "é", "e\u0301", "'; DROP TABLE data; --", "x" * 100_000]
    assert _read({"x": texts})["x"] == [*texts[:2], "\\ud800", *texts[3:]]


@pytest.mark.parametrize(
    "names", [["select"], ['a"b'], ["a b", "ä", "1", "'", "\n", "a;--"], ["values0", "gone0", "v"]]
)
def test_names_that_need_quotes(names: list[str]) -> None:
    source = {name: np.arange(3) + place for place, name in enumerate(names)}
    assert _read(source) == {name: column.tolist() for name, column in source.items()}


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ({}, ArgumentError),
        ({"x": np.zeros((2, 2))}, ArgumentError),
        ({"x": np.zeros(2), "y": np.zeros(3)}, ArgumentError),
        ({"x": np.zeros(2), "X": np.zeros(2)}, ArgumentError),
        ({"": np.zeros(2)}, ArgumentError),
        ({3: np.zeros(2)}, ArgumentTypeError),
        ({"x": np.zeros(2, dtype=complex)}, ArgumentTypeError),
        ({"x": np.zeros(2, dtype="timedelta64[s]")}, ArgumentTypeError),
        ({"x": "abc"}, ArgumentTypeError),
        ({"x": 3}, ArgumentTypeError),
        (3, ArgumentTypeError),
        ([], ArgumentTypeError),
        (None, ArgumentTypeError),
    ],
)
def test_what_is_refused(source: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        opened(source)


def test_an_empty_table_is_a_table() -> None:
    assert _read({"x": np.array([], dtype=int), "y": []}) == {"x": [], "y": []}


class _Broken:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise ValueError("secret 4711")


def test_a_frame_that_fails_says_nothing_of_its_data() -> None:
    with pytest.raises(SourceError) as caught:
        opened(_Broken())
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_polars() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(
        {
            "i": [1, None, 3],
            "u": polars.Series([2**64 - 1, 0, 1], dtype=polars.UInt64),
            "f": [1.5, float("nan"), float("inf")],
            "s": ["x", None, "z"],
            "c": polars.Series(["p", "q", "p"], dtype=polars.Categorical),
            "d": [datetime.date(2024, 2, 29), None, datetime.date(1, 1, 1)],
            "z": polars.Series([datetime.datetime(2024, 1, 1)] * 3).dt.replace_time_zone("Europe/Amsterdam"),
        }
    )
    right = {
        "i": [1, None, 3],
        "u": [2**64 - 1, 0, 1],
        "f": [1.5, None, None],
        "s": ["x", None, "z"],
        "c": ["p", "q", "p"],
        "d": [datetime.date(2024, 2, 29), None, datetime.date(1, 1, 1)],
        "z": [datetime.datetime(2023, 12, 31, 23)] * 3,
    }
    assert _read(frame) == right
    with opened(frame) as table:
        for _ in range(2):  # a frame is read again for each query
            assert table.run("SELECT count(*) AS n FROM data")["n"].tolist() == [3]


def test_pyarrow() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    right = {"i": [1, None], "s": ["x", "y"]}
    table = pyarrow.table(right)
    for source in (table, table.to_batches()[0], table.to_reader()):
        assert _read(source) == right
    with opened(table.to_reader()) as stream:
        for _ in range(2):  # a stream runs out: it is copied
            assert stream.run("SELECT sum(i) AS n FROM data")["n"].tolist() == [1]
    again = pyarrow.table([pyarrow.array([1]), pyarrow.array([2])], names=["x", "X"])
    with opened(again) as both:
        assert len(both.schema.names) == 2


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(
        {
            "i": [1, 2, 3],
            "n": pandas.array([1, None, 3], dtype="Int64"),
            "f": [1.5, np.nan, np.inf],
            "o": ["x", None, 3],
            "c": pandas.Categorical(["p", "q", None]),
            "t": pandas.to_datetime(["2024-02-29", None, "2024-01-01"]),
            "z": pandas.to_datetime(["2024-01-01 00:00"] * 3).tz_localize("Europe/Amsterdam"),
            "b": pandas.array([True, None, False], dtype="boolean"),
        },
        index=[7, 8, 9],
    )
    assert _read(frame) == {
        "i": [1, 2, 3],
        "n": [1, None, 3],
        "f": [1.5, None, None],
        "o": ["x", None, "3"],
        "c": ["p", "q", None],
        "t": [datetime.datetime(2024, 2, 29), None, datetime.datetime(2024, 1, 1)],
        "z": [datetime.datetime(2023, 12, 31, 23)] * 3,
        "b": [True, None, False],
    }
    with pytest.raises(ArgumentError, match="up to case"):
        opened(pandas.DataFrame([[1, 2]], columns=["a", "a"]))
