"""The laws: one test over every member of `LAWS`, `KINDS` and `MECHANISMS`; a new kind inherits them."""

from __future__ import annotations

import dataclasses
import itertools
import math
from functools import reduce
from operator import getitem
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import twoworlds as tw
from twoworlds.base import Finding, Release, Unit
from twoworlds.errors import ArgumentError, NotAGuaranteeError, TwoWorldsError, UnitError
from twoworlds.guarantees import KINDS, codec
from twoworlds.mechanisms import MECHANISMS
from twoworlds.mechanisms.grid import Grid
from twoworlds.noise import LAWS

EPSILONS = (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0)
DELTAS = (1e-9, 1e-6, 1e-3, 0.1)

all_laws = pytest.mark.parametrize("law", [law for some in LAWS.values() for law in some], ids=repr)
all_kinds = pytest.mark.parametrize("kind", [kind for some in KINDS.values() for kind in some], ids=repr)
EXAMPLES = [
    (m.__name__, i, *example) for m in MECHANISMS for i, example in enumerate(getattr(m, "examples", lambda: ())())
]
all_mechanisms = pytest.mark.parametrize(
    ("mechanism", "with_", "without", "unit"), [e[2:] for e in EXAMPLES], ids=[f"{e[0]}-{e[1]}" for e in EXAMPLES]
)


# --- noise laws ---------------------------------------------------------------------------------------------------


@all_laws
def test_a_law_is_a_distribution(law: Any) -> None:
    p = np.array([1e-9, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.95, 0.999])
    x = np.asarray(law.quantile(p))
    assert np.all(np.diff(x) >= 0)
    assert np.allclose(np.asarray(law.cdf(x)) + np.asarray(law.sf(x)), 1, atol=1e-12)
    if law.discrete:
        assert np.all(law.cdf(x) >= p * (1 - 1e-12)), "the quantile has at least p below it"
        assert np.all(law.cdf(x - law.step) <= p * (1 + 1e-12)), "and is the least point that has"
    else:
        assert np.allclose(law.cdf(x), p, rtol=1e-9)
    assert law.quantile(0) == -math.inf or law.cdf(law.quantile(0)) <= 0 or not law.symmetric
    assert isinstance(law.quantile(0.5), float)
    assert isinstance(law.cdf(0.0), float)


@all_laws
def test_the_density_belongs_to_the_distribution(law: Any) -> None:
    low, high = law.quantile(0.001), law.quantile(0.999)
    if law.discrete:
        x = low + law.step * np.arange(min(round((high - low) / law.step) + 1, 3000))
        assert np.allclose(np.cumsum(np.exp(law.logpdf(x))) + law.cdf(low - law.step), law.cdf(x), rtol=1e-8)
        assert np.exp(law.logpdf(low + law.step / 3)) == 0, "no mass off the lattice"
    else:
        edges = np.unique(np.concatenate([np.linspace(low, high, 400), [0.0]]))
        nodes, weights = np.polynomial.legendre.leggauss(8)
        half, middle = np.diff(edges) / 2, (edges[:-1] + edges[1:]) / 2
        area = np.exp(law.logpdf((middle[:, None] + half[:, None] * nodes).ravel())).reshape(-1, 8) @ weights * half
        assert np.allclose(np.cumsum(area) + law.cdf(edges[0]), law.cdf(edges[1:]), atol=2e-7)


@all_laws
def test_draws_follow_the_law(law: Any) -> None:
    """Exact cell probabilities, not moments alone; twelve cells between quantiles, p above 1e-5 at a fixed seed."""
    n = 60_000
    draws = np.asarray(law.sample(n, rng=tw.noise.seeded(11)), dtype=float)
    assert draws.shape == (n,)
    edges = np.unique(law.quantile(np.array([1e-3, 0.01, 0.05, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97, 0.999])))
    chance = np.diff(np.concatenate([[0.0], np.atleast_1d(law.cdf(edges)), [1.0]]))
    seen = np.diff(np.concatenate([[0], [np.count_nonzero(draws <= e) for e in edges], [n]]))
    kept = chance > 1e-12
    assert not seen[~kept].any()
    if kept.sum() > 1:
        assert stats.chisquare(seen[kept], n * chance[kept] / chance[kept].sum()).pvalue > 1e-5


