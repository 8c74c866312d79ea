"""The source of random bits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import twoworlds as tw
from twoworlds.noise import bits
from twoworlds.noise.bits import Stream


def test_streams_go_on_past_a_block_with_a_new_key() -> None:
    stream = Stream(b"k" * 32)
    whole = bytes(stream.take(3 << 20))
    again, parts = Stream(b"k" * 32), b""
    for size in (1, 7, 1 << 20, 12345, 1 << 19):
        parts += bytes(again.take(size))
    assert whole.startswith(parts)
    assert len({whole[i : i + 32] for i in range(0, 3 << 20, 1 << 16)}) == 48
    counts = np.bincount(np.frombuffer(whole, np.uint8), minlength=256)
    assert stats.chisquare(counts).pvalue > 1e-6


def test_the_next_key_is_never_output() -> None:
    """The first 32 bytes of a block's key stream become the next key; what is handed out starts behind them."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    raw = Cipher(algorithms.AES(b"k" * 32), modes.CTR(bytes(16))).encryptor().update(bytes(64))
    assert bytes(Stream(b"k" * 32).take(32)) == raw[32:]


def test_seeded_sources_repeat_and_their_streams_differ() -> None:
    one, other = tw.noise.seeded(5), tw.noise.seeded(5)
    first, second = bytes(one.open().take(16)), bytes(one.open().take(16))
    assert (first, second) == (bytes(other.open().take(16)), bytes(other.open().take(16)))
    assert first != second
    assert first != bytes(tw.noise.seeded(6).open().take(16))
    assert repr(one) == "seeded(5)"
    for bad in (True, 1.5, "1", None):
        with pytest.raises(TypeError, match="seed"):
            tw.noise.seeded(bad)  # type: ignore[arg-type]


def test_the_kernel_is_never_marked() -> None:
    assert not bits.source(None).seeded
    assert bits.source(None).open().integer(64) != bits.source(None).open().integer(64)
    assert len(bits.kernel_bytes(5)) == 5


def test_uniforms_are_inside_the_unit_interval() -> None:
    u = tw.noise.seeded(1).open().uniforms(100_000)
    assert 0 < u.min() < u.max() < 1
    assert stats.kstest(u, "uniform").pvalue > 1e-6
