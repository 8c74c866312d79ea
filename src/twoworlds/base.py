"""The nouns: Unit, Query, Mechanism, Plan, Guarantee, Release, Finding, and the two ways to read, Curve and Law.

Privacy is how hard it is to tell two worlds apart: one with a person in the data, one without. A *guarantee* is proved,
adds up and can be spent. A *finding* is measured and can only be read. Everything else in the package is a kind of one
of these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from . import checks
from .errors import ArgumentError, ArgumentTypeError, NoErrorLawError, NotAGuaranteeError, UnknownNameError
from .memo import Memo
from .noise.bits import Source
from .noise.derived import Scaled
from .noise.ranges import Expected, error_range, expected_error
from .shown import finding_memo, plan_memo, release_memo

__all__ = [
    "Affine", "Curve", "Expected", "Finding", "Guarantee", "Interval", "Law", "Mechanism", "Plan", "Query",
    "Release", "Sensitivity", "Unit", "plan",
]  # fmt: skip

Change = Literal["remove", "replace", "add", "edge", "edge weight"]
CHANGES = ("remove", "replace", "add", "edge", "edge weight")


@dataclass(frozen=True)
class Unit:
    """Whose privacy: what may differ between the two worlds.

    `who` names the column or kind of thing that is protected; None is "every row its own unit". `change` says how the
    worlds differ: a unit's rows removed (or added), or replaced by any others. How many rows of a unit are used is not
    part of it: that belongs to the query.

    >>> Unit("person") == Unit("person", change="remove")
    True
    """

    who: str | None
    change: Change = "remove"
    policy: str | None = None

    def __post_init__(self) -> None:
        if self.who is not None and not isinstance(self.who, str):
            raise ArgumentTypeError.expected("who", self.who, "the name of the unit is needed, or None for single rows")
        if self.policy is not None and not isinstance(self.policy, str):
            raise ArgumentTypeError.expected("policy", self.policy, "a few words are needed, or None")
        if self.change not in CHANGES:
            raise ArgumentError.expected("change", self.change, f"one of {', '.join(CHANGES)} is needed")

    @classmethod
    def of(cls, unit: Unit | str | None) -> Unit | None:
        """What `unit=` stands for: a string is short for a unit of that name; None stays None."""
        if isinstance(unit, str):
            return cls(unit)
        if unit is not None and not isinstance(unit, Unit):
            raise ArgumentTypeError.expected(
                "unit", unit, "a unit is needed", "Use a name such as 'person', or tw.Unit(name, change=...)"
            )
        return unit

    def __str__(self) -> str:
        who = "a row" if self.who is None else self.who
        return f"{who} ({self.change}{'' if self.policy is None else ', ' + self.policy})"


@dataclass(frozen=True)
class Sensitivity:
    """How far one unit can move an answer: exact bounds in three norms over all its cells.

    `l2_squared` is the square of the L2 norm, which stays rational. `cells` is how many cells one unit can move at
    most. `integer` says that answers are integers by their type, so that distances are integers too.
    """

    l1: Fraction
    l2_squared: Fraction
    linf: Fraction
    cells: int = 1
    integer: bool = False


class Query(Protocol):
    """A question, and how far one unit can move its answer. `data` is whatever the query reads."""

    def answer(self, data: Any, unit: Unit | None) -> Any:
        """The true answer: a number or an array of them."""

    def sensitivity(self, unit: Unit | None) -> Sensitivity:
        """The most that one unit can move the answer, for any data."""


@runtime_checkable
class Mechanism(Protocol):
    """A query with its randomness: everything but the data. Met by frozen records; a named batch of mechanisms is one
    too."""

    def guarantee(self, unit: Unit | None) -> Guarantee:
        """What a run promises, known before any data are read."""

    def error(self, unit: Unit | None) -> Law | None:
        """The public law of a released number minus the clamped, gridded truth; None where there is none."""

    def run(self, data: Any, unit: Unit | None, *, rng: Source | None = None) -> Release:
        """Read the data, draw the noise, release."""


@runtime_checkable
class Curve(Protocol):
    """Anything that says how far apart two worlds are."""

    def epsilon(self, delta: float = 0.0) -> float:
        """The epsilon at a delta."""

    def delta(self, epsilon: float) -> float:
        """The delta at an epsilon."""


class Law(Protocol):
    """A probability law on the line: noise, an error, a statistic. `logpdf` is the log mass where `discrete`."""

    @property
    def discrete(self) -> bool: ...
    @property
    def symmetric(self) -> bool: ...
    @property
    def step(self) -> float: ...
    def sample(self, n: int | None = None, *, rng: Source | None = None) -> Any: ...
    def logpdf(self, x: Any) -> Any: ...
    def cdf(self, x: Any) -> Any: ...
    def sf(self, x: Any) -> Any: ...
    def quantile(self, p: Any) -> Any: ...
    def mean(self) -> float: ...
    def variance(self) -> float: ...
    def mean_absolute(self) -> float: ...


class Guarantee(ABC):
    """How much a person can be noticed at most: proved for every database and every attacker.

    A base class and not a protocol, because looking like a guarantee is not enough to be one. `+` and `n *` always mean
    one plan, all of whose parameters are fixed before its first answer; over time only a ledger adds. `epsilon` and
    `delta` are rounded up.
    """

    unit: Unit | None
    """Whose privacy; None where it was never stated, and such a guarantee adds only to another such one."""

    @abstractmethod
    def epsilon(self, delta: float = 0.0) -> float:
        """The least epsilon known to hold with this delta; infinite where none does."""

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """The least delta known to hold with this epsilon."""

    @abstractmethod
    def __add__(self, other: Guarantee) -> Guarantee:
        """Both, in one plan."""

    @abstractmethod
    def __rmul__(self, count: int) -> Guarantee:
        """`count` copies, in one plan."""

    @abstractmethod
    def group(self, k: int) -> Guarantee:
        """What the same release promises to any k units together."""

    @abstractmethod
    def under(self, change: Change) -> Guarantee:
        """The same for another kind of change, where one follows: from `remove` to `replace`, never back."""

    def __radd__(self, other: object) -> Guarantee:
        """Lets `sum` start from 0."""
        if type(other) is int and other == 0:
            return self
        return NotImplemented

    @abstractmethod
    def memo(self) -> Memo:
        """What it says about itself."""

    def _repr_html_(self) -> str:
        return self.memo().html()


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`, numbers or arrays, at a confidence (all cells at once where `simultaneous`)."""

    low: Any
    high: Any
    confidence: float
    simultaneous: bool = False


