"""Labels and numbers as they stand in a picture: wrapped to their room, and only as many as there is room for."""

from __future__ import annotations

import math
import textwrap
import unicodedata
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..memo import shown_number
from .reading import legible

__all__ = ["line_count", "numbers", "ticks", "wrapped"]

_LETTER = 0.6  # the width of an average letter, in sizes
_DIGITS = 10


def wrapped(text: object, room: float, most: int) -> str:
    """A text in lines that fit in `room` sizes of its letters, cut after `most` lines."""
    whole = legible(text)
    average = sum(map(_width, whole)) / len(whole) if whole else _LETTER
    lines = textwrap.wrap(whole, max(int(room / average), 4), max_lines=most, placeholder=" …")
    return "\n".join(lines)


def line_count(text: str) -> int:
    """How many lines a wrapped text has."""
    return text.count("\n") + 1


def numbers(values: Iterable[Any] | None) -> Any:
    """Doubles, with what is not known as NaN; empty where nothing was given."""
    return np.array([math.nan if one is None else _double(one) for one in ([] if values is None else values)])


def ticks(axis: Any, limits: tuple[float, float], room: float) -> None:
    """As many ticks as there is room for their numbers, with as many decimals as tell them apart."""
    widest = max(len(_number(float(f"{one:.2g}"))) for one in limits)
    most = room / (_LETTER * min(widest, 9) + 1.5)
    axis.get_major_locator().set_params(nbins=int(min(max(most, 2), 7)), steps=(1, 2, 5, 10))
    places = [float(one) for one in axis.get_ticklocs()]
    step = min((after - before for before, after in pairwise(places)), default=1.0)
    exact = (d for d in range(_DIGITS) if all(abs(round(one, d) - one) < 1e-3 * step for one in places))
    digits = next(exact, None) if max(map(abs, limits)) < 1e12 else None
    axis.set_major_formatter(partial(_number, digits=digits))  # not a lambda: figures can be pickled


def _number(value: float, position: int | None = None, digits: int | None = None) -> str:
    """A number on an axis; None is six significant digits. `position` is matplotlib's."""
    text = shown_number(float(value)) if digits is None else f"{value:,.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}")


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the doubles
        return math.inf if value > 0 else -math.inf


def _width(letter: str) -> float:
    if letter in "mwMW@%" or unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.72 if letter.isupper() else _LETTER
