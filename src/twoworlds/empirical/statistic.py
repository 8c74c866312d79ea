"""Statistics whose value without an individual follows from small sums, never from recomputing.

A statistic is a function of the sums over a database; leaving somebody out subtracts that somebody's own sums.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError, ArgumentTypeError

__all__ = ["Statistic", "statistic"]

_Array = np.ndarray[Any, np.dtype[np.float64]]
_CALL = re.compile(r"\s*(COUNT|SUM|AVG)\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)
_KNOWN = "COUNT(*), COUNT(x), SUM(x), AVG(x) and a ratio SUM(x) / SUM(y)"


@dataclass(frozen=True, eq=False)
class Statistic:
    """`text` as it was asked, the inputs whose sums it needs, and its value from rows of sums (NaN where undefined).

    The columns of `sums` are the rows, and for each input the count, the sum and the sum of squares of known values.
    """

    text: str
    inputs: tuple[str, ...]
    value: Callable[[_Array], _Array]


def statistic(text: str) -> Statistic:
    """A statistic from its SQL.

    >>> statistic("AVG(failed)").inputs
    ('failed',)
    """
    if not isinstance(text, str):
        raise ArgumentTypeError.expected("statistic", text, "a string such as 'AVG(failed)' is needed")
    parts = _halves(text)
    calls = [_CALL.fullmatch(part) for part in parts]
    if any(call is None or not _closes(call[2]) for call in calls):
        raise ArgumentError.expected("statistic", text, f"not a statistic that is known here: {_KNOWN}")
    found = [(call[1].upper(), call[2].strip()) for call in calls if call is not None]
    if len(found) == 2:
        if {name for name, _ in found} != {"SUM"}:
            raise ArgumentError.expected("statistic", text, "a ratio is one of two sums", "Write SUM(x) / SUM(y)")
        return Statistic(text, (found[0][1], found[1][1]), lambda s: _ratio(s[..., 2], s[..., 5]))
    ((name, inside),) = found
    if inside == "*":
        if name != "COUNT":
            raise ArgumentError.expected("statistic", text, f"{name} needs an expression", "Only COUNT takes *")
        return Statistic(text, (), lambda s: s[..., 0])
    values: dict[str, Callable[[_Array], _Array]] = {
        "COUNT": lambda s: s[..., 1],
        "SUM": lambda s: s[..., 2],
        "AVG": lambda s: _ratio(s[..., 2], s[..., 1]),
    }
    return Statistic(text, (inside,), values[name])


def _ratio(top: _Array, bottom: _Array) -> _Array:
    """top / bottom, undefined where the bottom is zero."""
    return np.where(bottom == 0, np.nan, top / np.where(bottom == 0, 1.0, bottom))


def _halves(text: str) -> list[str]:
    """What stands before and behind a slash that is in no parenthesis."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "/" and depth == 0:
            return [text[:place], text[place + 1 :]]
    return [text]


def _closes(inside: str) -> bool:
    """Whether parentheses are balanced within: the call ends where it seems to."""
    depth = 0
    for letter in inside:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0
