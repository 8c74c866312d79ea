"""What comes back from an engine: masked NumPy columns, exact, with one meaning of NULL."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pytest

from twoworlds.engines import Opened, opened


@pytest.fixture(scope="module")
def source() -> Iterator[Opened]:
    with opened({"one": np.array([1])}) as table:
        yield table


@pytest.mark.parametrize(
    ("sql", "dtype", "value"),
    [
        ("127::TINYINT", "int64", 127),
        ("65535::USMALLINT", "int64", 65535),
        ("4294967295::UINTEGER", "int64", 2**32 - 1),
        ("(-9223372036854775808)::BIGINT", "int64", -(2**63)),
        ("18446744073709551615::UBIGINT", "uint64", 2**64 - 1),
        ("170141183460469231731687303715884105727::HUGEINT", "object", 2**127 - 1),
        ("12345678901234567890.123::DECIMAL(38,3)", "object", Decimal("12345678901234567890.123")),
        ("1.5::DOUBLE", "float64", 1.5),
        ("0.5::FLOAT", "float64", 0.5),
        ("TRUE", "bool", True),
        ("'x'", "object", "x"),
        ("DATE '2024-02-29'", "datetime64[D]", np.datetime64("2024-02-29")),
        ("TIMESTAMP '2024-02-29 01:02:03.000004'", "datetime64[us]", np.datetime64("2024-02-29T01:02:03.000004")),
        ("TIMESTAMP_NS '2024-02-29 00:00:00'", "datetime64[us]", np.datetime64("2024-02-29")),
        ("TIMESTAMPTZ '2024-02-29 02:00:00+02'", "datetime64[us]", np.datetime64("2024-02-29")),
        ("[1, 2]", "object", "[1, 2]"),
        ("TIME '01:02:03'", "object", "01:02:03"),
        ("'u'::ENUM('u')", "object", "u"),
        ("'a'::BLOB", "object", "a"),
    ],
)
def test_types(source: Opened, sql: str, dtype: str, value: object) -> None:
    for rows in (f"SELECT {sql} AS x", f"SELECT {sql} AS x UNION ALL SELECT NULL"):
        column = source.run(rows)["x"]
        assert isinstance(column, np.ma.MaskedArray)
        assert column.dtype == dtype
        assert column[~column.mask][0] == value
        assert column.mask.sum() == len(column) - 1


def test_what_stands_under_the_mask(source: Opened) -> None:
    kinds = {
        "BIGINT": 0,
        "DOUBLE": np.nan,
        "VARCHAR": None,
        "BOOLEAN": False,
        "HUGEINT": None,
        "DATE": np.datetime64("NaT", "us"),
    }
    for kind, under in kinds.items():
        column = source.run(f"SELECT NULL::{kind} AS x")["x"]
        assert column.mask.tolist() == [True]
        assert column.tolist() == [None]
        np.testing.assert_equal(column.data[0], under)


def test_doubles_are_finite(source: Opened) -> None:
    column = source.run("SELECT unnest(['nan'::DOUBLE, 'inf'::DOUBLE, '-inf'::DOUBLE, 2]) AS x")["x"]
    assert column.tolist() == [None, None, None, 2]


def test_an_empty_answer_has_its_types(source: Opened) -> None:
    answer = source.run("SELECT one, 's' AS s, 1.5 AS d, 1::HUGEINT AS h FROM data WHERE one > 1")
    assert [(name, column.dtype.kind, column.size) for name, column in answer.items()] == [
        ("one", "i", 0),
        ("s", "O", 0),
        ("d", "O", 0),
        ("h", "O", 0),
    ]


def test_the_order_of_an_answer_is_kept(source: Opened) -> None:
    answer = source.run("SELECT i, i::HUGEINT AS h FROM range(50000) t(i) ORDER BY hash(i)")
    again = source.run("SELECT i FROM range(50000) t(i) ORDER BY hash(i)")
    assert answer["i"].tolist() == answer["h"].tolist() == again["i"].tolist()
    assert list(source.run('SELECT 1 AS z, 2 AS "a ""b""", 3 AS m')) == ["z", 'a "b"', "m"]
