"""Draws made one or a few at a time come from a reserve, so that their duration says nothing about their values.

An exact sampler takes a few nanoseconds longer for some values than for others, and a clock that is close enough sees
it. So single draws are made in advance, 512 at a time, and handed out as they were made: taking one is the same
work whatever it is.

A reserve is the only thing in this room that outlives a call, so it is kept on a short lead. A forked process never
sees its parent's; threads take under a lock; nothing is taken from it a second after it was made, so that what an idle
process carries into a snapshot is never used; and which of the draws comes next is decided by fresh bytes of the
kernel, without which nothing is handed out. (Two copies of a machine restored within that second can still hand out an
equal draw, about one in 512 of them. Where machines are copied while they release, draw arrays.) Arrays of more than a
few numbers, and seeded sources, do without.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from .bits import KERNEL, Source, Stream, kernel_bytes

__all__ = ["Sampler"]

_SIZE = 512  # few enough to lie in the nearest cache: a draw that has to be fetched from afar takes longer
_FEW = 64  # arrays up to this length are taken from the reserve too
_SECONDS = 1.0

_Array = np.ndarray[Any, np.dtype[np.int64]]


class Sampler(ABC):
    """Exact draws of one integer law, kept by its public parameters."""

    def __init__(self) -> None:
        self._reserve = _Reserve(self)

    @abstractmethod
    def many(self, n: int, stream: Stream) -> _Array:
        """`n` draws from the bits of a stream."""

    def drawn(self, n: int | None, rng: Source) -> Any:
        """`n` draws as int64, or one as an int."""
        if rng.seeded:
            out = self.many(1 if n is None else n, rng.open())
            return int(out[0]) if n is None else out
        if n is None:
            return self._reserve.take(1)[0]
        if n <= _FEW:
            return np.array(self._reserve.take(n), dtype=np.int64)
        return self.many(n, rng.open())


class _Reserve:
    """Draws not yet handed out, of one process, for a second."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = weakref.ref(sampler)
        self.forget()
        _ALL.add(self)

    def forget(self) -> None:
        """Nothing is left of what was drawn before, nor of who held the lock."""
        self._lock = threading.Lock()
        self._left: list[int] = []
        self._made = -_SECONDS
        self._process = os.getpid()

    def take(self, n: int) -> list[int]:
        """`n` draws made from kernel bits, which nobody gets again."""
        picks = kernel_bytes(2 * n)
        if self._process != os.getpid():  # forked without Python's knowledge
            self.forget()
        with self._lock:
            age = time.monotonic() - self._made
            if len(self._left) < n or not 0 <= age < _SECONDS:
                sampler = self._sampler()
                assert sampler is not None
                self._left = sampler.many(_SIZE, KERNEL.open()).tolist()
                self._made = time.monotonic()
            left, out = self._left, []
            for i in range(0, 2 * n, 2):
                place = (picks[i] << 8 | picks[i + 1]) % len(left)
                left[place], left[-1] = left[-1], left[place]
                out.append(left.pop())
            return out


_ALL: weakref.WeakSet[_Reserve] = weakref.WeakSet()


def _after_fork() -> None:
    for reserve in list(_ALL):
        reserve.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
