"""The additive mechanisms: the course's numbers, refusals by type, calibration to the last double."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import twoworlds as tw
from twoworlds.base import Mechanism, Unit
from twoworlds.errors import (
    ArgumentError,
    ArgumentTypeError,
    CalibrationError,
    GridError,
    NoErrorLawError,
    UnknownNameError,
)
from twoworlds.mechanisms.grid import Grid
from twoworlds.mechanisms.queries import root_up

B = [[1, 0, 0, 1, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0]]
X = np.array([1, 0, 2, 2, 3, 0])


def test_linear_queries_of_the_course() -> None:
    """Examples 2.4 to 2.7, questions 1, 2, 7 and 9."""
    assert tw.linear([B[0]]).answer(X, None).tolist() == [3]
    assert tw.linear(B).answer(X, None).tolist() == [3, 5, 2]
    eighth = tw.linear([["1/8", 0, 0, "1/8", 0, 0]])
    assert eighth.answer(X, None).tolist() == [Fraction(3, 8)]
    identity = np.eye(6, dtype=int)
    assert tw.linear_sensitivity(identity) == 1
    assert tw.linear_sensitivity(identity, change="replace") == 2
    assert tw.linear_sensitivity(B) == 3
    assert tw.linear_sensitivity(B, "replace") == 3
    assert tw.linear_sensitivity(B[:2]) == 2
    disjoint = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]
    assert (tw.linear_sensitivity(disjoint), tw.linear_sensitivity(disjoint, "replace")) == (1, 2)
    assert tw.linear_sensitivity([[1, 1]], "replace") == 0, "everybody counts, and n is fixed"


def test_l2_sensitivities_are_rounded_up() -> None:
    found = tw.linear_sensitivity(B, norm=2)
    assert Fraction(found) ** 2 >= 3
    assert found == pytest.approx(math.sqrt(3), rel=1e-15)
    assert tw.linear_sensitivity([[3], [4]], norm=2) == 5
    assert tw.linear_sensitivity(np.eye(6), "replace", norm=2) == pytest.approx(math.sqrt(2))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=1, max_size=4),
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
)
def test_linear_sensitivity_by_brute_force(matrix: list[list[int]], counts: list[int]) -> None:
    """No pair of neighbours is further apart, and some pair is as far."""
    query, x = tw.linear(matrix), np.array(counts) + 1
    answer = np.array(query.answer(x, None), dtype=int)
    moves = {"remove": [], "replace": []}
    for i in range(3):
        fewer = x.copy()
        fewer[i] -= 1
        moves["remove"].append(answer - np.array(query.answer(fewer, None), dtype=int))
        for j in range(3):
            other = fewer.copy()
            other[j] += 1
            moves["replace"].append(answer - np.array(query.answer(other, None), dtype=int))
    for change, found in moves.items():
        assert max(np.abs(m).sum() for m in found) == tw.linear_sensitivity(matrix, change)
        sensitivity = query.sensitivity(Unit(None, change))  # type: ignore[arg-type]
        assert max((m**2).sum() for m in found) == sensitivity.l2_squared
        assert max(np.abs(m).max() for m in found) == sensitivity.linf
        assert max((m != 0).sum() for m in found) <= sensitivity.cells


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=6),
    st.lists(st.floats(-3, 3), min_size=6, max_size=6),
    st.integers(-4, 3),
)
def test_no_vector_moves_further_on_the_grid_than_is_paid_for(values: list[float], moves: list[float], k: int) -> None:
    """ceil(S / step) + d - 1 in L1 and S / step + sqrt(d) in L2, in exact arithmetic; clamping does not add."""
    d = len(values)
    there = [float(Fraction(v) + Fraction(m)) for v, m in zip(values, moves, strict=False)]
    for grid in (Grid(k), Grid(k, -20, 30, -20)):
        a, b = grid.place(np.array(values)), grid.place(np.array(there))
        assert [grid.place(v) for v in values] == a.tolist(), "one by one as all at once"
        exact = [abs(Fraction(x) - Fraction(y)) / Fraction(2) ** k for x, y in zip(values, there, strict=True)]
        assert np.abs(a - b).sum() <= math.ceil(sum(exact)) + d - 1
        l2 = root_up(sum((e**2 for e in exact), Fraction(0)))
        assert ((a - b) ** 2).sum() <= (l2 + root_up(Fraction(d))) ** 2


def test_variances_of_the_course() -> None:
    """Questions 4 and 6, and the table of the two-sided geometric law."""
    assert tw.LaplaceMechanism(tw.linear(B), 1).error(Unit("p")).variance() == pytest.approx(18, rel=1e-4)
    assert tw.LaplaceMechanism(tw.linear(B), 10).error(Unit("p")).variance() == pytest.approx(0.18, rel=1e-4)
    for n, error in ((25, 0.1131371), (100, 0.02828427)):
        proportion = tw.query(lambda x: x, sensitivity=Fraction(1, n))
        assert math.sqrt(tw.LaplaceMechanism(proportion, "0.5").error(None).variance()) == pytest.approx(
            error, rel=1e-4
        )
    count = tw.query(len, sensitivity=1, integer=True)
    for epsilon, variance in ((1, 1.8413472), ("0.5", 7.8353962)):
        assert tw.GeometricMechanism(count, epsilon).error(None).variance() == pytest.approx(variance, rel=1e-7)
    assert tw.GeometricMechanism(tw.linear(B), 1).error(Unit("p")).variance() == pytest.approx(17.8342552, rel=1e-7)


def test_intervals_of_the_course() -> None:
    """Question 11, the vector of question 13, and a count at epsilon 1: +-2 with coverage .927."""
    release = tw.laplace(4.0, sensitivity=1, epsilon=1, rng=tw.noise.seeded(1))
    interval = release.interval(0.9)
    assert interval.high - release.value == pytest.approx(math.log(10), abs=2e-6)
    assert interval.high - interval.low >= 2 * math.log(10), "half a step is added for the rounding"
    vector = tw.laplace([5.0, -3.0, 1.0], sensitivity=3, epsilon=1, rng=tw.noise.seeded(2))
    both = vector.interval(0.95, simultaneous=True)
    assert np.allclose(both.high - vector.value, 12.2320327, atol=2e-4)
    assert both.simultaneous
    count = tw.geometric(3, sensitivity=1, epsilon=1, rng=tw.noise.seeded(3))
    assert (count.interval(0.9).low, count.interval(0.9).high) == (count.value - 2, count.value + 2)
    assert count.error.cdf(2) - count.error.cdf(-3) == pytest.approx(0.927, abs=5e-4)


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.9, 0.927, 0.95, 0.999999])
def test_intervals_cover_exactly(confidence: float) -> None:
    for law in (tw.noise.DiscreteLaplace(1), tw.noise.DiscreteLaplace("7/3"), tw.noise.DiscreteGaussian(5)):
        for cells in (1, 7):
            low, high = tw.noise.ranges.error_range(law, cells, confidence)
            inside = law.cdf(high) - law.cdf(low - 1)
            assert inside**cells >= confidence * (1 - 1e-12)
            if high > 0:
                assert (law.cdf(high - 1) - law.cdf(low)) ** cells < confidence


def test_post_processing() -> None:
    release = tw.laplace(3.0, sensitivity=1, epsilon=1, rng=tw.noise.seeded(4))
    clamped = release.then(lambda q: max(q, 0.0))
    assert clamped.guarantee == release.guarantee
    assert clamped.error is None
    assert clamped.unprocessed is release
    with pytest.raises(NoErrorLawError, match=r"\.unprocessed\.interval"):
        clamped.interval()
    halved = release.then(tw.Affine("0.5", 1))
    assert halved.value == release.value * 0.5 + 1
    before, after = release.interval(), halved.interval()
    assert after.low == pytest.approx(before.low * 0.5 + 1)
    assert after.high == pytest.approx(before.high * 0.5 + 1)
    mirrored = release.then(tw.Affine(-2)).interval()
    assert mirrored.low == pytest.approx(-2 * before.high)
    named = release.then(lambda q: {"low": q - 1, "high": q + 1})
    assert named["low"].value == release.value - 1
    assert named.columns == ("low", "high")
    with pytest.raises(ArgumentError, match="times"):
        tw.Affine(0)


def test_clamping_at_zero_reduces_the_variance() -> None:
    """The course's example, against the closed form of Var max(0, q + Laplace(b))."""
    b, q, n = 1.0, 3.0, 40_000
    noisy = tw.laplace(np.full(n, q), sensitivity=n, epsilon=1, rng=tw.noise.seeded(5))
    one = (noisy.value - q) / n + q  # the noise of one number at sensitivity 1
    clamped = np.maximum(one, 0)
    exact = 2 * b**2 - math.exp(-q / b) * (b**2 + q * b) - b**2 / 4 * math.exp(-2 * q / b)
    assert exact == pytest.approx(1.8002320, abs=1e-6)
    spread = np.std((clamped - clamped.mean()) ** 2) / math.sqrt(n)
    assert abs(clamped.var() - exact) <= 5 * spread


