"""White box: what the samplers compare bits with is what the law says, to the last bit."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import twoworlds as tw
from twoworlds.noise import discrete_gaussian, discrete_laplace
from twoworlds.noise.bits import Stream
from twoworlds.noise.enclosure import divide, exp_minus, multiply
from twoworlds.noise.inverse import Inverse
from twoworlds.noise.loops import assemble_numpy

mp.mp.prec = 700


def _mp(x: Fraction) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


@pytest.mark.parametrize("t", ["0", "1/1000000", "0.5", "1", "3", "37.25", "100", "1000", "123456789/1000"])
@pytest.mark.parametrize("precision", [64, 192, 500])
def test_exponentials_are_enclosed(t: str, precision: int) -> None:
    low, high = exp_minus(Fraction(t), precision)
    exact = mp.exp(-_mp(Fraction(t))) * mp.mpf(2) ** precision
    assert low <= exact <= high
    assert high - low <= 3


def test_products_and_quotients_are_enclosed() -> None:
    a, b = exp_minus(Fraction(1), 100), exp_minus(Fraction("0.3"), 100)
    product, quotient = multiply(a, b, 100), divide(a, b, 100)
    assert product[0] <= mp.exp(mp.mpf("-1.3")) * mp.mpf(2) ** 100 <= product[1]
    assert quotient[0] <= mp.exp(mp.mpf("-0.7")) * mp.mpf(2) ** 100 <= quotient[1]


@pytest.mark.parametrize("scale", ["1/3", "1", "7/3", "10", "1000", "1000003/7"])
def test_laplace_thresholds_are_the_law(scale: str) -> None:
    """floor(2**64 c_j) for every edge of every digit, against 700-bit arithmetic."""
    s = Fraction(scale)
    sampler = discrete_laplace._Sampler(s)
    q, big = mp.exp(-1 / _mp(s)), mp.exp(-(2**sampler._shift) / _mp(s))
    edges = []
    for cell in range(1, sampler._top._cells + 1):
        j = cell // 2
        edges.append(1 - big**j if cell % 2 == 0 else 1 - big**j * (1 - (1 - big) / (1 + q)))
    assert sampler._top._thresholds.tolist() == [int(mp.floor(e * 2**64)) for e in edges]
    below = 0
    for width, digit in zip(sampler._widths, sampler._low, strict=True):
        ratio = mp.exp(-(2**below) / _mp(s))
        whole = 1 - ratio ** (1 << width)
        expected = [int(mp.floor((1 - ratio**j) / whole * 2**64)) for j in range(1, 1 << width)]
        assert digit._thresholds.tolist() == expected
        below += width


@pytest.mark.parametrize("variance", ["1/10", "1", "100", "4095", "5000", "1000003/7"])
def test_gaussian_thresholds_are_the_law(variance: str) -> None:
    v = Fraction(variance)
    sampler = discrete_gaussian._Sampler(v)
    width = 1 << sampler._shift
    weight = lambda k: mp.exp(-((mp.mpf(k) * width) ** 2) / (2 * _mp(v)))
    terms = [weight(k) for k in range(8 * sampler._inverse._cells + 40)]
    signed = not sampler._shift
    total = terms[0] + (2 if signed else 1) * mp.fsum(terms[1:])
    order = [(c + 1) // 2 for c in range(sampler._inverse._cells)] if signed else range(sampler._inverse._cells)
    reached, expected = mp.mpf(0), []
    for k in order:
        reached += terms[k]
        expected.append(int(mp.floor(reached / total * 2**64)))
    assert sampler._inverse._thresholds.tolist() == expected


class _Fixed(Stream):
    """Bits that were written down beforehand."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, size: int) -> memoryview:
        out, self._data = self._data[:size], self._data[size:]
        return memoryview(out.ljust(size, b"\0"))


def _bits_of(u: int, more: int = 0) -> _Fixed:
    """64 bits as one draw reads them, the 16 of the prefix first and then 48, and 64 more for a tie."""
    return _Fixed(
        (u >> 48).to_bytes(2, "little") + (u & (2**48 - 1)).to_bytes(6, "little") + more.to_bytes(8, "little")
    )