@all_laws
def test_single_draws_follow_the_law(law: Any) -> None:
    source = tw.noise.seeded(5)
    draws = np.array([law.sample(rng=source) for _ in range(4000)], dtype=float)
    assert isinstance(law.sample(rng=source), (int, float))
    at = law.quantile(np.array([0.1, 0.5, 0.9]))
    for x, p in zip(at, law.cdf(at), strict=True):
        assert abs(np.mean(draws <= x) - p) <= 5 * math.sqrt(p * (1 - p) / 4000)


@all_laws
def test_moments_are_the_true_ones(law: Any) -> None:
    """E|X| is the integral of the tails; mean and variance against draws, in five standard errors."""
    reach = max(abs(law.quantile(1e-15)), -law.quantile(1e-15), law.quantile(1 - 1e-15))
    if law.discrete and reach / law.step < 10**6:
        k = law.step * np.arange(round(reach / law.step) + 2)
        total = law.step * float(np.sum(law.sf(k)) + np.sum(law.cdf(-k - law.step)))
        assert total == pytest.approx(law.mean_absolute(), rel=1e-8)
    elif not law.discrete and math.isfinite(law.mean_absolute()):
        tails = lambda x: law.sf(x) + law.cdf(-x)
        total = sum(
            integrate.quad(tails, a, b, limit=200)[0] for a, b in ((0, 1), (1, 10), (10, 1000), (1000, math.inf))
        )
        assert total == pytest.approx(law.mean_absolute(), rel=1e-6)
    if math.isfinite(law.variance()) and law.variance() > 0:
        draws = np.asarray(law.sample(100_000, rng=tw.noise.seeded(3)), dtype=float)
        assert abs(draws.mean() - law.mean()) <= 5 * math.sqrt(law.variance() / draws.size)
        fourth = np.mean((draws - draws.mean()) ** 4)
        assert abs(draws.var() - law.variance()) <= 6 * math.sqrt(fourth / draws.size)


# --- guarantees ---------------------------------------------------------------------------------------------------


@all_kinds
def test_delta_falls_as_epsilon_rises(kind: Any) -> None:
    deltas = [kind.delta(e) for e in EPSILONS]
    assert all(0 <= d <= 1 for d in deltas)
    assert all(a >= b for a, b in itertools.pairwise(deltas))


@all_kinds
def test_epsilon_and_delta_are_inverse_on_the_safe_side(kind: Any) -> None:
    for delta in DELTAS:
        epsilon = kind.epsilon(delta)
        if math.isfinite(epsilon):
            assert kind.delta(epsilon) <= delta * (1 + 1e-9) + 1e-300
            if epsilon > 0:
                assert kind.delta(epsilon * (1 - 1e-5)) > delta * (1 - 1e-6), "no epsilon that is clearly smaller holds"


@all_kinds
def test_n_times_equals_a_loop_of_n(kind: Any) -> None:
    looped = kind
    for _ in range(4):
        looped = looped + kind
    assert looped == 5 * kind
    assert hash(looped) == hash(5 * kind)
    assert sum([kind] * 5) == 5 * kind
    assert 2 * (2 * kind) == 4 * kind
    assert 1 * kind == kind


@all_kinds
def test_composing_never_lowers_epsilon_and_order_does_not_matter(kind: Any) -> None:
    other = tw.pure("0.05")
    both = kind + other
    assert both == other + kind
    assert (kind + other) + kind == kind + (other + kind)
    for delta in (0.0, *DELTAS):
        assert both.epsilon(delta) >= kind.epsilon(delta) * (1 - 1e-9)
        assert (3 * kind).epsilon(delta) >= kind.epsilon(delta) * (1 - 1e-9)