def test_a_third_of_a_count_is_refused_by_its_type() -> None:
    for values in (1 / 3, [1.0, 2.0], np.array([3.0]), Fraction(1, 3)):
        with pytest.raises(ArgumentTypeError, match="a third of a count"):
            tw.geometric(values, sensitivity=1, epsilon=1)
    with pytest.raises(ArgumentTypeError, match="a third of a count"):
        tw.GeometricMechanism(tw.linear([["1/3"]]), 1)
    with pytest.raises(ArgumentTypeError, match="a third of a count"):
        tw.GeometricMechanism(tw.query(len, sensitivity=1), 1)
    assert isinstance(tw.geometric(3, sensitivity=1, epsilon=1).value, int)
    assert tw.geometric([3, 4], sensitivity=1, epsilon=1).value.dtype == np.int64


def test_values_are_refused_by_type_and_shape() -> None:
    for bad in ("3", [1, "2"], [[1, 2], [3]], 1j, np.array(["a"]), np.datetime64("2020-01-01")):
        with pytest.raises(ArgumentTypeError, match="values"):
            tw.laplace(bad, sensitivity=1, epsilon=1)
    for empty in ([], np.array([]), np.zeros((0, 3))):
        with pytest.raises(ArgumentError, match="no numbers"):
            tw.laplace(empty, sensitivity=1, epsilon=1)
    for bounds in ((1, 0), (1, 1), (0, math.inf), (math.nan, 1), 3, (1, 2, 3)):
        with pytest.raises((ArgumentError, ArgumentTypeError), match="bounds"):
            tw.laplace(1.0, sensitivity=1, epsilon=1, bounds=bounds)
    with pytest.raises(GridError, match="too wide"):
        tw.laplace(1.0, sensitivity="1e-9", epsilon=1, bounds=(0, "1e30"))


