"""What is given to be shown: a memo, or anything that answers `.memo()`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..errors import ArgumentError, ArgumentTypeError
from ..memo import Bars, Lines, Memo

__all__ = ["legible", "memo_of", "memos_of", "pictures_of"]

_ADVICE = "Give a release, a plan, a guarantee, a finding, or a memo"
# what neither XML nor a font can hold: control characters, halves of surrogate pairs, the two non-characters
_ILLEGIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def memo_of(x: Any, name: str = "x") -> Memo:
    """The memo of one thing."""
    if isinstance(x, Memo):
        return x
    ask = None if isinstance(x, type) else getattr(x, "memo", None)
    memo = ask() if callable(ask) else None
    if not isinstance(memo, Memo):
        raise ArgumentTypeError.expected(name, x, "it says nothing about itself", _ADVICE)
    return memo


def memos_of(x: Any) -> tuple[Memo, ...]:
    """The memos of one thing or of several, in their order."""
    if isinstance(x, Memo) or hasattr(x, "memo") or isinstance(x, str | bytes) or not isinstance(x, Iterable):
        return (memo_of(x),)
    memos = tuple(memo_of(one, f"x[{i}]") for i, one in enumerate(x))
    if not memos:
        raise ArgumentError.expected("x", x, "there is nothing to show", _ADVICE)
    return memos


def pictures_of(memo: Memo) -> tuple[Bars | Lines, ...]:
    """The parts of a memo that can be drawn."""
    return tuple(part for part in memo.parts if isinstance(part, Bars | Lines))


def legible(text: object) -> str:
    """A text that a file can hold and a reader can see: what is neither is marked, not dropped."""
    return _ILLEGIBLE.sub("\ufffd", str(text))