def _thirds(cells: int, precision: int) -> list[tuple[int, int]]:
    """A law on {0, 1, 2} with an edge that no binary fraction meets, enclosed."""
    third = (1 << precision) // 3
    return [(third, third + 1), (2 * third, 2 * third + 2), (1 << precision, 1 << precision)]


def test_a_tie_is_decided_by_more_bits() -> None:
    """64 bits equal to floor(2**64 / 3) leave the case open; the next 64 decide it, in the direction they say."""
    inverse = Inverse(_thirds, 3, lambda cell: cell, finite=True)
    tie = (1 << 64) // 3
    rest = (1 << 128) // 3 - (tie << 64)
    for more, cell in ((0, 0), (rest - 5, 0), (rest + 5, 1), (2**64 - 1, 1)):
        bits = _bits_of(tie, more)
        assert inverse.sample(1, bits, []).tolist() == [cell]
    assert inverse.sample(1, _bits_of(tie - 1), []).tolist() == [0]
    assert inverse.sample(1, _bits_of(tie + 1), []).tolist() == [1]


def test_the_table_and_the_search_read_bits_alike() -> None:
    """The same 64 bits give the same cell by the table of prefixes and by the search among thresholds."""
    inverse = discrete_laplace._Sampler(Fraction(10))._top
    words = np.random.default_rng(1).integers(0, 2**64, 5000, dtype=np.uint64)
    inverse.sample(4096, tw.noise.seeded(1).open(), [])  # builds the table
    assert inverse._table is not None
    looked_up = inverse._table[(words >> np.uint64(48)).astype("<u2")]
    decided = looked_up != -(2**15)
    assert decided.mean() > 0.95
    searched = inverse._values[np.searchsorted(inverse._thresholds, words, side="right")]
    assert np.array_equal(looked_up[decided], searched[decided])
    one_by_one = [int(inverse.sample(1, _bits_of(int(word)), [])[0]) for word in words[:500]]
    assert one_by_one == searched[:500].tolist()


def test_an_outcome_beyond_the_table_is_finished_exactly() -> None:
    """64 ones select a cell that no table holds; the search goes on in integers and ends at a larger number."""
    inverse = discrete_laplace._Sampler(Fraction(10))._top
    more = 2**32 - 1
    (value,) = inverse.sample(1, _bits_of(2**64 - 1, more), []).tolist()
    assert abs(value) > 440
    q = mp.exp(mp.mpf(-1) / 10)
    u = 1 - mp.mpf(2) ** -64 + mp.mpf(more) / mp.mpf(2) ** 128
    j = value if value >= 0 else ~value
    below = 1 - q**j if value >= 0 else 1 - q**j * (1 - (1 - q) / (1 + q))
    assert below <= u < 1 - q ** (j + 1)


class _Words(Stream):
    """A stream that gives given words, whatever is asked."""

    def __init__(self, *values: int) -> None:
        self._values = list(values)

    def words(self, n: int, dtype: str) -> np.ndarray:
        return np.full(n, self._values.pop(0) if self._values else 0, dtype=dtype)


def test_a_negative_zero_is_drawn_again() -> None:
    """Also where V is small and rejection is looked at twice: else zero would be too likely by one in thousands."""
    sampler = discrete_gaussian._Sampler(Fraction(64**2))
    assert sampler._attempt(5, _Words(0, 1, 0)).size == 0  # block 0, remainder 0, minus, V = 0
    assert sampler._attempt(5, _Words(0, 0, 0)).tolist() == [0] * 5
    assert sampler._attempt(5, _Words(0, 3, 2**16 - 1)).tolist() == [-1] * 5


def test_overflowing_cells_are_reported() -> None:
    """A law whose cells have huge values: what does not fit 16 bits is told with its position."""
    halves = lambda cells, precision: [((1 << precision) - (1 << (precision - j)),) * 2 for j in range(1, cells + 1)]
    inverse = Inverse(halves, 10, lambda cell: cell if cell < 10 else 10**9 + cell, finite=False)
    overflow: list[tuple[int, int]] = []
    out = inverse.sample(2, _Fixed(b"\x00\x00\xff\xff" + b"\xff" * 6 + b"\x00" * 16), overflow)
    assert out.tolist() == [0, 0]
    assert len(overflow) == 1
    assert overflow[0][0] == 1
    assert overflow[0][1] > 10**9