@dataclass(frozen=True)
class Affine:
    """x -> times * x + plus: the post-processing that an error law survives. Use with `release.then`.

    >>> Affine(2, 1)(3.0)
    7.0
    """

    times: float
    plus: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("times", self.times), ("plus", self.plus)):
            object.__setattr__(self, name, float(checks.number(**{name: value})))
        if not self.times:
            raise ArgumentError.expected("times", self.times, "the value must not be zero")

    def __call__(self, x: Any) -> Any:
        return self.times * x + self.plus + 0.0  # + 0.0: never -0.0


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What was published, with its price.

    `value` is a number, an array, or a mapping of named columns; then `release["n"]` is itself a release, whose
    guarantee is that column's own and whose price is part of the whole. `error` is the public law of value minus the
    clamped, gridded truth, one law for every cell and independent over cells; None where there is none. Arrays are
    read-only.
    """

    value: Any
    guarantee: Guarantee
    error: Law | None
    step: float | None = None
    bounds: tuple[float, float] | None = None
    rounded: bool = False
    """Whether the truth was rounded to the grid, so that an interval is half a step wider."""
    labels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    seeded: bool = False
    parts: Mapping[str, Release] = field(default_factory=dict)
    """The releases of the named columns."""
    unprocessed: Release | None = None
    """The release this one was made from by post-processing."""

    def __post_init__(self) -> None:
        if not isinstance(self.guarantee, Guarantee):
            raise NotAGuaranteeError.expected("guarantee", self.guarantee, "the price of a release is a guarantee")
        object.__setattr__(self, "value", frozen(self.value))

    def __getitem__(self, column: str) -> Release:
        if column not in self.parts:
            raise UnknownNameError("column", column, self.columns)
        return self.parts[column]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; empty where there is one unnamed value."""
        return tuple(self.parts)

    def interval(self, confidence: float = 0.95, column: str | None = None, simultaneous: bool = False) -> Interval:
        """The interval for the clamped truth, from the public error law: per cell, or for all cells at once.

        Noise only: what a sample leaves uncertain about a population is not in it. Half a step is added where the truth
        was rounded to a grid. Simultaneous intervals are exact for independent noise.
        """
        if column is not None:
            return self[column].interval(confidence, simultaneous=simultaneous)
        level = checks.confidence_level(confidence=confidence)
        if self.columns:
            raise ArgumentError(f"this release has columns: {', '.join(self.columns)}. Name one: interval(column=...)")
        if self.error is None:
            raise NoErrorLawError(f"this number has no public error law: {self._why_no_law()}.")
        below, above = error_range(self.error, int(np.size(self.value)) if simultaneous else 1, level)
        if self._whole:  # integers stay integers, beyond 2**53 too
            return Interval(frozen(self.value - round(above)), frozen(self.value - round(below)), level, simultaneous)
        half_step = (self.step or 0.0) / 2 if self.rounded else 0.0
        value = np.asarray(self.value, dtype=float)
        return Interval(frozen(value - above - half_step), frozen(value - below + half_step), level, simultaneous)

    @property
    def _whole(self) -> bool:
        return self.step == 1 and not self.rounded and np.issubdtype(np.asarray(self.value).dtype, np.integer)

    def then(self, f: Callable[[Any], Any]) -> Release:
        """Post-processing: any function of what was published has the same guarantee (course, Theorem 2.4).

        The error law survives affine maps only (`tw.Affine`); after any other function there is none, and `unprocessed`
        keeps the release that has one.
        """
        source = self.unprocessed or self
        value = f(self.value)
        if isinstance(f, Affine) and not self.columns:
            return replace(
                self,
                value=value,
                error=None if self.error is None else Scaled(self.error, float(f.times)),  # type: ignore[arg-type]
                step=None if self.step is None else self.step * abs(float(f.times)),
                bounds=None if self.bounds is None else _ordered(f(self.bounds[0]), f(self.bounds[1])),
                unprocessed=source,
            )
        plain = Release(value, self.guarantee, None, seeded=self.seeded, unprocessed=source)
        if not isinstance(value, Mapping):
            return plain
        parts = {str(name): replace(plain, value=one) for name, one in value.items()}
        return replace(plain, value=dict(value), parts=parts)

    def _why_no_law(self) -> str:
        if self.unprocessed is not None:
            return "post-processing changes the error in a way that depends on the truth. Use .unprocessed.interval()"
        return "its mechanism has none"

    def memo(self, confidence: float = 0.95) -> Memo:
        """Values with their intervals, the price, and whether the noise could be known."""
        return release_memo(self, confidence)

    def __repr__(self) -> str:
        return self.memo().text()

    def _repr_html_(self) -> str:
        return self.memo().html()


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A mechanism bound to data and unit, not yet run: the price and the expected error are known and nothing has been
    read."""

    mechanism: Mechanism
    data: Any
    unit: Unit

    @property
    def guarantee(self) -> Guarantee:
        """The price, the same that the release will carry."""
        return self.mechanism.guarantee(self.unit)

    def expected(self, confidence: float = 0.95) -> dict[str, Expected]:
        """How far off each column will be, by name ("value" where it has none), from public parameters alone."""
        level = checks.confidence_level(confidence=confidence)
        forecast = getattr(self.mechanism, "expected", None)
        if forecast is not None:
            found: dict[str, Expected] = forecast(self.unit, level)
            return found
        return {"value": expected_error(self.mechanism.error(self.unit), None, 0.0, level)}

    def run(self, *, rng: Source | None = None) -> Release:
        """Read the data, draw the noise, release. Each run pays the price again."""
        return self.mechanism.run(self.data, self.unit, rng=rng)

    def check(self) -> dict[str, dict[str, int]]:
        """For the owner's eyes only, and unpaid: how many cells of each column would be clamped or are missing.

        It reads the data. Nothing of it may be published.
        """
        look = getattr(self.mechanism, "check", None)
        return {} if look is None else look(self.data, self.unit)

    def memo(self, confidence: float = 0.95) -> Memo:
        """The price and the expected error."""
        return plan_memo(self, confidence)

    def __repr__(self) -> str:
        return self.memo().text()

    def _repr_html_(self) -> str:
        return self.memo().html()


def plan(mechanism: Mechanism, data: Any, unit: Unit | str | None = None) -> Plan:
    """A mechanism bound to data and to whom it protects. `unit=None` is "every row its own unit"."""
    if not isinstance(mechanism, Mechanism):
        raise ArgumentTypeError.expected("mechanism", mechanism, "something with guarantee, error and run is needed")
    who = Unit.of(unit) or Unit(None)
    mechanism.guarantee(who)  # a unit that the mechanism says nothing about is refused here, not when it is shown
    return Plan(mechanism, data, who)


@dataclass(frozen=True, eq=False, repr=False)
class Finding:
    """How much a person was noticed, as measured. It can be read and compared; it cannot be added and cannot be spent.

    `curve` is what was measured. `bounds` are points (epsilon, low, high) between which the measured delta lies with
    `confidence`. `fixed_neighbours` says that the lower bounds were proved, by sampling, for two worlds fixed
    beforehand: only then can the finding contradict a guarantee.
    """

    what: str
    curve: Curve
    unit: Unit | None = None
    bounds: tuple[tuple[float, float, float], ...] = ()
    confidence: float | None = None
    fixed_neighbours: bool = False

    def epsilon(self, delta: float = 0.0) -> float:
        """The measured epsilon at a delta."""
        return self.curve.epsilon(delta)

    def delta(self, epsilon: float) -> float:
        """The measured delta at an epsilon."""
        return self.curve.delta(epsilon)

    def contradicts(self, guarantee: Guarantee) -> bool:
        """Whether a valid lower bound on delta lies above what the guarantee allows."""
        if not isinstance(guarantee, Guarantee):
            raise NotAGuaranteeError.expected("guarantee", guarantee, "only a guarantee can be contradicted")
        return self.fixed_neighbours and any(low > guarantee.delta(epsilon) for epsilon, low, _ in self.bounds)

    def __add__(self, other: object) -> Any:
        raise NotAGuaranteeError(
            "a finding is measured, not proved: it cannot be added to anything. Audit the questions jointly instead."
        )

    __radd__ = __rmul__ = __mul__ = __add__

    def memo(self) -> Memo:
        """What was measured, and how sure."""
        return finding_memo(self)

    def __repr__(self) -> str:
        return self.memo().text()

    def _repr_html_(self) -> str:
        return self.memo().html()


def frozen(value: Any) -> Any:
    """A value as releases keep it: arrays copied once and read-only, NumPy numbers as Python's, mappings read-only."""
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return value.item()
        if value.flags.writeable:
            value = value.copy()
            value.setflags(write=False)
        return value
    if isinstance(value, Mapping):
        return MappingProxyType({name: frozen(one) for name, one in value.items()})
    return value.item() if isinstance(value, np.generic) else value


def _ordered(a: float, b: float) -> tuple[float, float]:
    return (a, b) if a <= b else (b, a)
