"""Random bits: from the kernel for releases, from a number for tests and teaching.

Every block of draws, however large, opens a stream of its own: 32 fresh bytes from the kernel key AES-256 in counter
mode, and after each MiB the first 32 bytes of output replace the key (fast key erasure), so that a memory image tells
nothing about earlier noise. A stream never outlives the call that opened it, so there is none that a fork, a thread or
a restored snapshot could replay, and no lock to forget. (What outlives a call is the reserve of single draws, in
reserve.py.)
"""

from __future__ import annotations

import hashlib
import os
import threading
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ..errors import ArgumentTypeError, EntropyError

__all__ = ["KERNEL", "Source", "Stream", "kernel_bytes", "seeded", "source"]

_BLOCK = 1 << 20
_ZEROS = bytes(_BLOCK)
_SLACK = 16  # update_into asks for room for one more cipher block


class Stream:
    """Uniform random bits from one key, for one call in one thread."""

    def __init__(self, key: bytes) -> None:
        self._rekey(key)

    def _rekey(self, key: bytes) -> None:
        # The nonce may be constant because a key is used for one block only.
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self._next_key = self._cipher.update(_ZEROS[:32])
        self._left = _BLOCK - 32

    def take(self, size: int) -> memoryview:
        """`size` random bytes."""
        out = memoryview(bytearray(size + _SLACK))
        filled = 0
        while filled < size:
            if not self._left:
                self._rekey(self._next_key)
            step = min(size - filled, self._left)
            self._cipher.update_into(memoryview(_ZEROS)[:step], out[filled:])
            filled += step
            self._left -= step
        return out[:size]

    def words(self, n: int, dtype: str) -> np.ndarray[Any, Any]:
        """`n` uniform words of a little-endian unsigned dtype such as '<u2'."""
        return np.frombuffer(self.take(n * np.dtype(dtype).itemsize), dtype=dtype)

    def integer(self, bits: int) -> int:
        """A uniform integer below 2**bits; bits is a multiple of 8."""
        return int.from_bytes(self.take(bits // 8), "little")

    def uniforms(self, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        """`n` doubles inside (0, 1), on the midpoints of a grid of 2**-53: for simulation, never for a release."""
        return ((self.words(n, "<u8") >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


class Source(ABC):
    """Where streams come from."""

    @property
    def seeded(self) -> bool:
        """Whether somebody could know them: of every source but the kernel."""
        return self is not KERNEL

    @abstractmethod
    def open(self) -> Stream:
        """A new stream, independent of every other."""


class _Kernel(Source):
    """The kernel's random bytes; it refuses rather than fall back on anything else."""

    def open(self) -> Stream:
        return Stream(kernel_bytes(32))


def kernel_bytes(size: int) -> bytes:
    """Random bytes of the operating system, or a refusal."""
    try:
        return os.urandom(size)
    except (OSError, NotImplementedError) as error:
        raise EntropyError(
            "the operating system gives no random bits, so no noise is drawn and nothing is released. "
            "Wait until its random device works, then run again."
        ) from error


class _Seeded(Source):
    """A repeatable source: the same number gives the same noise on every machine."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._opened = 0
        self._lock = threading.Lock()

    def open(self) -> Stream:
        with self._lock:
            turn, self._opened = self._opened, self._opened + 1
        return Stream(hashlib.sha256(f"twoworlds seeded {self.number} {turn}".encode("ascii")).digest())

    def __repr__(self) -> str:
        return f"seeded({self.number})"


KERNEL = _Kernel()


def seeded(number: int) -> Source:
    """A marked, repeatable source for `rng=`: for tests and teaching.

    A release that used it says so (`release.seeded`), because whoever knows the number can take the noise off again.

    >>> seeded(1).open().integer(16) == seeded(1).open().integer(16)
    True
    """
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
        raise ArgumentTypeError.expected("seed", number, "a whole number is needed")
    return _Seeded(int(number))


def source(rng: Source | None) -> Source:
    """What `rng=` stands for: the kernel, or a marked source; nothing else is taken."""
    if rng is None:
        return KERNEL
    if not isinstance(rng, Source):
        raise ArgumentTypeError.expected(
            "rng",
            rng,
            "noise comes from the operating system (rng=None) or from a marked source",
            "Use rng=tw.noise.seeded(n)",
        )
    return rng
