"""What every kind of guarantee shares, and their sum in one plan.

A kind states its own curve and what it implies. Composition is written once, in `compose`: it knows no kind by name.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from .. import checks
from ..base import Change, Guarantee, Unit
from ..errors import ArgumentError, NotAGuaranteeError, UnitError
from ..memo import Memo, Text
from . import routes

__all__ = ["Composed", "Kind", "compose", "said", "stated"]

_READ_AT = (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3))


class Kind(Guarantee):
    """A guarantee with a curve of its own. A subclass writes `_delta`, `group`, `words` and what it implies for other
    kinds."""

    kind: ClassVar[str]
    """The short name it is stored by; never changed, never reused."""

    unit: Unit | None

    @abstractmethod
    def _delta(self, epsilons: Any) -> Any:
        """Upper bounds on delta for an array of epsilons >= 0."""

    @abstractmethod
    def words(self) -> str:
        """Its parameters in a few words, such as 'epsilon 1'."""

    @property
    def pure_epsilon(self) -> Fraction | None:
        """The epsilon it has at delta 0, exactly; None where there is none."""
        return None

    @property
    def point(self) -> tuple[Fraction, Fraction] | None:
        """One (epsilon, delta) that sums up the whole kind, for basic composition; None where no single point does."""
        return None if self.pure_epsilon is None else (self.pure_epsilon, Fraction(0))

    @property
    def sharp(self) -> bool:
        """Whether its curve is that of the worst pair with its point: randomised response, and disclosure with
        probability delta."""
        return False

    @property
    def concentrated(self) -> tuple[Fraction, Fraction] | None:
        """(rho, delta) such that it is delta-approximately rho-zCDP; None where no finite rho is known."""
        return None

    def epsilon(self, delta: float = 0.0) -> float:
        allowed = checks.probability(delta=delta)
        if not allowed:
            return math.inf if self.pure_epsilon is None else checks.round_up(self.pure_epsilon)
        return self._epsilon(_down(allowed))

    def _epsilon(self, delta: float) -> float:
        top = math.inf if self.pure_epsilon is None else checks.round_up(self.pure_epsilon)
        return routes.least_epsilon(lambda e: float(self._delta(np.array([e]))[0]), delta, top)

    def delta(self, epsilon: float) -> float:
        exact = checks.non_negative(epsilon=epsilon)
        if self.pure_epsilon is not None and exact >= self.pure_epsilon:
            return 0.0
        return min(float(self._delta(np.array([_down(exact)]))[0]), 1.0)

    def __add__(self, other: Guarantee) -> Guarantee:
        return compose([(self, 1), (other, 1)])

    def __rmul__(self, count: int) -> Guarantee:
        return compose([(self, checks.count(count=count))])

    def under(self, change: Change) -> Guarantee:
        unit = self.unit
        if unit is None:
            raise UnitError(
                "the unit of this guarantee was never stated, so it cannot be converted. State it: unit='person'"
            )
        if change == unit.change:
            return self
        if (unit.change, change) != ("remove", "replace"):
            raise UnitError(
                f"no guarantee for {change!r} follows from one for {unit.change!r}. "
                "Only 'remove' gives 'replace', at twice the distance."
            )
        # Replacing a unit is removing one and adding another: two steps.
        return self.group(2).renamed(Unit(unit.who, change, unit.policy))  # type: ignore[attr-defined, no-any-return]

    def merged(self, other: Kind) -> Kind | None:
        """One guarantee of the same kind that says exactly as much as this and another together; None where there is
        none."""
        return None

    def times(self, count: int) -> Kind | None:
        """One guarantee of the same kind that says exactly as much as `count` copies; None where there is none."""
        return self if count == 1 else None

    @abstractmethod
    def renamed(self, unit: Unit | None) -> Kind:
        """The same curve said of another unit; for this room's own use."""

    def memo(self) -> Memo:
        points = [{"epsilon": _or_none(self.epsilon(float(d))), "delta": float(d)} for d in _READ_AT]
        unit = self.unit
        facts = {
            "kind": self.kind,
            "unit": None if unit is None else unit.who,
            "change": None if unit is None else unit.change,
            "epsilon": _or_none(self.epsilon()),
            "points": points,
        }
        return Memo("A guarantee", facts, (Text("Price", f"{self.words()}; protects {said(unit)}."),))

    def __repr__(self) -> str:
        return f"<{self.words()}; protects {said(self.unit)}>"


