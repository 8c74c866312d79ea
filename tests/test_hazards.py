"""What broke the field's libraries: a numbered catalogue of bad inputs to samplers and floating point, 1 to 30."""

from __future__ import annotations

import concurrent.futures
import math
import multiprocessing
import os
import random
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import twoworlds as tw
from twoworlds import noise
from twoworlds.errors import ArgumentError, ArgumentTypeError, EntropyError, GridError
from twoworlds.mechanisms.grid import Grid


def _chi_square(law: Any, n: int, seed: int) -> float:
    draws = law.sample(n, rng=tw.noise.seeded(seed))
    reach = int(law.quantile(1 - 100 / n))
    k = np.arange(-reach, reach + 1)
    seen = np.bincount(np.clip(draws, -reach - 1, reach + 1) + reach + 1, minlength=2 * reach + 3)
    chance = np.concatenate([[law.cdf(-reach - 1)], law.pmf(k), [law.sf(reach)]])
    return float(stats.chisquare(seen, n * chance / chance.sum()).pvalue)


@pytest.mark.parametrize("scale", ["10", "3", "1/2", "1/3"])
def test_1_2_3_the_law_is_exact_at_every_scale(scale: str) -> None:
    """Rational scales whose reciprocals are not dyadic, and scales below one. (10^9 draws are a long run.)"""
    assert _chi_square(tw.noise.DiscreteLaplace(scale), 1_000_000, 1) > 1e-6


@pytest.mark.parametrize("scale", ["1/2", "1/3", 1, 10])
def test_3_8_the_chance_of_zero(scale: Any) -> None:
    law = tw.noise.DiscreteLaplace(scale)
    zero = math.tanh(0.5 / float(Fraction(scale)))
    assert law.pmf(0) == pytest.approx(zero, rel=1e-14)
    n = 400_000
    share = np.mean(law.sample(n, rng=tw.noise.seeded(2)) == 0)
    assert abs(share - zero) <= 5 * math.sqrt(zero * (1 - zero) / n)


@pytest.mark.parametrize("scale", [1000, Fraction(2**40, 3), 2**56])
def test_4_large_scales_are_exact(scale: Any) -> None:
    """Twenty cells of equal chance, to a chi-square of p above 1e-6."""
    law, n = tw.noise.DiscreteLaplace(scale), 400_000
    draws = law.sample(n, rng=tw.noise.seeded(3))
    assert draws.dtype == np.int64
    edges = law.quantile(np.arange(1, 20) / 20)
    seen = np.diff(np.concatenate([[0], np.searchsorted(np.sort(draws), edges, side="right"), [n]]))
    chance = np.diff(np.concatenate([[0], law.cdf(edges), [1]]))
    assert stats.chisquare(seen, n * chance).pvalue > 1e-6
    low = np.bincount(draws & 15, minlength=16)  # the lowest digits are uniform to 1e-3 and better at these scales
    assert stats.chisquare(low).pvalue > 1e-6


@pytest.mark.parametrize("scale", [0, -1, math.nan, math.inf, "1e-401", 10**30])
def test_5_scales_out_of_range_are_refused_before_any_draw(scale: Any) -> None:
    with pytest.raises(ArgumentError, match="scale"):
        tw.noise.DiscreteLaplace(scale)
    with pytest.raises(ArgumentError, match="variance"):
        tw.noise.DiscreteGaussian(scale if scale != 10**30 else 2**113)


def test_5_no_noise_only_for_a_number_that_nobody_can_move() -> None:
    release = tw.geometric(7, sensitivity=0, epsilon=1)
    assert release.value == 7
    assert release.interval().low == release.interval().high == 7
    assert tw.laplace(0.1, sensitivity=0, epsilon=1).value == pytest.approx(0.1, abs=1e-9)
    with pytest.raises(GridError, match="epsilon"):
        tw.geometric(7, sensitivity=2**50, epsilon="0.001")
    with pytest.raises(GridError, match="epsilon"):
        tw.laplace(np.zeros(1000), sensitivity=1, epsilon="1e-15")


def test_6_epsilon_is_capped_at_a_hundred() -> None:
    assert isinstance(tw.geometric(7, sensitivity=1, epsilon=100).value, int)
    with pytest.raises(ArgumentError, match="at most 100"):
        tw.geometric(7, sensitivity=1, epsilon="100.0001")
    with pytest.raises(ArgumentError, match="at most 100"):
        tw.gaussian(7, sensitivity=1, rho=101)


def test_9_the_tail_is_not_cut() -> None:
    """Draws beyond the 1e-6 quantile, against a binomial; a 53-bit uniform would end at 36.7 scales."""
    law, n = tw.noise.DiscreteLaplace(1000), 20_000_000
    edge = law.quantile(1 - 5e-7)
    draws = law.sample(n, rng=tw.noise.seeded(4))
    expected = n * 2 * law.sf(edge)
    assert abs(np.count_nonzero(np.abs(draws) > edge) - expected) <= 5 * math.sqrt(expected)


