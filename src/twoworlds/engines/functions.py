"""The functions that a row expression may call, and why others are refused.

An allow-list: every function here gives each row a value that depends on that row alone, is the same each time, and
exists for every row. A name that is not here is refused, whatever it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import ExpressionError, UnknownNameError
from .casts import literal, within_years
from .terms import (
    Term,
    as_float,
    as_integer,
    as_kind,
    as_number,
    as_text,
    common,
    exact,
    listed,
    real,
    whole,
)

__all__ = ["CALLS", "CASTS", "FUNCTIONS", "call"]

_LONGEST = 1_000_000
_PARTS = ("year", "quarter", "month", "week", "day", "dayofweek", "isodow", "dayofyear", "hour", "minute", "second")
_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")


def _count(term: Term, least: int = 0) -> int:
    """A whole number that is written out: from a column it could reach where the engine fails."""
    try:
        value = int(term.constant or "")
    except ValueError:
        value = least - 1
    if term.family != "integer" or not least <= value <= _LONGEST:
        raise ExpressionError(f"a whole number from {least} to {_LONGEST} is needed here, written out.")
    return value


def _word(term: Term, known: Sequence[str]) -> str:
    """One of a few words, written out."""
    word = (term.constant or "").lower()
    if term.family != "text" or word not in known:
        raise UnknownNameError("unit of time", term.constant or "...", known)
    return word


def _constant(term: Term, what: str) -> str:
    if term.family != "text" or term.constant is None:
        raise ExpressionError(f"{what} is written out as a text, such as 'x'.")
    return term.constant


def _moment(term: Term) -> str:
    if term.family not in ("date", "timestamp"):
        raise ExpressionError(f"a date or timestamp is needed, and this is {term.family}. Write CAST(... AS DATE).")
    return term.sql


def _abs(x: Term) -> Term:
    x = as_number(x)
    return exact(f"abs({as_integer(x)})") if x.family == "integer" else real(f"abs({as_float(x)})")


def _sign(x: Term) -> Term:
    return exact(f"sign({as_float(x)})")


def _rounded(name: str) -> Callable[..., Term]:
    def rounded(x: Term, digits: Term | None = None) -> Term:
        x = as_number(x)
        places = "" if digits is None else f", {_count(digits)}"
        return x if x.family == "integer" else real(f"{name}({as_float(x)}{places})")

    return rounded


def _of_float(name: str) -> Callable[[Term], Term]:
    return lambda x: real(f"{name}({as_float(x)})")


def _pow(x: Term, y: Term) -> Term:
    return real(f"pow({as_float(x)}, {as_float(y)})")


def _extreme(name: str) -> Callable[..., Term]:
    def extreme(*terms: Term) -> Term:
        kind = common(list(terms))
        return Term(f"{name}({', '.join(as_kind(term, kind) for term in terms)})", kind)

    return extreme


def _nullif(x: Term, y: Term) -> Term:
    return Term(listed([x, y], "CASE WHEN v[1] = v[2] THEN NULL ELSE v[1] END"), common([x, y]))


def _of_text(name: str) -> Callable[[Term], Term]:
    return lambda x: Term(f"{name}({as_text(x)})", "text")


def _trim(name: str) -> Callable[..., Term]:
    def trim(x: Term, letters: Term | None = None) -> Term:
        more = "" if letters is None else ", " + literal(_constant(letters, "what is trimmed"))
        return Term(f"{name}({as_text(x)}{more})", "text")

    return trim


def _length(x: Term) -> Term:
    return Term(f"length({as_text(x)})", "integer")


def _substr(x: Term, start: Term, length: Term | None = None) -> Term:
    more = "" if length is None else f", {_count(length)}"
    return Term(f"substr({as_text(x)}, {_count(start, 1)}{more})", "text")


def _side(name: str) -> Callable[[Term, Term], Term]:
    return lambda x, n: Term(f'"{name}"({as_text(x)}, {_count(n)})', "text")


def _replace(x: Term, old: Term, new: Term) -> Term:
    was, becomes = _constant(old, "what is replaced"), _constant(new, "what replaces it")
    if len(becomes) > len(was):  # nested, a longer one would grow without bound
        raise ExpressionError("replace puts in what is no longer than what it takes out.")
    return Term(f"replace({as_text(x)}, {literal(was)}, {literal(becomes)})", "text")


def _holds(name: str) -> Callable[[Term, Term], Term]:
    return lambda x, y: Term(f"{name}({as_text(x)}, {as_text(y)})", "boolean")


def _strpos(x: Term, y: Term) -> Term:
    return Term(f"strpos({as_text(x)}, {as_text(y)})", "integer")


def _concat(*terms: Term) -> Term:
    return Term(f"concat({', '.join(map(as_text, terms))})", "text")


def _part(name: str) -> Callable[[Term], Term]:
    return lambda x: Term(f"{name}({_moment(x)})", "integer")


def _date_part(part: Term, x: Term) -> Term:
    return _part(_word(part, _PARTS))(x)


def _date_trunc(unit: Term, x: Term) -> Term:
    word, kind = _word(unit, _UNITS), x.family
    sql = f"CAST(date_trunc('{word}', {_moment(x)}) AS {kind.upper()})"
    return Term(within_years(sql, kind), kind)


def _date_diff(unit: Term, start: Term, end: Term) -> Term:
    kind = common([start, end])
    _moment(Term("", kind))
    return Term(f"date_diff('{_word(unit, _UNITS)}', {as_kind(start, kind)}, {as_kind(end, kind)})", "integer")


FUNCTIONS: dict[str, tuple[Callable[..., Term], int, int]] = {
    "abs": (_abs, 1, 1),
    "sign": (_sign, 1, 1),
    "round": (_rounded("round"), 1, 2),
    "floor": (_rounded("floor"), 1, 1),
    "ceil": (_rounded("ceil"), 1, 1),
    "trunc": (_rounded("trunc"), 1, 1),
    "sqrt": (_of_float("sqrt"), 1, 1),
    "exp": (_of_float("exp"), 1, 1),
    "ln": (_of_float("ln"), 1, 1),
    "log10": (_of_float("log10"), 1, 1),
    "log2": (_of_float("log2"), 1, 1),
    "pow": (_pow, 2, 2),
    "mod": (lambda x, y: whole("%", x, y), 2, 2),
    "greatest": (_extreme("greatest"), 1, 50),
    "least": (_extreme("least"), 1, 50),
    "coalesce": (_extreme("coalesce"), 1, 50),
    "nullif": (_nullif, 2, 2),
    "lower": (_of_text("lower"), 1, 1),
    "upper": (_of_text("upper"), 1, 1),
    "trim": (_trim("trim"), 1, 2),
    "ltrim": (_trim("ltrim"), 1, 2),
    "rtrim": (_trim("rtrim"), 1, 2),
    "length": (_length, 1, 1),
    "substr": (_substr, 2, 3),
    "left": (_side("left"), 2, 2),
    "right": (_side("right"), 2, 2),
    "replace": (_replace, 3, 3),
    "starts_with": (_holds("starts_with"), 2, 2),
    "ends_with": (_holds("ends_with"), 2, 2),
    "contains": (_holds("contains"), 2, 2),
    "strpos": (_strpos, 2, 2),
    "concat": (_concat, 1, 50),
    **{part: (_part(part), 1, 1) for part in _PARTS},
    "date_part": (_date_part, 2, 2),
    "date_trunc": (_date_trunc, 2, 2),
    "date_diff": (_date_diff, 3, 3),
}
"""Every function: what builds it, and how few and how many arguments it takes."""

_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "UTINYINT", "USMALLINT", "UINT")
CASTS = {
    **{name: (name.replace("UINT", "UINTEGER"), "integer") for name in _INTEGERS},
    "FLOAT": ("FLOAT", "float"),
    "DOUBLE": ("DOUBLE", "float"),
    "TEXT": ("VARCHAR", "text"),
    "VARCHAR": ("VARCHAR", "text"),
    "BOOLEAN": ("BOOLEAN", "boolean"),
    "DATE": ("DATE", "date"),
    "TIMESTAMP": ("TIMESTAMP", "timestamp"),
    "TIMESTAMPNTZ": ("TIMESTAMP", "timestamp"),
}
"""What the parser calls a type -> what the engine does, and the declared type that holds it."""

CALLS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: (name, ("this",)) for name in ("abs", "sign", "floor", "ceil", "trunc", "sqrt", "exp", "ln")},
    **{name: (name, ("this",)) for name in ("lower", "upper", "length", "year", "quarter", "month", "week", "day")},
    **{name: (name, ("this",)) for name in ("dayofweek", "dayofyear", "dayofmonth", "hour", "minute", "second")},
    **{name: (name, ("this", "expressions")) for name in ("greatest", "least", "coalesce")},
    **{name: (name, ("this", "expression")) for name in ("pow", "nullif", "left", "right", "contains")},
    "dayofweekiso": ("isodow", ("this",)),
    "weekofyear": ("week", ("this",)),
    "round": ("round", ("this", "decimals")),
    "substring": ("substr", ("this", "start", "length")),
    "replace": ("replace", ("this", "expression", "replacement")),
    "startswith": ("starts_with", ("this", "expression")),
    "endswith": ("ends_with", ("this", "expression")),
    "strposition": ("strpos", ("this", "substr")),
    "concat": ("concat", ("expressions",)),
    "extract": ("date_part", ("this", "expression")),
    "timestamptrunc": ("date_trunc", ("unit", "this")),
    "datetrunc": ("date_trunc", ("unit", "this")),
    "datediff": ("date_diff", ("unit", "expression", "this")),
    "anonymous": ("", ("expressions",)),
}
"""A node of the parser -> the function it stands for, and the parts that are its arguments, in order."""

_ALIKE = {
    "ceiling": "ceil",
    "power": "pow",
    "ifnull": "coalesce",
    "nvl": "coalesce",
    "lcase": "lower",
    "ucase": "upper",
    "len": "length",
    "char_length": "length",
    "strlen": "length",
    "substring": "substr",
    "prefix": "starts_with",
    "startswith": "starts_with",
    "suffix": "ends_with",
    "endswith": "ends_with",
    "instr": "strpos",
    "position": "strpos",
    "dayofmonth": "day",
    "weekofyear": "week",
    "datepart": "date_part",
    "extract": "date_part",
    "datetrunc": "date_trunc",
    "datediff": "date_diff",
}
_SAME_ROW = "A row expression depends on its row alone and is the same each time"
_REFUSED = {
    **dict.fromkeys(("random", "rand", "uuid", "gen_random_uuid", "setseed"), "Noise is added by a mechanism"),
    **dict.fromkeys(
        (
            "now",
            "current_date",
            "current_time",
            "current_timestamp",
            "today",
            "get_current_timestamp",
            "transaction_timestamp",
        ),
        "Write the moment out, such as DATE '2024-12-31'",
    ),
    **dict.fromkeys(("nextval", "currval", "rowid", "txid_current", "current_setting", "version"), _SAME_ROW),
    **dict.fromkeys(("getenv", "getvariable", "current_user", "current_database", "current_schema"), _SAME_ROW),
    **dict.fromkeys(
        ("read_text", "read_blob", "read_csv", "read_parquet", "read_json", "glob"), "Open the file as a source"
    ),
    "error": "Write NULL for what has no value",
    **dict.fromkeys(
        ("regexp_matches", "regexp_replace", "regexp_extract", "regexp_full_match"), "Write LIKE or contains"
    ),
    **dict.fromkeys(("repeat", "lpad", "rpad", "pad"), "A text must not grow"),
    **dict.fromkeys(
        ("isnan", "isinf", "isfinite", "is_nan", "is_inf"), "NaN and infinities are NULL: write ... IS NULL"
    ),
    **dict.fromkeys(("hash", "md5", "sha256"), "Keep the text itself"),
}


def call(name: str, arguments: list[Term]) -> Term:
    """The call of a function by its name, or the refusal that says what to write."""
    name = name.lower()
    if name in _REFUSED:
        raise ExpressionError(f"{name}() is not allowed. {_REFUSED[name]}.")
    known = _ALIKE.get(name, name)
    if known not in FUNCTIONS:
        raise UnknownNameError("function", name, sorted(FUNCTIONS))
    build, fewest, most = FUNCTIONS[known]
    if not fewest <= len(arguments) <= most:
        wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise ExpressionError(f"{name}() takes {wanted} arguments, and here are {len(arguments)}.")
    return build(*arguments)