@dataclass(frozen=True, repr=False)
class Composed(Kind):
    """Several guarantees in one plan, all of whose parameters are fixed before its first answer.

    It keeps its parts and reads itself by the tightest of the routes that all of them allow: the sum of epsilons and
    deltas; zCDP; the exact distribution of the privacy loss of equal pure parts; the certified distribution of the loss
    of any parts. Each is a bound for the whole plan, so the least of them is too. It is *not* a bound for questions
    chosen one after another: that is a ledger's.
    """

    kind = "composed"
    parts: tuple[tuple[Kind, int], ...]
    unit: Unit | None

    @property
    def pure_epsilon(self) -> Fraction | None:
        total = Fraction(0)
        for part, count in self.parts:
            if part.pure_epsilon is None:
                return None
            total += count * part.pure_epsilon
        return total

    @property
    def concentrated(self) -> tuple[Fraction, Fraction] | None:
        rho, kept = Fraction(0), Fraction(1)
        for part, count in self.parts:
            if part.concentrated is None:
                return None
            rho += count * part.concentrated[0]
            kept = _power_down(1 - part.concentrated[1], count) * kept
        return rho, 1 - kept

    def _routes(self) -> routes.Routes:
        profiles = tuple(
            routes.Part(part._delta, part.pure_epsilon, part.point, part.sharp, count) for part, count in self.parts
        )
        return routes.Routes(profiles, self.concentrated)

    def _delta(self, epsilons: Any) -> Any:
        return self._routes().delta(np.asarray(epsilons, dtype=float))

    def _epsilon(self, delta: float) -> float:
        top = math.inf if self.pure_epsilon is None else checks.round_up(self.pure_epsilon)
        return min(top, self._routes().epsilon(delta))

    def group(self, k: int) -> Guarantee:
        return compose([(part.group(k), count) for part, count in self.parts])

    def renamed(self, unit: Unit | None) -> Kind:
        return Composed(tuple((part.renamed(unit), count) for part, count in self.parts), unit)

    def words(self) -> str:
        listed = " and ".join(
            f"{count} x ({part.words()})" if count > 1 else part.words() for part, count in self.parts
        )
        total = self.pure_epsilon
        return listed if total is None else f"epsilon {checks.shown_up(total)} in all: {listed}"


def compose(parts: Iterable[tuple[Guarantee, int]]) -> Guarantee:
    """All of these, each as often as it says, in one plan: in normal form, so that order does not matter."""
    counted: dict[Kind, int] = {}
    for guarantee, count in parts:
        if not isinstance(guarantee, Kind):
            raise NotAGuaranteeError.expected("the other term", guarantee, "only guarantees add up")
        for part, inner in guarantee.parts if isinstance(guarantee, Composed) else ((guarantee, 1),):
            counted[part] = counted.get(part, 0) + inner * count
    units = list(dict.fromkeys(part.unit for part in counted))
    if len(units) > 1:
        raise UnitError.clash(units[0] or "a unit that was not stated", units[1] or "a unit that was not stated")
    merged: list[tuple[Kind, int]] = []
    for part, count in counted.items():
        single = part.times(count)
        one, n = (part, count) if single is None else (single, 1)
        for i, (other, m) in enumerate(merged):
            together = other.merged(one) if n == m == 1 else None
            if together is not None:
                merged[i] = (together, 1)
                break
        else:
            merged.append((one, n))
    if len(merged) == 1 and merged[0][1] == 1:
        return merged[0][0]
    merged.sort(key=lambda item: (item[0].kind, str(astuple(item[0])), item[1]))  # type: ignore[call-overload]
    return Composed(tuple(merged), units[0])


def _power_down(base: Fraction, count: int) -> Fraction:
    """base**count from below for 0 <= base <= 1, without building a number of millions of digits."""
    if count * base.denominator.bit_length() <= 4096:
        return base**count
    low = math.exp(count * math.log1p(float(base - 1))) * (1 - 1e-9) if base > 0 else 0.0
    return Fraction(low)


def said(unit: Unit | None) -> str:
    """Whom a guarantee protects, in words."""
    if unit is None:
        return "a unit that was not stated"
    who = "every single row" if unit.who is None else f"every {unit.who}"
    how = {"remove": "added or removed", "replace": "replaced by any other"}.get(unit.change, unit.change)
    return f"{who} ({how})" if unit.policy is None else f"{who} ({how}; {unit.policy})"


def stated(unit: Unit | str | None) -> Unit | None:
    """`unit=` of a guarantee: a string is short for Unit(string), None is 'not stated'."""
    found = Unit.of(unit)
    if found is not None and found.change == "add":
        raise ArgumentError.expected(
            "unit", unit, "change='add' is for evidence only", "A guarantee for 'remove' covers adding too"
        )
    return found


def positive_count(k: object) -> int:
    """The size of a group."""
    return checks.count(k=k)


def _down(exact: Fraction) -> float:
    """The largest double that is not above: what a delta allows, or an epsilon is worth, is never overstated."""
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


def ceiling(exact: Fraction) -> float:
    """The least double that is not below, in binary."""
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _or_none(x: float) -> float | None:
    return x if math.isfinite(x) else None
