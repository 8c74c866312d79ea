"""Pieces of checked SQL, each with its type, and the total operations on them.

An operation never fails on a row: what has no value is NULL. Integers are 64 bits and overflow to NULL; arithmetic with
a float or a decimal is done in doubles, and what is not finite is NULL; comparing integers and decimals is exact. A
boolean is 0 or 1 where a number is needed. Each operation mentions its operands once (`casts.py` says why).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from ..errors import ExpressionError
from .casts import finite, into, let, literal, sql_name, within_years
from .schema import scale_of

__all__ = [
    "Term",
    "arithmetic",
    "as_boolean",
    "as_float",
    "as_integer",
    "as_kind",
    "as_number",
    "as_text",
    "between",
    "cases",
    "cast",
    "common",
    "divided",
    "exact",
    "like",
    "listed",
    "moved",
    "number",
    "one_of",
    "real",
    "whole",
]

NUMBERS = ("integer", "decimal", "float", "boolean")


@dataclass(frozen=True)
class Term:
    """A piece of SQL and its type; `null` is the type of a bare NULL.

    `constant` is the text of a literal; `simple` says that the piece is a column or a literal and may stand twice.
    """

    sql: str
    type: str
    constant: str | None = None
    simple: bool = False

    @property
    def family(self) -> str:
        """The type without its digits."""
        return self.type.split("(")[0]


def as_number(term: Term) -> Term:
    """The term as a number: a boolean as 0 or 1."""
    if term.family not in (*NUMBERS, "null"):
        raise ExpressionError(f"a number is needed, and this is {term.family}. Write CAST(... AS DOUBLE).")
    if term.family in ("boolean", "null"):
        return Term(f"CAST({term.sql} AS BIGINT)", "integer")
    return term


def as_float(term: Term) -> str:
    """The SQL of a number as a double."""
    if term.constant is not None and term.family != "text":
        return f"CAST({literal(term.constant)} AS DOUBLE)"
    return f"CAST({as_number(term).sql} AS DOUBLE)"


def as_integer(term: Term) -> str:
    """The SQL of an integer as one of 128 bits, in which sums and products of two cannot overflow."""
    return f"CAST({as_number(term).sql} AS HUGEINT)"


def as_text(term: Term) -> str:
    """The SQL of a text."""
    if term.family not in ("text", "null"):
        raise ExpressionError(f"a text is needed, and this is {term.family}. Write CAST(... AS VARCHAR).")
    return f"CAST({term.sql} AS VARCHAR)" if term.family == "null" else term.sql


def as_boolean(term: Term) -> str:
    """The SQL of a condition."""
    if term.family not in ("boolean", "null"):
        raise ExpressionError(f"a condition is needed, and this is {term.family}. Compare it: ... > 0, ... = 'x'.")
    return f"CAST({term.sql} AS BOOLEAN)" if term.family == "null" else term.sql


def exact(sql: str) -> Term:
    """An integer of 128 bits as one of 64; NULL where it does not fit."""
    return Term(f"TRY_CAST({sql} AS BIGINT)", "integer")


def real(sql: str) -> Term:
    """A double that is finite, or NULL."""
    return Term(finite(sql), "float")


def arithmetic(sign: str, left: Term, right: Term) -> Term:
    """`+`, `-` or `*`."""
    left, right = as_number(left), as_number(right)
    if left.family == right.family == "integer":
        return exact(f"({as_integer(left)} {sign} {as_integer(right)})")
    return real(f"({as_float(left)} {sign} {as_float(right)})")


def divided(left: Term, right: Term) -> Term:
    """`/`: always a float; NULL for a divisor of zero."""
    return real(f"({as_float(left)} / {as_float(right)})")


def whole(sign: str, left: Term, right: Term) -> Term:
    """`//` towards zero, or `%` with the sign of the first, of integers; `%` also of floats. NULL for zero."""
    left, right = as_number(left), as_number(right)
    if left.family == right.family == "integer":
        divisor = let(as_integer(right), "CASE WHEN v <> 0 THEN v END")
        return exact(f"({as_integer(left)} {sign} {divisor})")
    if sign == "//":
        raise ExpressionError("// is for integers. Write floor(a / b).")
    return real(f"({as_float(left)} % {as_float(right)})")


def common(terms: list[Term]) -> str:
    """The type in which terms can stand beside each other."""
    families = {term.family for term in terms} - {"null"}
    if not families:
        return "null"
    if len(families) == 1:
        (family,) = families
        return family if family != "decimal" else f"decimal(38,{max(scale_of(term.type) for term in terms)})"
    if families <= set(NUMBERS):
        if "float" in families:
            return "float"
        scale = max(scale_of(term.type) for term in terms)
        return f"decimal(38,{scale})" if "decimal" in families else "integer"
    if families == {"date", "timestamp"}:
        return "timestamp"
    written = all(term.family != "text" or term.constant is not None for term in terms)
    if written and families in ({"text", "date"}, {"text", "timestamp"}):
        return (families - {"text"}).pop()
    raise ExpressionError(
        f"{' and '.join(sorted(families))} do not compare. Write CAST(... AS ...) around one of them."
    )


def as_kind(term: Term, kind: str) -> str:
    """The SQL of a term in a common type."""
    if term.type == kind and term.family != "null":
        return term.sql
    if kind == "float":
        return as_float(term)
    if term.family == "text" and kind in ("date", "timestamp"):
        return moment(kind, term.constant or "").sql
    if kind == "null":
        return "CAST(NULL AS INTEGER)"
    return f"TRY_CAST({term.sql} AS {sql_name(kind)})"


def listed(terms: list[Term], body: str) -> str:
    """The body, in which `v[1]`, `v[2]`, ... are the terms in their common type, each computed once."""
    kind = common(terms)
    return let("[" + ", ".join(as_kind(term, kind) for term in terms) + "]", body)


def moment(kind: str, text: str) -> Term:
    """A date or timestamp that is written out; checked here, because the engine would check it too late."""
    try:
        read = date.fromisoformat(text).isoformat() if kind == "date" else None
        stamp = datetime.fromisoformat(text)
        plain = read or (stamp.isoformat(sep=" ") if stamp.tzinfo is None else None)
    except ValueError:
        plain = None
    if plain is None:
        form = "'2024-12-31'" if kind == "date" else "'2024-12-31 23:59:00', in UTC"
        raise ExpressionError(f"this is not a {kind}. Write {form}.")
    return Term(f"CAST({literal(plain)} AS {sql_name(kind)})", kind, simple=True)


def cast(term: Term, engine: str, kind: str) -> Term:
    """A cast to a type of the engine, held in a declared type; NULL where it does not fit."""
    family = kind.split("(")[0]
    numeric = term.family in NUMBERS and family in NUMBERS
    moments = {term.family, family} <= {"date", "timestamp"}
    if not (numeric or moments or "text" in (term.family, family) or term.family == "null"):
        raise ExpressionError(f"{term.family} cannot be cast to {family}. Cast it to VARCHAR first.")
    inner = f"TRY_CAST({term.sql} AS {engine})" if engine != sql_name(kind) else term.sql
    if numeric and family == "float" and term.constant is not None:
        inner = literal(term.constant)
    return Term(into(kind, inner, "VARCHAR" if term.family == "text" else None), kind)


def moved(sign: str, term: Term, amount: int, unit: str) -> Term:
    """A date or timestamp so many units later or earlier; a date stays one, unless hours are added."""
    if term.family not in ("date", "timestamp"):
        raise ExpressionError(f"an interval is added to a date or timestamp, and this is {term.family}.")
    kind = "date" if term.family == "date" and unit in ("DAY", "WEEK", "MONTH", "YEAR") else "timestamp"
    later = f"({term.sql} {sign} INTERVAL '{amount}' {unit})"
    return Term(within_years(f"CAST({later} AS {sql_name(kind)})", kind), kind)


def between(x: Term, low: Term, high: Term) -> Term:
    """`x BETWEEN low AND high`."""
    terms = [x, low, high]
    if not x.simple:
        return Term(listed(terms, "v[1] >= v[2] AND v[1] <= v[3]"), "boolean")
    kind = common(terms)
    what, least, most = (as_kind(term, kind) for term in terms)
    return Term(f"({what} BETWEEN {least} AND {most})", "boolean")


def one_of(x: Term, *others: Term) -> Term:
    """`x IN (others)`."""
    if not others:
        raise ExpressionError("IN is followed by values in brackets.")
    terms = [x, *others]
    if not x.simple:
        places = ", ".join(f"v[{place}]" for place in range(2, len(terms) + 1))
        return Term(listed(terms, f"v[1] IN ({places})"), "boolean")
    kind = common(terms)
    what, *values = (as_kind(term, kind) for term in terms)
    return Term(f"({what} IN ({', '.join(values)}))", "boolean")


def like(x: Term, pattern: Term, *, case: bool, negate: bool) -> Term:
    """`x LIKE pattern`, or `ILIKE` where case does not count."""
    if pattern.family != "text" or pattern.constant is None:
        raise ExpressionError("the pattern of LIKE is written out as a text.")
    many = pattern.constant.count("%")
    if many > 8 or (many > 2 and "_" in pattern.constant):  # each % may be tried everywhere, for each one before
        raise ExpressionError("LIKE takes eight % at most, and two beside an underscore. Write contains(...).")
    texts = [as_text(x), pattern.sql]
    left, right = texts if case else [f"lower({text})" for text in texts]
    return Term(f"({left} {'NOT ' if negate else ''}LIKE {right})", "boolean")


def cases(conditions: list[str], values: list[Term]) -> Term:
    """The first value whose condition holds; the last value where none does."""
    kind = common(values)
    *results, default = (as_kind(value, kind) for value in values)
    whens = " ".join(f"WHEN {when} THEN {then}" for when, then in zip(conditions, results, strict=True))
    return Term(f"(CASE {whens} ELSE {default} END)", kind)


def number(text: str) -> Term:
    """A number that is written out: an integer, a decimal, or with an exponent a float."""
    digits = re.sub(r"\D", "", text)
    if re.fullmatch(r"-?\d+", text, re.ASCII) and -(2**63) <= int(text[:40]) < 2**63 and len(text) <= 40:
        return Term(f"CAST({literal(text)} AS BIGINT)", "integer", text, simple=True)
    if re.fullmatch(r"-?(\d+\.?\d*|\.\d+)", text, re.ASCII) and len(digits) <= 38:
        kind = f"decimal({len(digits)},{len(text.partition('.')[2])})"
        return Term(f"CAST({literal(text)} AS {kind.upper()})", kind, text, simple=True)
    if re.fullmatch(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text, re.ASCII) and abs(float(text)) < float("inf"):
        return Term(real(f"CAST({literal(text)} AS DOUBLE)").sql, "float", text, simple=True)
    raise ExpressionError("a number in it is written in a way that is not read, or is too large.")
