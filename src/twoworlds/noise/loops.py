"""The last step of bulk sampling: digits put together into 64-bit integers.

With the `fast` extra a compiled loop does it in one pass; without, NumPy does it in several. The numbers are the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

__all__ = ["assemble", "compiled"]

_WORTHWHILE = 1 << 16  # draws from which the compiled loop pays for being loaded
_Array = np.ndarray[Any, Any]


def assemble(out: _Array, top: _Array, low: list[_Array], widths: list[int]) -> None:
    """out = (top << sum(widths)) with the low digits below it, mirrored where top is negative."""
    loop = _loop() if low and out.size >= _WORTHWHILE else None
    if loop is None or len(low) > 2:
        assemble_numpy(out, top, low, widths)
    else:
        second = low[1] if len(low) == 2 else low[0]
        loop(out, top, low[0], second, widths[0], widths[1] if len(low) == 2 else 0)


def assemble_numpy(out: _Array, top: _Array, low: list[_Array], widths: list[int]) -> None:
    """The same with array operations."""
    out[...] = top
    if not low:
        return
    mirror = top >> 15  # -1 where the draw is negative: its digits count downwards, which is their complement
    for digit, width in zip(reversed(low), reversed(widths), strict=True):
        np.left_shift(out, width, out=out)
        np.bitwise_or(out, digit ^ (mirror & ((1 << width) - 1)), out=out)


def compiled() -> bool:
    """Whether the compiled loop is in use."""
    return _loop() is not None


@cache
def _loop() -> Callable[..., None] | None:
    """The compiled loop, or None without numba (or with TWOWORLDS_COMPILED=0)."""
    if os.environ.get("TWOWORLDS_COMPILED") == "0":
        return None
    try:
        from numba import njit
    except ImportError:
        return None

    def assemble_loop(out: _Array, top: _Array, first: _Array, second: _Array, width: int, width2: int) -> None:
        for i in range(out.size):
            t = np.int64(top[i])
            mirror = t >> 15
            x = t
            if width2 > 0:
                x = (x << width2) | (np.int64(second[i]) ^ (mirror & ((1 << width2) - 1)))
            out[i] = (x << width) | (np.int64(first[i]) ^ (mirror & ((1 << width) - 1)))

    loop: Callable[..., None] = njit(nogil=True)(assemble_loop)
    return loop