def test_the_compiled_loop_gives_the_same_numbers() -> None:
    loops = pytest.importorskip("numba") and __import__("twoworlds.noise.loops", fromlist=["x"])
    rng = np.random.default_rng(3)
    n = 1 << 16  # from here on the loop is used
    top = rng.integers(-700, 700, n).astype(np.int16)
    for widths in ([7], [8, 5]):
        low = [rng.integers(0, 1 << w, n).astype(np.int16) for w in widths]
        numpy, compiled = np.empty(n, np.int64), np.empty(n, np.int64)
        assemble_numpy(numpy, top, low, widths)
        loops.assemble(compiled, top, low, widths)
        magnitude = np.where(top >= 0, top, ~top).astype(np.int64)
        for digit, width in zip(reversed(low), reversed(widths), strict=True):
            magnitude = (magnitude << width) | digit
        assert np.array_equal(numpy, np.where(top >= 0, magnitude, ~magnitude))
        assert np.array_equal(numpy, compiled)


def test_seeded_noise_is_the_same_everywhere() -> None:
    """One number gives one noise on every machine, with and without the compiled loop."""
    draws = [
        tw.noise.DiscreteLaplace("1000003/7").sample(5000, rng=tw.noise.seeded(1)),
        tw.noise.DiscreteGaussian(10**9).sample(5000, rng=tw.noise.seeded(1)),
    ]
    digest = [hashlib.sha256(d.astype("<i8").tobytes()).hexdigest()[:16] for d in draws]
    assert digest == EXPECTED


EXPECTED = ["779f1773b5fd0f0e", "05aa2b267d901d5b"]


def test_the_rejection_of_the_gaussian_is_decided_in_integers_inside_the_band() -> None:
    sampler = discrete_gaussian._Sampler(Fraction(10**6))
    block, r = 100, 9
    a = Fraction(r * (2 * (block << sampler._shift) + r)) / (2 * 10**6)
    edge = int(mp.floor((1 - mp.exp(-_mp(a))) * 2**64))
    zero = tw.noise.seeded(1).open()
    assert not sampler._keeps(block, r, edge - 1, zero)
    assert sampler._keeps(block, r, edge + 1, zero)
    rest = int(mp.floor(((1 - mp.exp(-_mp(a))) * 2**64 - edge) * 2**64))
    assert not sampler._keeps(block, r, edge, _Fixed((rest - 1).to_bytes(8, "little")))
    assert sampler._keeps(block, r, edge, _Fixed((rest + 1).to_bytes(8, "little")))
    v = np.array([edge - 1, edge + 1, edge - 2**40, edge + 2**40], dtype=np.uint64)
    kept = sampler._keep(np.full(4, block, np.int16), np.full(4, r), v, zero)
    assert kept.tolist() == [False, True, False, True]


@pytest.mark.parametrize("variance", [Fraction(4096), Fraction(10**9), Fraction(2**112)])
def test_the_quick_bound_never_keeps_what_should_be_rejected(variance: Fraction) -> None:
    """V >= (K + 1) slope / 2**16 implies V >= 1 - exp(-a) for every remainder of the block."""
    sampler = discrete_gaussian._Sampler(variance)
    for block in (0, 1, 5, 100, 600):
        r = (1 << sampler._shift) - 1
        a = Fraction(r * (2 * (block << sampler._shift) + r)) / (2 * variance)
        assert min(sampler._slope * (block + 1), 65536) / mp.mpf(65536) >= 1 - mp.exp(-_mp(a))


def test_tiny_and_huge_parameters_are_sampled() -> None:
    assert not tw.noise.DiscreteLaplace("1e-300").sample(1000).any()
    assert tw.noise.DiscreteLaplace("1e-300").sample() == 0
    assert not tw.noise.DiscreteGaussian("1e-300").sample(1000).any()
    long = Fraction(10**200 + 1, 10**199)
    assert tw.noise.DiscreteLaplace(long).sample(100).dtype == np.int64
    big = tw.noise.DiscreteGaussian(2**112).sample(4000).astype(float)
    assert abs(big.std() / 2.0**56 - 1) < 5 / np.sqrt(2 * 4000)
