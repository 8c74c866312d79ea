"""Expressions about one row, written by users in DuckDB's SQL, checked, and written anew from their tree.

What comes out is SQL of our own making: column names come from the schema, literals are quoted again, and nothing of
the text is copied. It depends on its row alone, is the same each time, and has a value or NULL for every row:

* `/`, `//` and `%` by zero, overflow, a cast that does not fit, the root or logarithm of what has none: NULL;
* a float is finite: NaN and the infinities are NULL wherever they come from, and minus zero is zero;
* a condition takes booleans, arithmetic takes numbers, and a boolean counts as 0 or 1 there.

A text has at most 4,096 bytes, 32 brackets open at once, and a tree of 500 nodes and 64 levels (a chain of AND or of OR
is one level), so that neither the parser nor the engine can be made to work for long.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from ..errors import ArgumentTypeError, ExpressionError, shown
from .casts import identifier, literal
from .functions import CALLS, CASTS, call
from .schema import Schema
from .terms import (
    Term,
    arithmetic,
    as_boolean,
    as_integer,
    as_kind,
    as_number,
    as_text,
    between,
    cases,
    cast,
    common,
    divided,
    exact,
    like,
    moved,
    number,
    one_of,
    whole,
)

__all__ = ["Checked", "row_expression"]

LONGEST, DEEPEST, BRACKETS, NODES = 4096, 64, 32, 500

_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
_PREFIX = {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE}
_FLAGS = {"safe", "typed", "coalesce", "ignore_nulls", "date_part_boundary", "quoted", "is_string", "nested"}
_ELSEWHERE = {("anonymous", "this"), ("like", "negate"), ("ilike", "negate")}
_COMPARED = {"eq": "=", "neq": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="} | {
    "nullsafeeq": "IS NOT DISTINCT FROM",
    "nullsafeneq": "IS DISTINCT FROM",
}
_SIGNS = {"add": "+", "sub": "-", "mul": "*"}


@dataclass(frozen=True)
class Checked:
    """An expression that has been checked: `sql` may stand anywhere a column may, `columns` are those it reads.

    `type` is its type as a schema writes it.
    """

    sql: str
    columns: tuple[str, ...]
    type: str


def row_expression(text: str, schema: Schema, *, name: str = "expression") -> Checked:
    """The expression that a text states about one row of a table; `name` is the argument's name in a refusal.

    >>> row_expression("age >= 18 AND place = 'north'", Schema({"age": "integer", "place": "text"})).columns
    ('age', 'place')
    >>> row_expression("count(*) > 3", Schema({"age": "integer"}), name="where")
    Traceback (most recent call last):
        ...
    twoworlds.errors.ExpressionError: where='count(*) > 3': count() looks at many rows. Ask for it outside of the ...
    """
    if not isinstance(text, str):
        raise ArgumentTypeError.expected(name, text, "an expression is a string")
    try:
        builder = _Builder(schema)
        term = builder.build(_parsed(text))
    except ExpressionError as error:
        raise ExpressionError(f"{name}={shown(text)}: {error}") from None
    if term.type == "null":
        term = Term(as_kind(term, "null"), "integer")
    return Checked(term.sql, tuple(builder.columns), term.type)


def _parsed(text: str) -> exp.Expression:
    """The tree of a text that is neither too long nor too deep."""
    if any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in text):
        raise ExpressionError("it holds NUL or half a character.")
    if len(text.encode()) > LONGEST:
        raise ExpressionError(f"it is longer than {LONGEST} bytes. Split it.")
    tree = _on_fresh_stack(lambda: _parse(text))
    _measured(tree)
    return tree


def _parse(text: str) -> exp.Expression:
    try:
        tokens = sqlglot.tokenize(text, read="duckdb")
        _precheck(tokens)
        trees = sqlglot.parse(text, read="duckdb")
    except RecursionError:
        raise ExpressionError("it is nested too deep. Split it.") from None
    except SqlglotError:
        raise ExpressionError("this is not an expression of DuckDB's SQL. Check brackets, quotes and commas.") from None
    if len(trees) != 1 or trees[0] is None:
        raise ExpressionError("one expression is needed.")
    return trees[0]  # type: ignore[return-value]


def _precheck(tokens: list[Any]) -> None:
    """Refuse, before anything is parsed, what would make the parser recurse or lose a part of the text."""
    depth = run = 0
    for token in tokens:
        kind = token.token_type
        if token.comments:
            raise ExpressionError("comments are not allowed.")
        if kind == TokenType.SEMICOLON:
            raise ExpressionError("a semicolon ends a statement, and an expression is none. Leave it out.")
        depth += (kind in _OPEN) - (kind in _CLOSE)
        run = run + 1 if kind in _PREFIX else 0
        if depth > BRACKETS or run > BRACKETS:
            raise ExpressionError(f"more than {BRACKETS} brackets, CASEs or signs are open at once. Split it.")


def _on_fresh_stack(work: Callable[[], exp.Expression]) -> exp.Expression:
    """What `work` returns, computed on an empty stack: how deep the caller stands must not decide what is refused."""
    done: list[exp.Expression] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            done.append(work())
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _measured(tree: exp.Expression) -> None:
    """Refuse a tree that is too large or too deep; a chain of AND, or of OR, is one level."""
    nodes, stack = 0, [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        nodes += not isinstance(node, (exp.Identifier, exp.Paren))
        if nodes > NODES or depth > DEEPEST:
            raise ExpressionError(f"it has more than {NODES} parts or {DEEPEST} levels. Split it.")
        for child in node.iter_expressions():
            chained = isinstance(node, (exp.And, exp.Or)) and type(child) is type(node)
            same = chained or isinstance(node, exp.Paren) or isinstance(child, exp.Identifier)
            stack.append((child, depth if same else depth + 1))


class _Builder:
    """Builds SQL from a tree, and notes the columns it meets."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.columns: dict[str, None] = {}

    def build(self, node: Any) -> Term:
        """The term of a node; every kind of node that is not named here is refused."""
        while isinstance(node, exp.Paren):
            node = node.this
        own = self._OWN.get(node.key)
        if own is None:
            raise _refusal(node)
        return own(self, node)

    def _parts(self, node: Any, *names: str) -> list[Term]:
        return [self.build(part) for part in _arguments(node, *names)]

    def _column(self, node: Any) -> Term:
        if node.args.get("table") is not None:
            raise ExpressionError("a column is written by its name alone. Leave out what stands before the point.")
        (name,) = _arguments(node, "this")
        if not isinstance(name, exp.Identifier):
            raise _refusal(name)
        column = self.schema.resolve(name.name)
        self.columns[column] = None
        return Term(identifier(column), self.schema.columns[column], simple=True)

    def _literal(self, node: Any) -> Term:
        text = str(node.this)
        return Term(literal(text), "text", text, simple=True) if node.is_string else number(text)

    def _constant(self, node: Any) -> Term:
        sql = "NULL" if node.key == "null" else "TRUE" if node.this else "FALSE"
        return Term(sql, node.key, simple=True)

    def _var(self, node: Any) -> Term:  # a unit of time
        return Term(literal(node.name.lower()), "text", node.name.lower())

    def _neg(self, node: Any) -> Term:
        (inner,) = _arguments(node, "this")
        if isinstance(inner, exp.Literal) and not inner.is_string:
            return number("-" + str(inner.this))
        x = as_number(self.build(inner))
        return exact(f"(- {as_integer(x)})") if x.family == "integer" else arithmetic("-", number("0"), x)

    def _sum(self, node: Any) -> Term:
        left, right = _arguments(node, "this", "expression")
        sign = _SIGNS[node.key]
        if isinstance(right, exp.Interval) and sign != "*":
            amount, unit = _interval(right)
            return moved(sign, self.build(left), amount, unit)
        terms = [self.build(left), self.build(right)]
        if any(term.family in ("date", "timestamp") for term in terms):
            raise ExpressionError("dates: write d + INTERVAL 7 DAY, or date_diff('day', start, end).")
        return arithmetic(sign, *terms)

    def _quotient(self, node: Any) -> Term:
        left, right = self._parts(node, "this", "expression")
        return divided(left, right) if node.key == "div" else whole("//" if node.key == "intdiv" else "%", left, right)

    def _dpipe(self, node: Any) -> Term:
        return Term("(" + " || ".join(as_text(x) for x in self._parts(node, "this", "expression")) + ")", "text")

    def _compared(self, node: Any) -> Term:
        terms = self._parts(node, "this", "expression")
        kind = common(terms)
        left, right = (as_kind(term, kind) for term in terms)
        return Term(f"({left} {_COMPARED[node.key]} {right})", "boolean")

    def _chain(self, node: Any) -> Term:
        terms = [as_boolean(self.build(part)) for part in _chained(node)]
        return Term("(" + f" {node.key.upper()} ".join(terms) + ")", "boolean")

    def _not(self, node: Any) -> Term:
        (x,) = self._parts(node, "this")
        return Term(f"(NOT {as_boolean(x)})", "boolean")

    def _is(self, node: Any) -> Term:
        what, value = _arguments(node, "this", "expression")
        x = self.build(what)
        if isinstance(value, exp.Null):
            return Term(f"({x.sql} IS NULL)", "boolean")
        if isinstance(value, exp.Boolean):
            return Term(f"({as_boolean(x)} IS {'TRUE' if value.this else 'FALSE'})", "boolean")
        raise ExpressionError("IS is followed by NULL, TRUE or FALSE.")

    def _between(self, node: Any) -> Term:
        return between(*self._parts(node, "this", "low", "high"))

    def _in(self, node: Any) -> Term:
        return one_of(*self._parts(node, "this", "expressions"))

    def _like(self, node: Any) -> Term:
        x, pattern = self._parts(node, "this", "expression")
        return like(x, pattern, case=node.key == "like", negate=bool(node.args.get("negate")))

    def _case(self, node: Any) -> Term:
        operand = self.build(node.this) if node.this is not None else None
        if operand is not None and not operand.simple:
            raise ExpressionError("CASE x WHEN takes a column for x. Write CASE WHEN ... = ... THEN.")
        conditions, values = [], []
        for branch in node.args.get("ifs") or []:
            when = self.build(branch.this)
            if operand is not None:
                kind = common([operand, when])
                when = Term(f"({as_kind(operand, kind)} = {as_kind(when, kind)})", "boolean")
            conditions.append(as_boolean(when))
            values.append(self.build(branch.args["true"]))
        default = node.args.get("default")
        values.append(Term("NULL", "null") if default is None else self.build(default))
        return cases(conditions, values)

    def _if(self, node: Any) -> Term:
        if node.args.get("false") is None:
            raise ExpressionError("if() takes a condition and two values.")
        condition, *values = self._parts(node, "this", "true", "false")
        return cases([as_boolean(condition)], values)

    def _cast(self, node: Any) -> Term:
        what, to = _arguments(node, "this", "to")
        name = getattr(to.this, "name", str(to.this))
        if name == "DECIMAL":
            digits = [str(part.this) for part in to.expressions] or ["18", "3"]
            kind = Schema({"x": f"decimal({digits[0]},{(*digits, '0')[1]})"}).columns["x"]
            return cast(self.build(what), kind.upper(), kind)
        if name not in CASTS or to.expressions:
            known = "BIGINT, DOUBLE, DECIMAL(p, s), VARCHAR, BOOLEAN, DATE, TIMESTAMP"
            raise ExpressionError(f"a cast to this type is not allowed. Write one of {known}.")
        return cast(self.build(what), *CASTS[name])

    def _trim(self, node: Any) -> Term:
        position = str(node.args.get("position") or "BOTH").upper()
        terms = [self.build(part) for part in (node.this, node.args.get("expression")) if part is not None]
        return call({"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "trim"), terms)

    def _log(self, node: Any) -> Term:
        terms = self._parts(node, "this", "expression")
        if len(terms) == 1:
            return call("log10", terms)
        base = terms[0].constant
        if base not in ("2", "10"):
            raise ExpressionError("log() takes the base 2 or 10. Write ln(x) / ln(base).")
        return call(f"log{base}", terms[1:])

    def _call(self, node: Any) -> Term:
        name, arguments = CALLS[node.key]
        return call(name or str(node.name), self._parts(node, *arguments))

    # every kind of node there is a way to build, by the parser's name for it; none is found by how it is called
    _OWN: ClassVar[dict[str, Callable[[_Builder, Any], Term]]] = {
        **dict.fromkeys(_SIGNS, _sum),
        **dict.fromkeys(_COMPARED, _compared),
        **dict.fromkeys(CALLS, _call),
        **dict.fromkeys(("div", "intdiv", "mod"), _quotient),
        **dict.fromkeys(("and", "or"), _chain),
        **dict.fromkeys(("like", "ilike"), _like),
        **dict.fromkeys(("cast", "trycast"), _cast),
        **{"column": _column, "literal": _literal, "boolean": _constant, "null": _constant, "var": _var, "neg": _neg},
        **{"dpipe": _dpipe, "not": _not, "is": _is, "between": _between, "in": _in, "case": _case, "if": _if},
        **{"trim": _trim, "log": _log},
    }


def _arguments(node: Any, *names: str) -> list[Any]:
    """The named parts of a node in order; a part that is not expected is refused, not dropped."""
    for key, value in node.args.items():
        unset = value is None or value is False or value == []
        # what a function of no known kind is called, and whether LIKE is negated, is read elsewhere
        elsewhere = key in _FLAGS or (node.key, key) in _ELSEWHERE
        if isinstance(value, exp.Query):
            raise _refusal(value)
        if key not in names and not unset and not elsewhere:
            raise ExpressionError(f"{node.key} is written in a form that is not allowed ({key}).")
    parts: list[Any] = []
    for name in names:
        value = node.args.get(name)
        parts += value if isinstance(value, list) else [] if value is None else [value]
    return parts


def _chained(node: Any) -> Iterator[Any]:
    """The parts of a chain of AND, or of OR, from left to right."""
    stack = [node]
    while stack:
        part = stack.pop()
        if type(part) is type(node):
            stack += reversed(_arguments(part, "this", "expression"))
        else:
            yield part


def _interval(node: Any) -> tuple[int, str]:
    amount, unit = node.this, str(getattr(node.args.get("unit"), "name", "")).upper().rstrip("S")
    text = str(amount.this) if isinstance(amount, exp.Literal) else ""
    if not re.fullmatch(r"\d{1,5}", text, re.ASCII) or unit not in (
        "DAY",
        "WEEK",
        "MONTH",
        "YEAR",
        "HOUR",
        "MINUTE",
        "SECOND",
    ):
        raise ExpressionError("an interval is written out, such as INTERVAL 7 DAY.")
    return int(text), unit


def _refusal(node: Any) -> Exception:
    """Why a kind of node is not allowed, and what to write instead."""
    if isinstance(node, exp.Window):
        return ExpressionError("a window function looks at other rows. Ask for one value for each row alone.")
    if isinstance(node, (exp.Query, exp.Subquery, exp.Exists)):
        return ExpressionError("a subquery looks at other rows. Write a condition about one row.")
    if isinstance(node, exp.AggFunc):
        return ExpressionError(f"{node.sql_name().lower()}() looks at many rows. Ask for it outside of the expression.")
    if isinstance(node, (exp.Placeholder, exp.Parameter, exp.SessionParameter)):
        return ExpressionError("parameters are not allowed. Write the value out.")
    if isinstance(node, (exp.Lambda, exp.JSONExtract)):
        return ExpressionError("lambdas and -> are not allowed. Write a condition about columns.")
    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector):
        try:
            call("regexp_matches" if node.key.startswith("regexp") else node.sql_name(), [])
        except Exception as error:
            return error
    return ExpressionError(
        f"{node.key} is not part of a row expression. Write columns, literals, operators and functions."
    )
