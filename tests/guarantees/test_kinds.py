"""Each kind's curve against exact computation, and how kinds are put in words."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import twoworlds as tw
from twoworlds.base import Unit
from twoworlds.errors import ArgumentError, UnknownNameError
from twoworlds.guarantees import codec
from twoworlds.guarantees.losses import Losses

mp.mp.dps = 40


def hockey_stick(p: list, q: list, epsilon: float) -> mp.mpf:
    """The exact delta of two finite laws in one direction."""
    factor = mp.exp(mp.mpf(str(epsilon)))
    return mp.fsum(max(a - factor * b, mp.mpf(0)) for a, b in zip(p, q, strict=True))


def laplace_pair(scale: Fraction, shift: int, reach: int) -> tuple[list, list]:
    q = mp.exp(-1 / (mp.mpf(scale.numerator) / scale.denominator))
    at = lambda k: (1 - q) / (1 + q) * q ** abs(k)
    return [at(k) for k in range(-reach, reach + shift)], [at(k - shift) for k in range(-reach, reach + shift)]


def gaussian_pair(variance: Fraction, shift: int, reach: int) -> tuple[list, list]:
    v = mp.mpf(variance.numerator) / variance.denominator
    total = mp.fsum(mp.exp(-(mp.mpf(k) ** 2) / (2 * v)) for k in range(-4 * reach, 4 * reach))
    at = lambda k: mp.exp(-(mp.mpf(k) ** 2) / (2 * v)) / total
    return [at(k) for k in range(-reach, reach + shift)], [at(k - shift) for k in range(-reach, reach + shift)]


def product(*pairs: tuple[list, list]) -> tuple[list, list]:
    p = [mp.fprod(x) for x in itertools.product(*(a for a, _ in pairs))]
    q = [mp.fprod(x) for x in itertools.product(*(b for _, b in pairs))]
    return p, q


def response(epsilon: float, delta: float = 0.0) -> tuple[list, list]:
    """The worst pair with an (epsilon, delta)."""
    e, d = mp.exp(mp.mpf(epsilon)), mp.mpf(delta)
    high, low = (1 - d) * e / (1 + e), (1 - d) / (1 + e)
    return [d, high, low, mp.mpf(0)], [mp.mpf(0), low, high, d]


EPSILONS = (0.0, 0.1, 0.3, 0.7, 1.0, 1.5, 2.5)


@pytest.mark.parametrize(("scale", "shift"), [("1", 1), ("7/3", 5), ("0.4", 2), ("10", 3)])
def test_discrete_laplace_loss_is_exact(scale: str, shift: int) -> None:
    found, pair = tw.loss.discrete_laplace(scale, shift), laplace_pair(Fraction(scale), shift, 400)
    for epsilon in EPSILONS:
        exact = float(hockey_stick(*pair, epsilon))
        assert exact * (1 - 1e-13) - 1e-38 <= found.delta(epsilon) <= exact * (1 + 1e-9) + 2e-12


@pytest.mark.parametrize(("variance", "shift"), [("1", 1), ("25", 3), ("0.1", 1), ("4", 4)])
def test_discrete_gaussian_loss_is_exact(variance: str, shift: int) -> None:
    found, pair = tw.loss.discrete_gaussian(variance, shift), gaussian_pair(Fraction(variance), shift, 80)
    for epsilon in (*EPSILONS, 5.0, 8.0):
        exact = float(hockey_stick(*pair, epsilon))
        assert exact * (1 - 1e-12) <= found.delta(epsilon) <= exact * (1 + 1e-8) + 1e-30


def test_a_discrete_gaussian_is_not_a_continuous_one() -> None:
    """At sigma 1 delta(.02) is .3929 against .3768 for the continuous law."""
    assert tw.loss.discrete_gaussian(1).delta("0.02") == pytest.approx(0.3929, abs=5e-5)
    continuous = lambda e, s: (
        tw.noise.Gaussian(1).sf(e * s - 0.5 / s) - math.exp(e) * tw.noise.Gaussian(1).sf(e * s + 0.5 / s)
    )
    assert continuous(0.02, 1) == pytest.approx(0.376763, abs=5e-7)


def test_the_exact_loss_is_within_the_zcdp_of_the_same_noise() -> None:
    for variance, shift in ((1, 1), (25, 3), (100, 1)):
        loss, zcdp = tw.loss.discrete_gaussian(variance, shift), tw.zcdp(Fraction(shift**2, 2 * variance))
        assert all(loss.delta(e) <= zcdp.delta(e) for e in (0, 0.1, 0.5, 1, 3, 6, 10))
        for delta in (1e-9, 1e-6, 1e-3):
            assert loss.epsilon(delta) <= zcdp.epsilon(delta)


COMPOSITIONS = [
    ("5 x pure", 5 * tw.pure("0.3"), [response(0.3)] * 5),
    ("mixed pure", 2 * tw.pure("0.3") + 3 * tw.pure("0.2"), [response(0.3)] * 2 + [response(0.2)] * 3),
    ("approx", 3 * tw.approx("0.5", "0.01"), [response(0.5, 0.01)] * 3),
    (
        "mixed approx",
        tw.approx("0.5", "0.01") + 2 * tw.pure("0.25"),
        [response(0.5, 0.01), response(0.25), response(0.25)],
    ),
    ("laplace losses", 2 * tw.loss.discrete_laplace(2, 3), [laplace_pair(Fraction(2), 3, 70)] * 2),
    ("gaussian losses", 2 * tw.loss.discrete_gaussian(4), [gaussian_pair(Fraction(4), 1, 26)] * 2),
    (
        "all",
        tw.pure("0.4") + tw.loss.discrete_gaussian(4) + tw.loss.discrete_laplace("1.5", 2),
        [response(0.4), gaussian_pair(Fraction(4), 1, 20), laplace_pair(Fraction(3, 2), 2, 40)],
    ),
]


@pytest.mark.parametrize(("guarantee", "pairs"), [c[1:] for c in COMPOSITIONS], ids=[c[0] for c in COMPOSITIONS])
def test_compositions_bound_the_exact_value_tightly(guarantee: tw.guarantees.Kind, pairs: list) -> None:
    """Never below the delta of the product law by enumeration, and above it by a thousandth at the most."""
    p, q = product(*pairs)
    for epsilon in (0.0, 0.2, 0.5, 0.9, 1.3):
        exact = float(hockey_stick(p, q, epsilon))
        assert exact * (1 - 1e-12) <= guarantee.delta(epsilon) <= exact * (1 + 1e-3) + 1e-12
    delta = float(hockey_stick(p, q, 0.7))
    assert 0.7 * (1 - 1e-9) <= guarantee.epsilon(delta) <= 0.7 + 1e-3


def test_a_hundred_geometric_counts() -> None:
    """The loss of randomised response: 83.53 at delta 1e-6, where the continuous Laplace curve would say 71.55."""
    for hundred in (100 * tw.loss.discrete_laplace(1), 100 * tw.pure(1)):
        assert hundred.epsilon(1e-6) == pytest.approx(83.53, abs=5e-3)
    assert (100 * tw.pure(1)).epsilon() == 100


def test_equal_parts_by_the_grid_agree_with_the_exact_law() -> None:
    nearly = 50 * tw.pure("0.1") + 50 * tw.pure("0.1000001")
    for delta in (1e-3, 1e-6, 1e-10):
        exact = (100 * tw.pure("0.1")).epsilon(delta)
        assert exact <= nearly.epsilon(delta) <= exact * (1 + 1e-3)


def test_zcdp_bounds_the_exact_renyi_curve() -> None:
    """The conversion is above the true delta of a Gaussian, and within a factor of three of it."""
    for rho in (0.01, 0.5, 4):
        for epsilon in (0.5, 1, 3, 8):
            mu = math.sqrt(2 * rho)
            exact = mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)
            found = tw.zcdp(str(rho)).delta(epsilon)
            assert found >= exact
            if exact > 1e-12:
                assert found <= 6 * exact + 1e-15


def test_pure_has_a_zcdp_that_holds_at_every_order() -> None:
    for epsilon in (0.1, 1.0, 5.0, 30.0):
        concentrated = tw.pure(epsilon).concentrated
        assert concentrated is not None
        p, q = response(epsilon)
        for alpha in ("1.0001", "1.5", "2", "5", "50"):
            a = mp.mpf(alpha)
            renyi = mp.log(mp.fsum(x**a * y ** (1 - a) for x, y in zip(p[1:3], q[1:3], strict=True))) / (a - 1)
            assert renyi <= mp.mpf(concentrated[0].numerator) / concentrated[0].denominator * a


def test_groups_are_not_copies() -> None:
    assert tw.pure("0.3").group(3) == tw.pure("0.9")
    assert tw.zcdp("0.5").group(3) == tw.zcdp("4.5")
    assert 3 * tw.zcdp("0.5") == tw.zcdp("1.5")
    approx = tw.approx("0.5", "1e-6").group(3)
    factor = (mp.exp(mp.mpf("1.5")) - 1) / (mp.exp(mp.mpf("0.5")) - 1)
    assert 1.5 - 1e-8 <= approx.epsilon(float(factor) * 1e-6 * (1 + 1e-9)) <= 1.5
    assert float(factor) * 1e-6 <= approx.delta(1.5) <= float(factor) * 1e-6 * (1 + 1e-9)
    assert tw.approx(50, "0.1").group(20).delta(2000) == 1.0, "a group too large for the guarantee is promised nothing"


def test_remove_becomes_replace_at_twice_the_distance() -> None:
    g = tw.approx(1, "1e-6", unit="person").under("replace")
    assert g.unit == Unit("person", "replace")
    assert 2 - 1e-8 <= g.epsilon(1e-6 * (1 + math.e) * (1 + 1e-9)) <= 2
    assert tw.pure(1, unit="person").under("replace") == tw.pure(2, unit=Unit("person", "replace"))
    assert tw.zcdp(1, unit="person").under("replace") == tw.zcdp(4, unit=Unit("person", "replace"))


def test_approx_reads_its_own_point_exactly() -> None:
    for epsilon, delta in ((1, 1e-6), (0.1, 1e-5), ("0.3", "1e-7")):
        g = tw.approx(epsilon, delta)
        assert g.epsilon(delta) == float(epsilon)
        assert g.delta(epsilon) == float(delta)
        assert g.epsilon() == math.inf
        assert g.epsilon(float(delta) / 2) == math.inf
        assert g.delta(100) == float(delta)
    assert tw.approx(1, 0) == tw.pure(1)


def test_prices_are_never_shown_below_what_they_are() -> None:
    for value in (Fraction(1, 3), Fraction(2, 7), Fraction(1, 10)):
        shown = tw.pure(value).epsilon()
        assert Fraction(shown) >= value
        assert Fraction(str(shown)) >= value


def test_many_copies_are_one_operation() -> None:
    million = 10**6 * tw.pure("0.001")
    assert million.epsilon() == 1000.0
    assert 4.88 < million.epsilon(1e-6) < 4.89
    assert (10**30 * tw.pure("1e-30")).epsilon() == 1.0


def test_the_order_of_reading_does_not_matter() -> None:
    deltas = np.array([(tw.pure(1) + tw.zcdp("0.1")).delta(e) for e in (0.0, 1.0, 2.0, 4.0)])
    assert np.all(np.diff(deltas) < 0)


def test_stored_guarantees_are_refused_by_name() -> None:
    for text in ("", "[]", "{}", '{"version": 2}', '{"version": 1, "kind": "pure", "unit": null}'):
        with pytest.raises(ArgumentError, match="text"):
            codec.load(text)
    with pytest.raises(UnknownNameError, match="Those that exist"):
        codec.load('{"version": 1, "kind": "os.system", "unit": null}')


def test_units_are_strings_units_or_nothing() -> None:
    assert tw.pure(1, unit="person") == tw.pure(1, unit=Unit("person"))
    assert tw.pure(1) != tw.pure(1, unit="person")
    with pytest.raises(TypeError, match="unit"):
        tw.pure(1, unit=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="evidence"):
        tw.pure(1, unit=Unit("person", "add"))
    with pytest.raises(ValueError, match="change"):
        Unit("person", "swap")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="who"):
        Unit(3)  # type: ignore[arg-type]


def test_words() -> None:
    assert repr(tw.pure("0.5", unit="person")) == "<epsilon 0.5; protects every person (added or removed)>"
    assert "epsilon 1.5 in all" in repr(tw.pure(1) + tw.pure("0.5"))
    facts = tw.zcdp(1, unit=Unit(None)).memo().facts
    assert facts["kind"] == "zcdp"
    assert facts["epsilon"] is None
    assert tw.zcdp(1)._repr_html_().startswith("<section")


@pytest.mark.parametrize(("n", "epsilon"), [(200, 2.0), (300, 2.5)])
def test_a_reading_of_losses_holds_everywhere(n: int, epsilon: float) -> None:
    """Made for one epsilon, and read at any other, also far below its window: never under the exact value."""
    part, other, equal = tw.pure(str(epsilon)), tw.pure("0.3"), n * tw.pure(str(epsilon))
    total = n * epsilon
    for near in (0.1 * total, total + 0.3):
        losses = Losses.of([(part._delta, part.pure_epsilon, n), (other._delta, other.pure_epsilon, 1)], near)
        for read in (0.0, 0.05 * total, 0.6 * total, 0.95 * total):
            assert losses.delta(read) >= equal.delta(read) * (1 - 1e-9)
    mixed = equal + other
    for delta in (1e-3, 1e-10):
        assert equal.epsilon(delta) * (1 - 1e-9) <= mixed.epsilon(delta) <= equal.epsilon(delta) * (1 + 1e-3) + 0.31
        assert mixed.delta(mixed.epsilon(delta)) <= delta * (1 + 1e-9)