@all_kinds
def test_a_group_is_at_least_one_and_never_less(kind: Any) -> None:
    assert kind.group(1) == kind
    for delta in DELTAS:
        assert kind.group(3).epsilon(delta) >= kind.group(2).epsilon(delta) >= kind.epsilon(delta) * (1 - 1e-9)


@all_kinds
def test_storage_gives_back_an_equal_guarantee(kind: Any) -> None:
    named = kind.renamed(Unit("person", "replace", "adults"))
    for guarantee in (kind, named, 3 * kind, kind + tw.zcdp("0.25")):
        assert codec.load(codec.dump(guarantee)) == guarantee


@all_kinds
def test_units_are_kept_and_never_mixed(kind: Any) -> None:
    person = kind.renamed(Unit("person"))
    assert (2 * person).unit == Unit("person")
    with pytest.raises(UnitError, match="different units"):
        person + kind.renamed(Unit("household"))
    with pytest.raises(UnitError, match="different units"):
        person + kind
    replaced = person.under("replace")
    assert replaced.unit == Unit("person", "replace")
    for delta in DELTAS:
        assert replaced.epsilon(delta) == person.group(2).epsilon(delta)
    with pytest.raises(UnitError, match="Only 'remove' gives"):
        replaced.under("remove")
    with pytest.raises(UnitError, match="never stated"):
        kind.under("replace")


@all_kinds
def test_a_finding_cannot_be_added_or_spent(kind: Any) -> None:
    """Law 6. It reads like a guarantee and is none."""
    finding = Finding("The share of ...", curve=kind, bounds=((1.0, 0.1, 0.3),), confidence=0.95)
    assert finding.delta(1.0) == kind.delta(1.0)
    for attempt in (lambda: kind + finding, lambda: finding + kind, lambda: finding + finding, lambda: 2 * finding):
        with pytest.raises(NotAGuaranteeError):
            attempt()
    with pytest.raises(NotAGuaranteeError):
        sum([finding, finding])
    with pytest.raises(NotAGuaranteeError, match="promises nothing"):
        tw.promise(finding)  # type: ignore[arg-type]
    assert not finding.contradicts(kind), "without fixed neighbours nothing is contradicted"
    proved = Finding("Runs of a liar", curve=kind, bounds=((1.0, 0.999999, 1.0),), fixed_neighbours=True)
    assert proved.contradicts(tw.pure(1))


@all_kinds
def test_bad_readings_are_refused(kind: Any) -> None:
    for delta in (-0.1, 1, 1.5, math.nan, math.inf, "x", True, None):
        with pytest.raises(TwoWorldsError, match="delta"):
            kind.epsilon(delta)
    for epsilon in (-1, math.nan, math.inf, "1_0", None):
        with pytest.raises(TwoWorldsError, match="epsilon"):
            kind.delta(epsilon)
    for count in (0, -1, 1.5, True):
        with pytest.raises(TwoWorldsError, match="count"):
            count * kind
        with pytest.raises(TwoWorldsError, match="k="):
            kind.group(count) if count is not True and count != 1.5 else kind.group(0)


# --- mechanisms ---------------------------------------------------------------------------------------------------


@all_mechanisms
def test_the_price_before_is_the_price_after(mechanism: Any, with_: Any, without: Any, unit: Unit) -> None:
    plan = tw.plan(mechanism, with_, unit)
    before = plan.guarantee
    plan.expected(0.9)
    release = plan.run(rng=tw.noise.seeded(1))
    assert isinstance(release, Release)
    assert release.guarantee == before == tw.plan(mechanism, without, unit).guarantee
    assert release.guarantee.unit == unit
    assert release.seeded
    assert not plan.run().seeded


