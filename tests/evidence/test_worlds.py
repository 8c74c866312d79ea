"""Two worlds compared: the table of what the readings say beside the truth, and what holds always."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twoworlds.errors import ArgumentError
from twoworlds.evidence import compared, window
from twoworlds.evidence.density import reach

# shift in standard deviations, share of the databases, means of `truncated` and `delta` at epsilon .1 over many
# histories of 117 databases of a standard normal statistic
TABLE = [
    (8, 0.25, 0.0428, 0.2481),
    (3, 0.25, 0.0748, 0.2040),
    (1, 0.25, 0.0595, 0.0676),
    (0.5, 0.25, 0.0292, 0.0310),
    (0.1, 1, 0.0167, 0.0198),
    (0.001, 1, 0.0, 0.0001),
    (10, 1, None, 1.0),
]


@pytest.mark.parametrize(("shift", "share", "truncated", "delta"), TABLE)
def test_readings_on_normal_data(shift: float, share: float, truncated: float | None, delta: float) -> None:
    rng, t = np.random.default_rng(7), 117
    moved = round(share * t)
    readings = []
    for _ in range(200):
        without = rng.normal(size=t)
        with_ = without.copy()
        with_[:moved] += shift
        worlds = compared(with_, without)
        readings.append((worlds.truncated(0.1), worlds.delta(0.1)))
    assert abs(np.mean([d for _, d in readings]) - delta) <= 0.01
    if truncated is None:
        assert all(one is None for one, _ in readings)
    else:
        assert abs(np.mean([one for one, _ in readings]) - truncated) <= 0.01


def test_one_outlier_is_charged_no_more_than_its_share() -> None:
    """Present once in 117 months and eight standard deviations off: .0085, not the .048 of stretched end kernels."""
    without = np.random.default_rng(1).normal(size=117)
    with_ = without.copy()
    with_[40] += 8
    assert compared(with_, without).delta(0.1) <= 1 / 117


samples = st.lists(st.floats(-100, 100), min_size=1, max_size=60)


@settings(max_examples=150, deadline=None)
@given(samples)
def test_a_density_is_a_probability(values: list[float]) -> None:
    density = window(values)
    total = float(density.heights @ np.diff(density.edges)) + float(density.masses.sum())
    assert total == pytest.approx(1, abs=1e-9)
    assert (density.heights >= 0).all()


@settings(max_examples=150, deadline=None)
@given(samples, st.data())
def test_what_holds_always(values: list[float], data: st.DataObject) -> None:
    """Delta falls with epsilon, lies in [0, share changed], is the same both ways, and epsilon inverts it."""
    with_ = np.array(values)
    moves = data.draw(st.lists(st.floats(-5, 5), min_size=with_.size, max_size=with_.size))
    without = with_ + np.array(moves)
    worlds, mirrored = compared(with_, without), compared(without, with_)
    deltas = [worlds.delta(e) for e in (0, 0.1, 0.5, 1, 3)]
    assert all(a >= b - 1e-12 for a, b in itertools.pairwise(deltas))
    assert 0 <= deltas[-1] <= deltas[0] <= worlds.changed <= 1
    assert deltas == pytest.approx([mirrored.delta(e) for e in (0, 0.1, 0.5, 1, 3)])
    epsilon = worlds.epsilon(0.05)
    if math.isfinite(epsilon):
        assert worlds.delta(epsilon) <= 0.05 + 1e-9


def test_the_density_by_hand() -> None:
    """t = 5, k = 2: one window, one flat density; t = 9, k = 3: three windows, the outer two counted four times."""
    assert reach(117) == 11
    flat = window([0.0, 1.0, 2.0, 4.0, 8.0])
    assert np.allclose(flat.heights, 1 / 8)
    x = np.arange(9.0) ** 2
    widths = x[6:] - x[:3]
    by_hand = [
        sum(s / 9 / w for a, (s, w) in enumerate(zip((4, 1, 4), widths, strict=True)) if a <= j < a + 6)
        for j in range(8)
    ]
    assert np.allclose(window(x).heights, by_hand)


def test_tied_values_are_points_and_compared_as_points() -> None:
    ties = np.array([1.0] * 20 + list(np.linspace(2, 3, 20)))
    density = window(ties)
    assert density.points.tolist() == [1.0]
    assert 0 < density.masses[0] < 0.5
    assert compared(ties, ties).delta(0) == 0
    constant = np.full(10, 3.0)
    assert compared(constant, constant).delta(0) == 0
    assert compared(constant, constant + 1).delta(0.5) == 1
    assert compared([1.0], [2.0]).delta(1) == 1


def test_bad_samples_are_refused() -> None:
    for bad in ([], [math.nan], [1.0, math.inf]):
        with pytest.raises(ArgumentError, match="values"):
            window(bad)
    with pytest.raises(ArgumentError, match="databases"):
        compared([1.0], [1.0, 2.0])
    with pytest.raises(ArgumentError, match="epsilon"):
        compared([1.0, 2.0], [1.0, 2.0]).delta(-1)
