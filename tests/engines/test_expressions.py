"""Row expressions: every one of them is total, row-wise and the same each time, or refused with what to write."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds.engines import Opened, Schema, opened, row_expression
from twoworlds.engines.functions import FUNCTIONS
from twoworlds.errors import ArgumentTypeError, ExpressionError, TwoWorldsError, UnknownNameError

TABLE: dict[str, Any] = {
    "a": np.array([1, -2, 0, 2**63 - 1, -(2**63)]),
    "b": np.array([0, 3, 5, 2, -1]),
    "f": np.array([1.5, -0.0, np.nan, 1e308, np.inf]),
    "s": np.array(["x", "Ann", None, "it's", "12"], dtype=object),
    "d": np.array(["2020-02-29", "NaT", "9999-12-31", "0001-01-01", "2024-01-01"], dtype="datetime64[D]"),
    "t": np.array(["2020-02-29T12:34:56"] * 5, dtype="datetime64[us]"),
    "k": np.array([True, False, True, False, True]),
    "u": np.array([2**63 + 1, 1, 2, 3, 2**64 - 1], dtype=np.uint64),
    "select": np.arange(5),
    'q"q': np.arange(5),
    "v": np.arange(5),
}


@pytest.fixture(scope="module")
def source() -> Iterator[Opened]:
    with opened(TABLE) as table:
        yield table


def _values(source: Opened, text: str) -> list[Any]:
    checked = row_expression(text, source.schema)
    column = source.run(f"SELECT {checked.sql} AS x FROM data")["x"]
    kinds = {"integer": "i", "float": "f", "boolean": "b", "date": "M", "timestamp": "M"}
    assert column.dtype.kind == kinds.get(checked.type, "O")
    if column.dtype.kind == "f":
        assert not np.any(np.signbit(column.data) & (column.data == 0))
    return column.tolist()  # type: ignore[no-any-return]


BIG = 2**63


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a + b", [1, 1, 5, None, None]),
        ("a * a", [1, 4, 0, None, None]),
        ("a - b", [1, -5, -5, BIG - 3, -BIG + 1]),
        ("-a", [-1, 2, 0, -BIG + 1, None]),
        ("abs(a)", [1, 2, 0, BIG - 1, None]),
        ("a // b", [None, 0, 0, (BIG - 1) // 2, None]),
        ("a % b", [None, -2, 0, 1, 0]),
        ("10 // (b - 3)", [-3, None, 5, -10, -2]),
        ("b / 2", [0.0, 1.5, 2.5, 1.0, -0.5]),
        ("1 / b", [None, 1 / 3, 0.2, 0.5, -1.0]),
        ("0 / b", [None, 0.0, 0.0, 0.0, 0.0]),
        ("f * 10", [15.0, 0.0, None, None, None]),
        ("f - f", [0.0, 0.0, None, 0.0, None]),
        ("-f", [-1.5, 0.0, None, -1e308, None]),
        ("f % 0", [None] * 5),
        ("sqrt(b - 3)", [None, 0.0, 2**0.5, None, None]),
        ("ln(b)", [None, np.log(3), np.log(5), np.log(2), None]),
        ("exp(b * 1000)", [1.0, None, None, None, 0.0]),
        ("pow(b, -1)", [None, 1 / 3, 0.2, 0.5, -1.0]),
        ("log(b * 10)", [None, np.log10(30), np.log10(50), np.log10(20), None]),
        ("round(f, 1)", [1.5, 0.0, None, 1e308, None]),
        ("a::TINYINT", [1, -2, 0, None, None]),
        ("a::UTINYINT", [1, None, 0, None, None]),
        ("f::BIGINT", [2, 0, None, None, None]),
        ("s::INT", [None, None, None, None, 12]),
        ("s::DOUBLE", [None, None, None, None, 12.0]),
        ("TRY_CAST(s AS DATE)", [None] * 5),
        ("'2020-02-31'::DATE", [None] * 5),
        ("'nan'::DOUBLE", [None] * 5),
        ("'infinity'::DATE", [None] * 5),
        ("'2024-01-01 02:00:00+02'::TIMESTAMP", [datetime.datetime(2024, 1, 1)] * 5),
        ("a::DECIMAL(3, 1)", [Decimal("1.0"), Decimal("-2.0"), Decimal("0.0"), None, None]),
        ("k + 1", [2, 1, 2, 1, 2]),
        ("k * 0.5", [0.5, 0.0, 0.5, 0.0, 0.5]),
        ("k = 1", [True, False, True, False, True]),
        ("f > 1", [True, False, None, True, None]),
        ("f IS NULL", [False, False, True, False, True]),
        ("f = f", [True, True, None, True, None]),
        ("a = 1 OR b = 3 OR f > 1", [True, True, None, True, None]),
        ("k AND NOT b > 1", [True, False, False, False, True]),
        ("k IS TRUE", [True, False, True, False, True]),
        ("u = 9223372036854775809", [True, False, False, False, False]),
        ("u > 18446744073709551614", [False, False, False, False, True]),
        ("a IS DISTINCT FROM b", [True] * 5),
        ("a IN (1, 2) OR b NOT IN (0, 3)", [True, False, True, True, True]),
        ("a + 1 IN (2, 3)", [True, False, False, None, False]),
        ("b BETWEEN 0 AND 3", [True, True, False, True, False]),
        ("b + 1 BETWEEN 0 AND 3", [True, False, False, True, True]),
        ("s LIKE '%n%'", [False, True, None, False, False]),
        ("s NOT ILIKE 'ANN'", [True, False, None, True, True]),
        ("lower(s) || '!'", ["x!", "ann!", None, "it's!", "12!"]),
        ("replace(s, 'nn', '''')", ["x", "A'", None, "it's", "12"]),
        ("coalesce(s, 'none')", ["x", "Ann", "none", "it's", "12"]),
        ("nullif(b + 0, 3)", [0, None, 5, 2, -1]),
        ("greatest(a, b)", [1, 3, 5, BIG - 1, -1]),
        ("least(b, f)", [0.0, 0.0, 5.0, 2.0, -1.0]),
        ("if(k, b, 2.5)", [Decimal("0.0"), Decimal("2.5"), Decimal("5.0"), Decimal("2.5"), Decimal("-1.0")]),
        ("CASE WHEN b > 1 THEN 'p' WHEN k THEN 'q' END", ["q", "p", "p", "p", "q"]),
        ("CASE b WHEN 0 THEN 1 WHEN 3 THEN 2.0 ELSE NULL END", [Decimal("1.0"), Decimal("2.0"), None, None, None]),
        ("year(d)", [2020, None, 9999, 1, 2024]),
        ("EXTRACT(month FROM d)", [2, None, 12, 1, 1]),
        ("hour(t)", [12] * 5),
        ("date_trunc('month', d) = d", [False, None, False, True, True]),
        ("date_diff('day', d, '2024-01-02')", [1403, None, -2913172, 738886, 1]),
        ("d >= '2020-03-01'", [False, None, True, False, True]),
        ("d < t", [True, None, False, True, False]),
        ("d + INTERVAL 1 DAY < d", [False, None, None, False, False]),
        ('"select" + "q""q"', [0, 2, 4, 6, 8]),
        ('"SELECT"', [0, 1, 2, 3, 4]),
        ("B + v", [0, 4, 7, 5, 3]),
        ("-9223372036854775808", [-BIG] * 5),
        ("0.1::DOUBLE = 0.1", [True] * 5),
        ("0.1 + 0.2", [0.1 + 0.2] * 5),
        ("NULL", [None] * 5),
        ("((((b))))", [0, 3, 5, 2, -1]),
    ],
)
def test_values(source: Opened, text: str, right: list[Any]) -> None:
    found = _values(source, text)
    assert found == pytest.approx(right) if any(isinstance(x, float) for x in right) else found == right


def test_dates_stay_in_their_years(source: Opened) -> None:
    day = datetime.date
    assert _values(source, "d + INTERVAL 1 DAY") == [day(2020, 3, 1), None, None, day(1, 1, 2), day(2024, 1, 2)]
    assert _values(source, "d - INTERVAL '2' MONTH")[3:] == [None, day(2023, 11, 1)]
    assert _values(source, "d + INTERVAL 99999 YEAR") == [None] * 5
    assert _values(source, "d + INTERVAL 3 HOUR")[0] == datetime.datetime(2020, 2, 29, 3)
    assert _values(source, "date_trunc('week', d)")[0] == day(2020, 2, 24)


def test_columns_and_types(source: Opened) -> None:
    checked = row_expression('B > 1 AND "Q""q" < b AND s = \'a\'', source.schema)
    assert checked.columns == ("b", 'q"q', "s")
    assert checked.type == "boolean"
    assert row_expression("1", source.schema).columns == ()


REFUSED = {
    "count(*) > 3": "looks at many rows",
    "sum(a)": "looks at many rows",
    "count(DISTINCT a)": "looks at many rows",
    "sum(a) OVER ()": "window",
    "row_number() OVER (ORDER BY a)": "window",
    "lag(a) OVER (ORDER BY a)": "window",
    "(SELECT 1)": "subquery",
    "a IN (SELECT 1)": "subquery",
    "EXISTS (SELECT 1)": "subquery",
    "(SELECT count(*) FROM data) > 50": "subquery",
    "SELECT 1": "subquery",
    "FROM data": "subquery",
    "random()": "Noise is added by a mechanism",
    '"random"()': "Noise is added by a mechanism",
    "now()": "Write the moment out",
    "current_date": "Write the moment out",
    "current_timestamp": "Write the moment out",
    "today()": "Write the moment out",
    "nextval('s')": "not allowed",
    "getenv('HOME')": "not allowed",
    "current_setting('threads')": "not allowed",
    "current_user": "not allowed",
    "read_text('/etc/passwd')": "Open the file as a source",
    "error(s)": "Write NULL",
    "CASE WHEN s = 'x' THEN error(s) END": "Write NULL",
    "repeat(s, 1000000000)": "must not grow",
    "lpad(s, 1000000000, 'x')": "must not grow",
    "replace(s, 'a', 'aa')": "no longer than",
    "regexp_matches(s, '(a+)+$')": "Write LIKE",
    "s SIMILAR TO 'a'": "not part of",
    "s LIKE s": "written out",
    "s LIKE '%a%b%c_d'": "eight %",
    "isnan(f)": "IS NULL",
    "a -> a": "lambdas",
    "?": "parameters",
    "$1": "parameters",
    ":x": "parameters",
    "a; b": "semicolon",
    "1=1; DROP TABLE data": "semicolon",
    ";": "semicolon",
    "1=1) OR (1=1 --": "comments",
    "a -- c": "comments",
    "a /* c */": "comments",
    "1=1) OR (1=1": "not an expression",
    "a >": "not an expression",
    "'a": "not an expression",
    "": "one expression",
    "   ": "one expression",
    "a AS b": "not part of",
    "a b": "not part of",
    "*": "not part of",
    "a[1]": "not part of",
    "(a, b) = (1, 2)": "not part of",
    "~a": "not part of",
    "a & 1": "not part of",
    "SET threads = 4": "not part of",
    "DROP TABLE data": "not part of",
    "COPY data TO 'x'": "not part of",
    "ATTACH 'x'": "not part of",
    "data.a": "name alone",
    "main.data.a": "name alone",
    "a BETWEEN SYMMETRIC 1 AND 2": "form that is not allowed",
    "abs(DISTINCT a)": "not part of",
    "s + 1": "a number is needed",
    "a || s": "a text is needed",
    "a AND k": "a condition is needed",
    "a = 'x'": "do not compare",
    "s > d": "do not compare",
    "d > 'tomorrow'": "not a date",
    "t > '2024-01-01 00:00:00+02'": "not a timestamp",
    "d - d": "date_diff",
    "d + 1": "INTERVAL 7 DAY",
    "d + INTERVAL (a) DAY": "written out",
    "f // 2": "floor",
    "a::HUGEINT": "not allowed",
    "a::BLOB": "not allowed",
    "a::INT[]": "not allowed",
    "a::DATE": "cannot be cast",
    "substr(s, a)": "written out",
    "CASE b + 1 WHEN 1 THEN 2 END": "CASE WHEN",
    "log(3, a)": "base 2 or 10",
    "1e999": "too large",
    "a IN ()": "values in brackets",
    "a = '\0'": "NUL",
    "a = '\ud800'": "half a character",
    "coalesce()": "",
    "d + INTERVAL 100000 YEAR": "written out",
    "sum(a, b)": "",
    "round(a, -1)": "written out",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(source: Opened, text: str) -> None:
    with pytest.raises(ExpressionError, match=r"^where=") as caught:
        row_expression(text, source.schema, name="where")
    assert REFUSED[text] in str(caught.value)


def test_names_that_do_not_exist(source: Opened) -> None:
    with pytest.raises(UnknownNameError, match=r"no column 'age'.*: a, b, f"):
        row_expression("age > 3", source.schema)
    for text in (
        "nope(a)",
        "list_transform([a], x -> x)",
        "unnest([a])",
        "columns(*)",
        "{'a': a}",
        "try(a)",
        "pg_sleep(9)",
    ):
        with pytest.raises(UnknownNameError, match=r"no function.*: abs, ceil"):
            row_expression(text, source.schema)
    with pytest.raises(UnknownNameError, match="no unit of time"):
        row_expression("date_trunc('eon', d)", source.schema)
    with pytest.raises(ArgumentTypeError):
        row_expression(3, source.schema)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "a" + ")" * 5000,
        "(" * 33 + "a" + ")" * 33,
        "(" * 2000,
        "[" * 2000,
        "{" * 2000,
        "NOT " * 1000 + "k",
        "- " * 2000 + "a",
        "-" * 4000 + "a",
        "CASE WHEN " * 400,
        " OR ".join(["a=1"] * 20_000),
        " OR ".join(["a=1"] * 300),
        "+".join(["a"] * 100),
        "abs(" * 40 + "a" + ")" * 40,
        "a::INT" + "::INT" * 500,
        "a" + " IS NULL" * 400,
        "s LIKE " * 500 + "'a'",
        "x -> " * 700 + "x",
        "INTERVAL " * 400 + "1",
        "a BETWEEN " * 300 + "1",
        "d + INTERVAL 1 DAY " * 180,
        "é" * 2100,
    ],
    ids=lambda text: text[:12],
)
def test_long_and_deep_texts_are_refused_at_once(source: Opened, text: str) -> None:
    start = time.monotonic()
    with pytest.raises(TwoWorldsError):
        row_expression(text, source.schema)
    assert time.monotonic() - start < 5


def test_what_is_refused_does_not_depend_on_the_caller(source: Opened) -> None:
    text = "abs(" * 32 + "a" + ")" * 32

    def deep(levels: int) -> str:
        return deep(levels - 1) if levels else row_expression(text, source.schema).sql

    assert deep(0) == deep(800)


NESTED = {
    "abs": "abs({} - 1)",
    "coalesce": "coalesce({}, 0)",
    "between": "({} BETWEEN 0 AND 2) + 1",
    "in": "({} IN (1, 2, b)) + 1",
    "case": "CASE WHEN k THEN {} ELSE 1 END",
    "nullif": "nullif({}, 3)",
    "int division": "1 // ({})",
    "division": "1 / ({})",
    "float": "1.5 + ({})",
    "modulo": "7 % ({})",
    "greatest": "greatest({}, b, 7)",
    "distinct": "(({}) IS DISTINCT FROM 3) + 1",
    "round": "round(sqrt({}), 2)",
    "cast": "CAST(CAST({} AS VARCHAR) AS DOUBLE)",
}


@pytest.mark.parametrize("shape", NESTED)
def test_nesting_does_not_multiply(source: Opened, shape: str) -> None:
    """What the engine would write out twice at each level would not end at thirty."""
    text, levels = "a", 0
    while True:
        wrapped = NESTED[shape].format(text)
        try:
            checked = row_expression(wrapped, source.schema)
        except ExpressionError:
            break
        text, levels = wrapped, levels + 1
    assert levels >= 10
    checked = row_expression(text, source.schema)
    assert len(checked.sql) < 260 * levels
    source.run(f"SELECT {checked.sql} AS x FROM data", deadline=20)


def test_every_function_has_a_value_for_every_row() -> None:
    """On rows of nothing but extremes, no function raises and none gives NaN or an infinity."""
    rows: dict[str, Any] = {
        "i": np.array([0, 1, -1, BIG - 1, -BIG, 10**18]),
        "f": np.array([0.0, 1.5, -1e308, 1e308, 5e-324, np.inf]),
        "s": np.array(["", "x" * 1000, None, "é", "\U0001f600", "9" * 400], dtype=object),
        "d": np.array(
            ["0001-01-01", "9999-12-31", "NaT", "1970-01-01", "2024-02-29", "1582-10-15"], dtype="datetime64[D]"
        ),
        "u": np.array([0, 2**64 - 1, 2**63, 1, 2, 3], dtype=np.uint64),
        "k": np.array([True, False] * 3),
    }
    values = ["i", "f", "s", "d", "u", "k", "NULL", "3", "'day'", "0.5", "'x'"]
    asked = set()
    with opened(rows) as table:
        for name, (_, fewest, most) in FUNCTIONS.items():
            for count in range(fewest, min(most, 3) + 1):
                for place in range(len(values) ** min(count, 2)):
                    picked = [values[place % len(values)], values[place // len(values) % len(values)], "'y'"]
                    picked = [picked[2], *picked[:2]] if name in ("date_diff",) else picked
                    if name == "date_diff":
                        picked[0] = "'day'"
                    text = f"{name}({', '.join(picked[:count])})"
                    try:
                        checked = row_expression(text, table.schema)
                    except (ExpressionError, UnknownNameError):
                        continue
                    asked.add(name)
                    column = table.run(f"SELECT {checked.sql} AS x FROM data")["x"]
                    assert column.size == 6
    assert asked == set(FUNCTIONS)


LEAVES = st.sampled_from(
    ["a", "b", "f", "s", "d", "t", "k", "u", '"select"', "1", "0", "0.5", "'x'", "NULL", "TRUE", "1e300"]
)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "=", "<", "AND", "OR", "||", "<>"]), inner)
    one = st.tuples(
        st.sampled_from(["abs", "sqrt", "ln", "exp", "lower", "length", "year", "NOT ", "-", "round"]), inner
    )
    types = st.tuples(
        inner, st.sampled_from(["INT", "TINYINT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP", "BOOLEAN", "DECIMAL(5,2)"])
    )
    return st.one_of(
        two.map(lambda x: f"({x[0]} {x[1]} {x[2]})"),
        one.map(lambda x: f"{x[0]}({x[1]})"),
        types.map(lambda x: f"CAST({x[0]} AS {x[1]})"),
        st.tuples(inner, inner).map(lambda x: f"coalesce({x[0]}, {x[1]})"),
        st.tuples(inner, inner).map(lambda x: f"nullif({x[0]}, {x[1]})"),
        st.tuples(inner, inner, inner).map(lambda x: f"CASE WHEN {x[0]} THEN {x[1]} ELSE {x[2]} END"),
        st.tuples(inner, inner, inner).map(lambda x: f"({x[0]} BETWEEN {x[1]} AND {x[2]})"),
        st.tuples(inner, inner, inner).map(lambda x: f"({x[0]} IN ({x[1]}, {x[2]}))"),
    )


@settings(max_examples=400, deadline=None)
@given(text=st.recursive(LEAVES, _grown, max_leaves=12))
def test_random_expressions_are_total_and_row_wise(text: str) -> None:
    """One row at a time or all at once, an accepted expression has the same values, and never fails."""
    source = _shared()
    try:
        checked = row_expression(text, source.schema)
    except TwoWorldsError:
        return
    together = source.run(f"SELECT {checked.sql} AS x FROM data ORDER BY v")["x"].tolist()
    alone = [source.run(f"SELECT {checked.sql} AS x FROM data WHERE v = {row}")["x"].tolist()[0] for row in range(5)]
    assert together == alone


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.sampled_from("abfskd'\"()[]{};-+*/%<>=,.:$?\\ \n0123456789éE_|~^&@#!"), max_size=60))
def test_random_texts_are_refused_or_run(text: str) -> None:
    source = _shared()
    try:
        checked = row_expression(text, source.schema)
    except TwoWorldsError:
        return
    source.run(f"SELECT {checked.sql} AS x FROM data")


_KEPT: list[Opened] = []


def _shared() -> Opened:
    if not _KEPT:
        _KEPT.append(opened(TABLE))
    return _KEPT[0]


def test_injection_strings_are_only_strings(source: Opened) -> None:
    for text in ("x' OR '1'='1", "'; DROP VIEW data; --", "\\'", "$$", "\n", "é\u202e", "%s {0}"):
        quoted = text.replace("'", "''")
        assert _values(source, f"'{quoted}'") == [text] * 5
        schema = Schema({text: "integer"})
        sql = row_expression('"' + text.replace('"', '""') + '" + 1', schema).sql
        with opened({text: np.array([1])}) as table:
            assert table.run(f"SELECT {sql} AS x FROM data")["x"].tolist() == [2]
