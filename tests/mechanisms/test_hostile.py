"""Inputs that once got a wrong number or a wrong price through, each kept so that it cannot come back."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import twoworlds as tw
from twoworlds.base import Finding, Release
from twoworlds.errors import ArgumentError, ArgumentTypeError, NotAGuaranteeError, UnitError
from twoworlds.guarantees import codec
from twoworlds.mechanisms.grid import INTEGERS, added
from twoworlds.noise.bits import KERNEL, Source, Stream

NUMBER = tw.query(lambda d: 0.0, sensitivity=1)


@pytest.mark.parametrize("delta", ["1e-6", Fraction(1, 3_000_000), "0.37"])
def test_a_promise_whose_delta_is_no_double(delta: object) -> None:
    """Read as a double its delta fell below itself, nothing was promised, and anything kept the promise."""
    for promise in (tw.approx("0.1", delta, unit="person").under("replace"), tw.approx(1, delta)):
        made = tw.calibrate(lambda e: tw.LaplaceMechanism(NUMBER, e), promise=promise)
        implied = made.guarantee(promise.unit)
        assert implied.epsilon(promise.at_delta) <= float(promise.at_epsilon)
        assert "Nothing is promised" not in tw.promise(promise)


def test_a_rho_is_promised_along_its_whole_curve() -> None:
    """A Laplace mechanism that meets a rho at one delta breaks it elsewhere."""
    promise = tw.zcdp("0.1")
    made = tw.calibrate(lambda e: tw.LaplaceMechanism(NUMBER, e), promise=promise).guarantee(None)
    assert made.concentrated[0] <= promise.rho
    for epsilon in (0.1, 0.5, 1.0, 2.0):
        assert made.delta(epsilon) <= promise.delta(epsilon)
    gaussian = tw.calibrate(lambda r: tw.GaussianMechanism(NUMBER, r), promise=promise)
    assert gaussian.guarantee(None) == promise
    with pytest.raises(ArgumentTypeError, match="promise"):
        tw.calibrate(lambda e: tw.LaplaceMechanism(NUMBER, e), promise=tw.loss.discrete_gaussian(4))
    with pytest.raises(UnitError):
        tw.calibrate(lambda e: tw.LaplaceMechanism(NUMBER, e), promise=tw.pure(1, unit="a"), unit="b")


def test_only_the_kernel_is_unmarked_and_fills_reserves() -> None:
    class Mine(Source):
        def open(self) -> Stream:
            return Stream(b"k" * 32)

    assert Mine().seeded
    assert not KERNEL.seeded
    with pytest.raises(AttributeError):
        tw.noise.seeded(1).seeded = False  # type: ignore[misc]
    law = tw.noise.DiscreteLaplace(987654321)
    known = {law.sample(rng=Mine()) for _ in range(20)}
    assert len(known) == 1
    assert not known & {law.sample() for _ in range(600)}


def test_types_that_numpy_would_have_chosen_by_value() -> None:
    for values in ([2**62, -1], [2**63, -1], [1, None], [None]):
        assert tw.geometric(values, sensitivity=1, epsilon=1).value.dtype == np.int64
    for values in ([np.float64(1), 10**400], [1.5, None], [Decimal("1.5"), Fraction(1, 3)]):
        assert np.isfinite(tw.laplace(values, sensitivity=1, epsilon=1).value).all()
    masked = np.ma.masked_array([1e6, 1.0], [True, False])
    assert tw.laplace(masked, sensitivity="0.01", epsilon=100).value == pytest.approx([0, 1], abs=0.1)
    flags = np.array([True, True])
    assert tw.laplace(flags, sensitivity="0.01", epsilon=100).value == pytest.approx([1, 1], abs=0.1)
    for zero in ("0E+500", "-0E+999", "0E-999"):
        assert tw.laplace(Decimal(zero), sensitivity="0.01", epsilon=100, bounds=(-10, 10)).value == pytest.approx(
            0, abs=0.1
        )
    with pytest.raises(ArgumentTypeError, match="longer than doubles"):
        tw.laplace(np.zeros(2, dtype=np.longdouble), sensitivity=1, epsilon=1)


def test_what_can_come_out_does_not_depend_on_the_truth() -> None:
    """Noise that was held at the ends of 64 bits, added to any truth, ends at one number."""
    for truth in (0, -1, 2**62, -(2**62)):
        assert added(truth, 2**63 - 1) == 2**62 - 1
        assert added(truth, -(2**63)) == -(2**62 - 1)
        steps = np.array([truth])
        assert added(steps, np.array([2**63 - 1])) == [2**62 - 1]
        assert added(steps, np.array([-(2**63)])) == [-(2**62 - 1)]
    assert INTEGERS.place(10**30) == 2**62


def test_the_reach_of_a_grid_is_said() -> None:
    release = tw.laplace(1e13, sensitivity=1, epsilon=1)
    assert release.bounds == (-(2.0**42), 2.0**42)
    assert abs(release.value - 2.0**42) < 100


@pytest.mark.parametrize("factor", [0.1, -0.1, 0.2, 3.0, -7.0, 1 / 3])
def test_intervals_after_an_affine_map_cover_as_before(factor: float) -> None:
    for epsilon, confidence in ((1, 0.95), ("0.2", 0.5), ("0.5", 0.8), (3, 0.99)):
        count = tw.geometric(0, sensitivity=1, epsilon=epsilon, rng=tw.noise.seeded(1))
        before, after = count.interval(confidence), count.then(tw.Affine(factor)).interval(confidence)
        assert (after.high - after.low) / abs(factor) == pytest.approx(before.high - before.low, rel=1e-9)


def test_a_linear_query_cannot_be_changed_behind_its_sensitivity() -> None:
    query = tw.linear([[1, 0], [0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        query.numerators[0, 0] = 1000
    with pytest.raises(ValueError, match="read-only"):
        query.matrix[0, 0] = 1000


def test_a_price_is_a_guarantee() -> None:
    finding = Finding("x", curve=tw.pure(1))
    with pytest.raises(NotAGuaranteeError):
        Release(1, finding, None)  # type: ignore[arg-type]

    class Sells:
        def guarantee(self, unit: object) -> object:
            return finding

        def error(self, unit: object) -> None:
            return None

        def run(self, data: object, unit: object, *, rng: object = None) -> None:
            return None

    with pytest.raises(NotAGuaranteeError):
        tw.plan(tw.batch(x=Sells()), [1], "p")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [
    '{"version": 1, "kind": "approx", "unit": null, "epsilon": "1", "delta": "5"}',
    '{"version": 1, "kind": "approx", "unit": null, "epsilon": "1", "delta": "0"}',
    '{"version": 1, "kind": "composed", "unit": null, "parts": []}',
    '{"version": 1, "kind": "pure", "unit": {"who": "p", "change": "add"}, "epsilon": "1"}',
    '{"version": 1, "kind": "pure", "unit": {"who": "p", "change": "remove", "policy": ["x"]}, "epsilon": "1"}',
    '{"version": 1, "kind": "composed", "unit": null, "parts": [{"count": 1, "kind": "composed", "parts": []}]}',
    "[" * 100_000,
])  # fmt: skip
def test_forged_storage_is_refused(text: str) -> None:
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        codec.load(text)


def test_guarantees_that_hide_next_to_nothing_add_up() -> None:
    for g in (tw.pure(2000) + tw.pure(1), tw.zcdp(1000) + tw.pure(1), tw.approx(1, "0.5").group(5) + tw.pure(1)):
        assert g.delta(5) == 1.0
        assert g.epsilon(1e-6) > 1000
    one, other = tw.pure("1.0000001"), tw.pure("1.0000002")
    assert one + other == other + one


def test_many_parts_beside_one_other() -> None:
    """Read far below where the losses were tabulated, these once cost nothing."""
    for n, epsilon, delta in ((150, "2", 1e-4), (200, "2", 1e-6), (200, "1.5", 1e-8), (505, "2.61", 2.5e-6)):
        equal = (n * tw.pure(epsilon)).epsilon(delta)
        assert equal * (1 - 1e-9) <= (n * tw.pure(epsilon) + tw.pure("0.3")).epsilon(delta) <= equal + 0.3


def test_far_tails_are_never_too_small() -> None:
    """Exact values by 60-digit sums."""
    for variance, shift, epsilon, exact in (
        ("161.8709180705373", 384, 699, 3.009338e-16),
        ("14179.39", 1546, "412.37", 1.145929e-141),
        ("4197.589", 1408, "545.4", 1.77334506002e-46),
        ("4101.116", 56, "31.7161", 4.15571436853e-283),
    ):
        assert tw.loss.discrete_gaussian(variance, shift).delta(epsilon) >= exact * (1 - 1e-6)
    assert tw.loss.discrete_laplace(3).delta(Fraction(0.3333333333333333)) > 0
    assert tw.zcdp("2.3e-308").delta(10) <= 1
    assert not math.isnan(tw.zcdp("2.3e-308").epsilon(1e-6))


def test_words_name_the_policy_and_the_seed() -> None:
    assert "any one person (adults)" in tw.promise(tw.pure(1, unit=tw.Unit("person", "remove", "adults")))
    seeded = tw.promise(tw.geometric(1, sensitivity=1, epsilon=1, rng=tw.noise.seeded(1)))
    assert seeded.startswith("Provided nobody knows the number")