@all_mechanisms
def test_the_release_looks_alike_in_both_worlds(mechanism: Any, with_: Any, without: Any, unit: Unit) -> None:
    one, other = (tw.plan(mechanism, data, unit).run(rng=tw.noise.seeded(4)) for data in (with_, without))
    assert (one.step, one.bounds, one.columns, repr(one.error)) == (
        other.step,
        other.bounds,
        other.columns,
        repr(other.error),
    )
    for column in one.columns or (None,):
        left, right = (r if column is None else r[column] for r in (one, other))
        assert np.shape(left.value) == np.shape(right.value)
        assert type(left.value) is type(right.value)


@all_mechanisms
def test_no_output_tells_the_worlds_apart_beyond_the_guarantee(
    mechanism: Any, with_: Any, without: Any, unit: Unit
) -> None:
    assert excess(mechanism, with_, without, unit) <= 0
    assert excess(mechanism, without, with_, unit) <= 0


def losses(mechanism: Any, with_: Any, without: Any, unit: Unit, runs: int = 1500) -> np.ndarray[Any, Any]:
    """The exact privacy losses of outputs sampled in the world `with_`."""
    plan, bits = tw.plan(mechanism, with_, unit), tw.noise.seeded(9)
    values = [plan.run(rng=bits).value for _ in range(runs)]
    return np.array([mechanism.logpmf(v, with_, unit) - mechanism.logpmf(v, without, unit) for v in values])


def excess(mechanism: Any, with_: Any, without: Any, unit: Unit) -> float:
    """How far the exact losses of sampled outputs lie above the guarantee; above zero it is broken.

    At delta 0 the largest loss counts; elsewhere the mean of (1 - e**(epsilon - loss))+, an unbiased estimate of delta,
    less five standard errors.
    """
    guarantee, loss = mechanism.guarantee(unit), losses(mechanism, with_, without, unit)
    worst = -math.inf
    if math.isfinite(guarantee.epsilon()):
        worst = float(loss.max()) - guarantee.epsilon() - 1e-6
    for epsilon in (0.0, 0.05, 0.25, 0.5, 1.0, 2.0):
        parts = np.maximum(-np.expm1(epsilon - loss), 0.0)
        low = parts.mean() - 5 * parts.std() / math.sqrt(loss.size) - 1e-9
        worst = max(worst, float(low) - guarantee.delta(epsilon))
    return worst


def disagreement(mechanism: Any, with_: Any, without: Any, unit: Unit) -> float:
    """How far runs are from the law that `logpmf` states; above zero they do not follow it.

    With L the loss, P(L > t) in one world is the mean of e**L over L > t in the other. Of the two weights, e**L and
    e**-L, each is used on the side where it is at most one.
    """
    there, here = losses(mechanism, with_, without, unit), -losses(mechanism, without, with_, unit)
    worst = -math.inf
    for t in np.quantile(there, [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98]):
        for beyond in (1, -1):
            one = np.where(beyond * (there - t) > 0, np.exp(-np.maximum(there, 0)), 0.0)
            other = np.where(beyond * (here - t) > 0, np.exp(np.minimum(here, 0)), 0.0)
            spread = math.sqrt((one.var() + other.var()) / there.size)
            worst = max(worst, abs(float(one.mean() - other.mean())) - 5 * spread - 2e-3)
    return worst


@all_mechanisms
def test_runs_follow_the_law_they_state(mechanism: Any, with_: Any, without: Any, unit: Unit) -> None:
    """`logpmf` is what the guarantee is checked with, so runs are checked against it, on any grid however fine."""
    assert disagreement(mechanism, with_, without, unit) <= 0


@all_mechanisms
def test_common_outcomes_are_as_frequent_as_stated(mechanism: Any, with_: Any, without: Any, unit: Unit) -> None:
    plan, bits, runs = tw.plan(mechanism, with_, unit), tw.noise.seeded(13), 3000
    values = [plan.run(rng=bits).value for _ in range(runs)]
    counted: dict[str, list[Any]] = {}
    for value in values:
        counted.setdefault(repr(value), []).append(value)
    for some in counted.values():
        chance = math.exp(mechanism.logpmf(some[0], with_, unit))
        if max(len(some), runs * chance) >= 20:
            assert abs(len(some) - runs * chance) <= 5 * math.sqrt(runs * chance * (1 - chance)) + 1e-9 * runs + 0.5
    assert all(mechanism.logpmf(value, with_, unit) <= 0 for value in values)