def _noise_in_a_child(_: int) -> tuple[int, ...]:
    law = tw.noise.DiscreteLaplace(10**6)
    return (*law.sample(8).tolist(), law.sample())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_10_forked_workers_draw_different_noise() -> None:
    tw.noise.DiscreteLaplace(10**6).sample(4)  # whatever is kept is kept before the fork
    tw.noise.DiscreteLaplace(10**6).sample()
    with multiprocessing.get_context("fork").Pool(3) as pool:
        seen = pool.map(_noise_in_a_child, range(6), chunksize=1)
    seen.append(_noise_in_a_child(0))
    assert len({draw for block in seen for draw in block}) == 9 * 7


def test_11_threads_share_no_block() -> None:
    law = tw.noise.DiscreteLaplace(10**9)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        blocks = list(pool.map(lambda _: law.sample(64).tolist() + [law.sample() for _ in range(16)], range(64)))
    draws = [x for block in blocks for x in block]
    assert len(set(draws)) > 0.999 * len(draws)
    source = tw.noise.seeded(1)  # one seeded source in many threads: still no stream twice
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(lambda _: tuple(law.sample(8, rng=source).tolist()), range(64)))
    assert len(set(shared)) == 64


def test_12_what_outlives_a_call_is_kept_on_a_short_lead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every draw asks the kernel anew, arrays open streams of their own, and a reserve is gone after a second."""
    asked: list[int] = []
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda n: asked.append(n) or real(n))
    law = tw.noise.DiscreteLaplace(12345)
    draws = (
        lambda: law.sample(),
        lambda: law.sample(5),
        lambda: law.sample(500),
        lambda: tw.laplace(1.0, sensitivity=1, epsilon=1),
    )
    for draw in draws:
        asked.clear()
        draw()
        assert asked
    reserve = noise.discrete_laplace._sampler(Fraction(12345))._reserve
    law.sample()
    kept = list(reserve._left)
    assert kept
    clock = time.monotonic() + 1.5
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    law.sample()
    assert not set(kept) >= set(reserve._left)
    clock -= 3600  # a clock that was set back throws it away too
    older = list(reserve._left)
    law.sample()
    assert reserve._left[:50] != older[:50]


def test_12_a_reserve_hands_nothing_out_twice() -> None:
    law = tw.noise.DiscreteLaplace(10**12)
    draws = [law.sample() for _ in range(9000)]
    draws += law.sample(60).tolist()
    assert len(set(draws)) == len(draws)


def test_13_global_seeds_have_no_effect() -> None:
    seen = []
    for _ in range(2):
        random.seed(1)
        np.random.seed(1)
        seen.append(tw.laplace(np.zeros(8), sensitivity=1, epsilon=1).value.tolist())
    assert seen[0] != seen[1]


def test_13_a_seeded_source_marks_what_it_touches() -> None:
    release = tw.laplace(1.0, sensitivity=1, epsilon=1, rng=tw.noise.seeded(1))
    assert release.seeded
    assert release.then(tw.Affine(2)).seeded
    assert release.then(abs).seeded
    assert "Seeded" in repr(release)
    for rng in (np.random.default_rng(1), random.Random(1), 1):
        with pytest.raises(ArgumentTypeError, match="rng"):
            tw.laplace(1.0, sensitivity=1, epsilon=1, rng=rng)  # type: ignore[arg-type]


def test_14_without_entropy_nothing_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: int) -> bytes:
        raise PermissionError("getrandom")

    monkeypatch.setattr(os, "urandom", fails)
    for draw in (
        lambda: tw.laplace(1.0, sensitivity=1, epsilon=1),
        lambda: tw.geometric([1, 2], sensitivity=1, epsilon=1),
        lambda: tw.noise.DiscreteGaussian(4).sample(),
    ):
        with pytest.raises(EntropyError, match="nothing is released"):
            draw()


@pytest.mark.parametrize(
    ("x", "y"), [(0.0, 1.0), (0.0, 2.0**-60), (2.0**40, 2.0**40 + 1), (1.0, 1.0 + 2.0**-52), (0.1, 0.3)]
)
def test_15_16_17_18_every_input_gives_the_same_lattice(x: float, y: float) -> None:
    """No lowest bit, no preimage: an output is a whole number of public steps whatever the input."""
    for value in (x, y):
        release = tw.laplace(np.full(2000, value), sensitivity=2000, epsilon=1, rng=tw.noise.seeded(6))
        assert release.step == 2.0**-10
        assert np.all(release.value / release.step == np.rint(release.value / release.step))


def test_15_the_lowest_bits_say_nothing() -> None:
    """Outputs of 0 and 1 as integers of steps: the parity of each is that of fair coins."""
    for value in (0.0, 1.0):
        release = tw.laplace(np.full(40_000, value), sensitivity=40_000, epsilon=1, rng=tw.noise.seeded(7))
        odd = np.mean(np.abs(np.rint(release.value / release.step)) % 2)
        assert abs(odd - 0.5) <= 5 * math.sqrt(0.25 / 40_000)


def test_20_rounding_commutes_with_whole_steps() -> None:
    """Half-even would move .5 to 0 and 1.5 to 2: two units for a distance of one."""
    grid = Grid(0)
    assert [grid.place(x) for x in (-1.5, -0.5, 0.5, 1.5, 2.5)] == [-1, 0, 1, 2, 3]
    assert grid.place(np.array([-1.5, -0.5, 0.5, 1.5, 2.5])).tolist() == [-1, 0, 1, 2, 3]
    below_half = math.nextafter(0.5, 0)  # adding 1/2 in doubles would give 1
    assert grid.place(below_half) == 0
    assert grid.place(np.array([below_half]))[0] == 0


def test_20_many_cells_move_further_than_the_ceiling() -> None:
    """A thousand cells that move a millionth in total can move a thousand steps; that is what the noise is for."""
    grid, below = Grid(0), np.full(1000, 0.5 - 5e-10)
    moved = np.abs(grid.place(below + 1e-9) - grid.place(below)).sum()
    assert moved == 1000 == math.ceil(1e-6) + 1000 - 1
    mechanism = tw.LaplaceMechanism(tw.query(lambda x: x, sensitivity="1e-6", size=1000), 1)
    law = mechanism.error(None)
    step = law.step
    assert law.law.scale == math.ceil(Fraction("1e-6") / Fraction(step)) + 999  # type: ignore[attr-defined]
    assert float(law.law.scale) * step <= 1.01e-6  # type: ignore[attr-defined]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("release", [tw.laplace, tw.gaussian])
def test_21_what_is_not_a_number_gets_a_declared_value(bad: float, release: Any) -> None:
    price = {"epsilon": 100} if release is tw.laplace else {"rho": 100}
    bounded = release([bad, 3.0], sensitivity="0.01", bounds=(2, 5), **price).value
    assert np.all(np.isfinite(bounded))
    assert bounded[0] == pytest.approx(5 if bad == math.inf else 2, abs=0.1)
    free = release(bad, sensitivity="0.01", **price).value
    assert math.isfinite(free)
    if math.isnan(bad):
        assert free == pytest.approx(0, abs=0.1)


def test_22_no_minus_zero_comes_out() -> None:
    for value in (0.0, -0.0):
        values = tw.laplace(np.full(5000, value), sensitivity=1, epsilon=100, rng=tw.noise.seeded(8)).value
        zeros = values[values == 0]
        assert not np.signbit(zeros).any()
    coarse = tw.gaussian([0.0, -0.0] * 500, sensitivity="0.01", rho=100, rng=tw.noise.seeded(8))
    assert not np.signbit(coarse.value[coarse.value == 0]).any()
    release = tw.geometric(0, sensitivity=0, epsilon=1).then(tw.Affine(-1))
    assert math.copysign(1, release.value) == 1


def test_23_extremes_are_clamped() -> None:
    values = tw.laplace([1e308, -1e308, 5e-324], sensitivity=1, epsilon=1, bounds=(-10, 10)).value
    assert np.all(np.abs(values) < 1000)
    free = tw.laplace([1e308, -1e308], sensitivity=1, epsilon=1)
    assert np.all(np.abs(free.value) <= 2.0**63 * free.step)
    assert np.isfinite(free.value).all()


def test_26_huge_integers_stay_integers() -> None:
    for value in (2**53 + 1, 2**61 + 1, -(2**62)):
        assert abs(tw.geometric(value, sensitivity=1, epsilon=100).value - value) <= 3
    assert tw.geometric(10**400, sensitivity=1, epsilon=1).value <= 2**63 - 1
    assert tw.geometric(np.array([2**64 - 1], dtype=np.uint64), sensitivity=1, epsilon=1).value[0] > 2**61
    assert tw.geometric(-(10**400), sensitivity=1, epsilon=1).value >= -(2**63)


def test_27_a_float_epsilon_is_the_decimal_it_prints_as() -> None:
    assert tw.geometric(1, sensitivity=1, epsilon=0.1).error == tw.noise.DiscreteLaplace(10)
    assert tw.pure(0.1) == tw.pure("0.1") == tw.pure(Fraction(1, 10))


def test_28_a_third_is_rounded_up() -> None:
    assert Fraction(tw.pure(Fraction(1, 3)).epsilon()) >= Fraction(1, 3)
    assert Fraction(tw.loss.discrete_laplace(3).epsilon()) >= Fraction(1, 3)


def test_29_the_integer_tail_is_not_the_continuous_one() -> None:
    """A threshold from the continuous tail would overspend: P(G > t) = q**(t+1) / (1 + q), not q**t / 2."""
    law, q = tw.noise.DiscreteLaplace(1), math.exp(-1)
    for t in (1, 5, 14):
        assert law.sf(t) == pytest.approx(q ** (t + 1) / (1 + q), rel=1e-13)


def test_30_above_and_at_least_are_different_events() -> None:
    law = tw.noise.DiscreteLaplace("0.5")
    assert law.sf(3) + law.pmf(3) == pytest.approx(law.sf(2), rel=1e-13)
    assert law.sf(2) / law.sf(3) == pytest.approx(math.e**2, rel=1e-12)