def test_the_guarantee_holds_the_unit_it_was_given() -> None:
    assert tw.laplace(1.0, sensitivity=1, epsilon=1).guarantee == tw.pure(1)
    assert tw.laplace(1.0, sensitivity=1, epsilon=1, unit="person").guarantee == tw.pure(1, unit="person")
    assert tw.gaussian(1.0, sensitivity=1, rho="0.5").guarantee == tw.zcdp("0.5")
    assert tw.plan(tw.GeometricMechanism(tw.linear(B), 1), X).guarantee == tw.pure(1, unit=Unit(None))


def test_rounding_adds_at_most_one_percent() -> None:
    for d, epsilon in itertools.product((1, 10, 10_000), ("0.01", 1, 100)):
        law = tw.LaplaceMechanism(tw.query(lambda x: x, sensitivity=1, size=d), epsilon).error(None)
        assert 1 <= law.mean_absolute() * float(epsilon) + 1e-6 <= 1.011
        law = tw.GaussianMechanism(tw.query(lambda x: x, sensitivity=1, size=d, norm=2), epsilon).error(None)
        assert 1 - 1e-6 <= law.variance() * 2 * float(epsilon) <= 1.022


def test_integer_gaussian_and_replace() -> None:
    mechanism = tw.GaussianMechanism(tw.linear(np.eye(3, dtype=int)), "0.5")
    assert mechanism.error(Unit("p")) == tw.noise.DiscreteGaussian(1)
    assert mechanism.error(Unit("p", "replace")) == tw.noise.DiscreteGaussian(2)
    geometric = tw.GeometricMechanism(tw.linear(np.eye(3, dtype=int)), 1)
    assert geometric.error(Unit("p", "replace")) == tw.noise.DiscreteLaplace(2)