@all_mechanisms
def test_the_source_is_all_the_randomness(
    mechanism: Any, with_: Any, without: Any, unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same number gives the same release, and nothing else is asked for bits."""

    def asked(_: int) -> bytes:
        raise AssertionError("the kernel was asked although a source was given")

    monkeypatch.setattr("os.urandom", asked)
    plan = tw.plan(mechanism, with_, unit)
    assert len({repr(plan.run(rng=tw.noise.seeded(7)).value) for _ in range(3)}) == 1


@all_mechanisms
def test_the_error_that_was_announced_is_the_one_released(mechanism: Any, with_: Any, without: Any, unit: Unit) -> None:
    assert repr(tw.plan(mechanism, with_, unit).run().error) == repr(mechanism.error(unit))


@all_mechanisms
def test_a_change_that_is_for_evidence_has_no_price(mechanism: Any, with_: Any, without: Any, unit: Unit) -> None:
    with pytest.raises(ArgumentError, match="evidence"):
        mechanism.guarantee(Unit("person", "add"))
    with pytest.raises(ArgumentError, match="evidence"):
        tw.plan(mechanism, with_, Unit("person", "add"))


@pytest.mark.parametrize("kind", MECHANISMS, ids=lambda k: k.__name__)
def test_examples_are_worth_the_name(kind: Any) -> None:
    """Neighbours that come close to the guarantee, and one for every change that the mechanism accepts."""
    examples = list(kind.examples())
    changes = {unit.change for *_, unit in examples}
    for change in ("remove", "replace"):
        try:
            examples[0][0].guarantee(Unit("person", change))
        except TwoWorldsError:
            continue
        assert change in changes, f"{kind.__name__} accepts {change!r}: give an example of it"
    reached = 0.0
    for mechanism, with_, without, unit in examples:
        loss, guarantee = losses(mechanism, with_, without, unit, 500), mechanism.guarantee(unit)
        if math.isfinite(guarantee.epsilon()):
            reached = max(reached, float(loss.max()) / guarantee.epsilon())
        elif guarantee.concentrated is not None:  # a Gaussian at its sensitivity loses rho on average
            reached = max(reached, float(loss.mean()) / float(guarantee.concentrated[0]))
    assert reached > 0.7, f"no example of {kind.__name__} comes near its guarantee"


def test_the_law_catches_a_liar() -> None:
    """Half the noise, and a plain ceil where two cells are rounded on a coarse grid, are found by the test above."""

    class HalfTheNoise(tw.GeometricMechanism):
        def _noise(self, sensitivity: Any) -> Any:
            grid, law = super()._noise(sensitivity)
            return grid, tw.noise.DiscreteLaplace(law.scale / 2)  # type: ignore[union-attr]

    class PlainCeil(tw.LaplaceMechanism):
        def _noise(self, sensitivity: Any) -> Any:
            return Grid(0), tw.noise.DiscreteLaplace(math.ceil(sensitivity.l1) / self.epsilon)

    class Paid(tw.LaplaceMechanism):
        def _noise(self, sensitivity: Any) -> Any:
            moved = math.ceil(sensitivity.l1) + sensitivity.cells - 1
            return Grid(0), tw.noise.DiscreteLaplace(moved / self.epsilon)

    unit = Unit("person")
    count = tw.query(len, sensitivity=1, integer=True)
    assert excess(HalfTheNoise(count, 1), [1, 2, 3], [1, 2], unit) > 0

    class HonestInWordsOnly(tw.GeometricMechanism):
        """Half the noise in `run`, the right law in `logpmf`."""

        def run(self, data: Any, unit: Any, *, rng: Any = None) -> Any:
            release = super().run(data, unit, rng=rng)
            noise = tw.noise.DiscreteLaplace(self._noise(self.query.sensitivity(unit))[1].scale / 2).sample(rng=rng)
            return dataclasses.replace(release, value=len(data) + noise)

    assert excess(tw.GeometricMechanism(count, 1), [1, 2, 3], [1, 2], unit) <= 0
    assert disagreement(tw.GeometricMechanism(count, 1), [1, 2, 3], [1, 2], unit) <= 0
    assert disagreement(HonestInWordsOnly(count, 1), [1, 2, 3], [1, 2], unit) > 0
    two = tw.query(lambda x: x, sensitivity=1, size=2)
    below, above = np.array([0.4999, 0.4999]), np.array([0.5, 0.5])
    assert excess(PlainCeil(two, 1), below, above, unit) > 0
    assert excess(Paid(two, 1), below, above, unit) <= 0


@all_mechanisms
def test_what_is_expected_is_what_happens(mechanism: Any, with_: Any, without: Any, unit: Unit) -> None:
    """The forecast half-width covers, and the forecast squared error is the one seen, within five standard errors."""
    plan, source = tw.plan(mechanism, with_, unit), tw.noise.seeded(21)
    forecast = plan.expected(0.9)
    runs = [plan.run(rng=source) for _ in range(400)]
    for name, expected in forecast.items():
        columns = runs if name == "value" else [reduce(getitem, name.split("."), run) for run in runs]
        law = columns[0].error
        if law is None or expected.half_width is None:
            continue
        # `error` is the law of value minus the gridded truth, which averaging many runs finds
        values = np.array([np.ravel(np.asarray(c.value, dtype=float)) for c in columns])
        truth = mechanism
        for inner in () if name == "value" else name.split("."):
            truth = truth.parts[inner]
        answer = np.ravel(np.asarray(truth.query.answer(with_, unit), dtype=float))
        answer = np.nan_to_num(answer, nan=columns[0].bounds[0] if columns[0].bounds else 0.0)
        errors = (values - answer).ravel()
        inside = np.mean(np.abs(errors) <= expected.half_width)
        assert inside >= 0.9 - 5 * math.sqrt(0.09 / errors.size)
        squared = errors**2
        assert (
            abs(squared.mean() - expected.mean_squared)
            <= 6 * squared.std() / math.sqrt(errors.size) + columns[0].step ** 2
        )


# --- constructors -------------------------------------------------------------------------------------------------

BAD_NUMBERS = [0, -1, math.nan, math.inf, -math.inf, "", "x", "1_0", "\u0661", "1/0", "1e5000", True, None, 1j, [1]]


@pytest.mark.parametrize("value", BAD_NUMBERS, ids=repr)
def test_constructors_name_the_argument_they_refuse(value: Any) -> None:
    """Law 7: refused before anything happens, by the argument's name."""
    makers = {
        "epsilon": [tw.pure, lambda v: tw.approx(v, 0.1), lambda v: tw.laplace(1.0, sensitivity=1, epsilon=v)],
        "rho": [tw.zcdp, lambda v: tw.gaussian(1.0, sensitivity=1, rho=v)],
        "scale": [tw.noise.DiscreteLaplace, tw.noise.Laplace, tw.noise.Gumbel],
        "variance": [tw.noise.DiscreteGaussian],
        "sigma": [tw.noise.Gaussian],
    }
    for name, some in makers.items():
        for make in some:
            with pytest.raises(TwoWorldsError, match=name):
                make(value)
    if value != 0 or isinstance(value, bool):
        for release in (tw.laplace, tw.geometric):
            with pytest.raises(TwoWorldsError, match="sensitivity"):
                release(1, sensitivity=value, epsilon=1)


def test_deltas_lie_in_zero_to_one() -> None:
    for delta in (-1e-9, 1, 2, math.nan):
        with pytest.raises(ArgumentError, match="delta"):
            tw.approx(1, delta)
