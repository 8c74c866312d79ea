"""Schemas: what a column may be, how it is written down, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twoworlds.engines import Dialect, Schema
from twoworlds.engines.schema import type_of
from twoworlds.errors import ArgumentError, ArgumentTypeError, SourceError, UnknownNameError

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
KINDS = st.sampled_from(["text", "integer", "float", "boolean", "date", "timestamp", "decimal(9,2)", "decimal(38,0)"])


@given(st.dictionaries(NAMES, KINDS, min_size=1, max_size=5), st.sampled_from([",", ";", "\t", "|", '"']))
def test_toml_says_it_all(columns: dict[str, str], delimiter: str) -> None:
    if len({name.casefold() for name in columns}) < len(columns):
        return
    schema = Schema(columns, Dialect(delimiter=delimiter, encoding="latin-1"))
    again = Schema.from_toml(schema.toml())
    assert again == schema
    assert again.names == tuple(columns)


def test_names_are_matched_exactly_and_then_up_to_case() -> None:
    schema = Schema({"Age": "integer", "straße": "text"})
    assert schema.resolve("Age") == schema.resolve("AGE") == "Age"
    assert schema.resolve("STRASSE") == "straße"
    with pytest.raises(UnknownNameError, match=r"column 'ages'.*: Age, straße"):
        schema.resolve("ages")


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({}, "at least one column"),
        ({"a": "int"}, "one of text, integer"),
        ({"a": "decimal"}, "one of text, integer"),
        ({"a": "decimal(39,0)"}, "one of text, integer"),
        ({"a": "decimal(4,5)"}, "one of text, integer"),
        ({"a": "integer", "A": "text"}, "up to case"),
        ({"": "integer"}, "not empty"),
        ({"a\0b": "integer"}, "NUL"),
        ({"\ud800": "integer"}, "half a character"),
    ],
)
def test_what_is_refused(columns: dict[str, str], says: str) -> None:
    with pytest.raises(ArgumentError, match=says):
        Schema(columns)


def test_wrong_kinds_are_refused() -> None:
    for columns in (3, {"a": 3}, {3: "text"}):
        with pytest.raises(ArgumentTypeError):
            Schema(columns)  # type: ignore[arg-type]


def test_dialects_are_one_character_each() -> None:
    for bad in ({"delimiter": ";;"}, {"quote": ""}, {"escape": "\n"}, {"encoding": "ebcdic"}):
        with pytest.raises(ArgumentError):
            Dialect(**bad)
    with pytest.raises(ArgumentTypeError):
        Dialect(delimiter=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("columns = [", ArgumentError),
        ("", ArgumentError),
        ("columns = 3", ArgumentError),
        ('[column]\na = "text"', UnknownNameError),
        ('[columns]\na = "text"\n[csv]\nseparator = ";"', UnknownNameError),
        ('[columns]\na = "number"', ArgumentError),
    ],
)
def test_toml_that_is_refused(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        Schema.from_toml(text)


def test_a_schema_is_given_in_three_ways(tmp_path: Path) -> None:
    schema = Schema({"a": "integer"})
    (tmp_path / "a.toml").write_text(schema.toml())
    assert Schema.of(schema) == Schema.of({"a": "INTEGER"}) == Schema.of(tmp_path / "a.toml") == schema
    with pytest.raises(SourceError, match="schema file cannot be read"):
        Schema.of(tmp_path / "none.toml")
    with pytest.raises(ArgumentTypeError):
        Schema.of(3)  # type: ignore[arg-type]


def test_integers_that_64_bits_do_not_hold_are_decimals() -> None:
    assert type_of("UBIGINT") == "decimal(20,0)"
    assert type_of("HUGEINT") == "decimal(38,0)"
    assert type_of("DECIMAL(18,3)") == "decimal(18,3)"
    assert type_of("STRUCT(a INTEGER)") == type_of("BLOB") == type_of("TIME") == "text"