def test_batches_have_named_columns() -> None:
    count = tw.query(len, sensitivity=1, integer=True)
    total = tw.query(sum, sensitivity=10)
    both = tw.batch(n=tw.GeometricMechanism(count, "0.5"), total=tw.LaplaceMechanism(total, 1, bounds=(0, 100)))
    assert isinstance(both, Mechanism)
    plan = tw.plan(both, [1, 2, 3], "person")
    assert plan.guarantee.epsilon() == 1.5
    release = plan.run(rng=tw.noise.seeded(1))
    assert release.columns == ("n", "total")
    assert set(release.value) == {"n", "total"}
    assert release["n"].guarantee == tw.pure("0.5", unit="person")
    assert release.interval(0.9, column="total").low < release["total"].value
    assert set(plan.expected()) == {"n", "total"}
    assert plan.check()["total"] == {"cells": 1, "clamped": 0, "missing": 0}
    with pytest.raises(ArgumentError, match="Name one"):
        release.interval()
    with pytest.raises(UnknownNameError, match="Those that exist: n, total"):
        release["m"]
    nested = tw.batch(inner=both, n=tw.GeometricMechanism(count, 1))
    assert set(nested.expected(Unit("p"), 0.9)) == {"inner.n", "inner.total", "n"}
    assert tw.plan(nested, [1], "p").run()["inner"]["n"].step == 1
    with pytest.raises(ArgumentError, match="at least one"):
        tw.batch()
    with pytest.raises(ArgumentTypeError, match="m is of type int"):
        tw.batch(m=3)  # type: ignore[arg-type]


def test_calibration_ends_on_the_right_side_of_the_last_double() -> None:
    count = tw.query(len, sensitivity=1, integer=True)
    made = tw.calibrate(lambda epsilon: tw.GeometricMechanism(count, epsilon), within=50)
    assert made.expected(None, 0.95)["value"].half_width <= 50
    less = tw.GeometricMechanism(count, math.nextafter(float(made.epsilon), 0))
    assert less.expected(None, 0.95)["value"].half_width > 50
    promise = tw.approx(1, 1e-6)
    gaussian = tw.calibrate(lambda rho: tw.GaussianMechanism(count, rho), promise=promise)
    assert gaussian.guarantee(None).epsilon(1e-6) <= 1
    more = tw.GaussianMechanism(count, math.nextafter(float(gaussian.rho), 1))
    assert more.guarantee(None).epsilon(1e-6) > 1
    whole = tw.calibrate(lambda epsilon: tw.GeometricMechanism(count, epsilon), promise=tw.pure("0.7"))
    assert whole.guarantee(None).epsilon() == 0.7
    with pytest.raises(CalibrationError, match="within"):
        tw.calibrate(lambda epsilon: tw.LaplaceMechanism(tw.query(len, sensitivity=1), epsilon), within="1e-12")
    with pytest.raises(ArgumentTypeError, match="make"):
        tw.calibrate(3, within=1)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="one goal"):
        tw.calibrate(lambda epsilon: tw.GeometricMechanism(count, epsilon))


def test_plans_read_nothing_until_they_run() -> None:
    def explode(_: object) -> int:
        raise AssertionError("read")

    plan = tw.plan(tw.GeometricMechanism(tw.query(explode, sensitivity=1, integer=True), 1), object(), "person")
    assert "Expected error" in repr(plan)
    assert plan.memo().facts["expected"]["value"]["half_width"] == 3.0
    assert plan._repr_html_()
    with pytest.raises(AssertionError, match="read"):
        plan.run()


def test_what_a_query_returns_is_checked_by_type_and_size() -> None:
    wrong_size = tw.LaplaceMechanism(tw.query(lambda x: x, sensitivity=1, size=3), 1)
    with pytest.raises(ArgumentError, match="another number of cells"):
        tw.plan(wrong_size, [1.0, 2.0], "p").run()
    not_integer = tw.GeometricMechanism(tw.query(lambda x: 1.0, sensitivity=1, integer=True), 1)
    with pytest.raises(ArgumentTypeError, match="declared as integer"):
        tw.plan(not_integer, 0, "p").run()
    with pytest.raises(ArgumentError, match="6 columns"):
        tw.plan(tw.GeometricMechanism(tw.linear(B), 1), np.array([1, 2]), "p").run()
    with pytest.raises(ArgumentTypeError, match="integers"):
        tw.plan(tw.GeometricMechanism(tw.linear(B), 1), np.ones(6), "p").run()
    with pytest.raises(ArgumentTypeError, match="query"):
        tw.LaplaceMechanism(3, 1)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="mechanism"):
        tw.plan(3, [1])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="names"):
        tw.query(len, sensitivity=1, size=2, labels=["a"])


def test_released_arrays_are_read_only() -> None:
    release = tw.geometric([1, 2, 3], sensitivity=1, epsilon=1)
    with pytest.raises(ValueError, match="read-only"):
        release.value[0] = 5
