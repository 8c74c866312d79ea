"""How private a statistic already is: every individual's leave-one-out world, compared with the world of everybody.

Burchard and Daoud (2022). The data themselves are random, so a published number may already hide each individual. What
is found is measured on one history: it can be read and compared, never spent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checks
from ..base import Finding, Unit
from ..errors import ArgumentError, ArgumentTypeError
from ..evidence import Direction, Worlds, worlds_of
from ..evidence.density import window
from ..memo import Bars, Memo, Part, Table, Text
from .history import History, Pairs
from .statistic import Statistic, statistic

__all__ = ["At", "Audit", "Truncated", "Worst", "audit"]

_Array = np.ndarray[Any, Any]
_READ = (0.03, 0.1, 0.3, 1.0)
_NOT_PROMISED = (
    "This was measured on one history. It promises nothing about other data, cannot be added, and cannot be spent."
)


@dataclass(frozen=True)
class Truncated:
    """The paper's reading, which forgets what lies outside the common range."""

    delta: float
    total_risk: float


@dataclass(frozen=True)
class Worst:
    """The individual with the largest delta, and the world that has the excess."""

    individual: Any
    delta: float
    direction: Direction


@dataclass(frozen=True)
class At:
    """What an audit measured at one epsilon, over all individuals.

    `total_risk` is 1 - prod(1 - delta_i), which treats the individuals' risks as independent; `union_bound` does not.
    """

    epsilon: float
    delta: float
    total_risk: float
    union_bound: float
    truncated: Truncated
    worst: Worst


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """An audit of one statistic over a history."""

    statistic: Statistic
    history: History
    pairs: Pairs
    values: _Array
    """The statistic of each database in which it is defined."""
    databases: _Array
    _groups: tuple[tuple[Worlds, tuple[int, ...]], ...] = field(repr=False)
    """The worlds of individuals who brought the same to the same databases, computed once, and who they are."""
    _read: dict[float, tuple[_Array, _Array]] = field(default_factory=dict)

    def at(self, epsilon: Any) -> At:
        """Delta over all individuals, total risk and the worst individual at an epsilon."""
        exact = float(checks.non_negative(epsilon=epsilon))
        deltas, truncated = self._deltas(exact)
        counts = np.array([len(who) for _, who in self._groups])
        place = int(np.argmax(deltas))
        worlds, who = self._groups[place]
        worst = Worst(_plain(self.pairs.individuals[who[0]]), float(deltas[place]), worlds.direction(exact))
        paper = Truncated(float(truncated.max()), _total_risk(truncated, counts))
        union = min(float(np.dot(deltas, counts)), 1.0)
        return At(exact, float(deltas.max()), _total_risk(deltas, counts), union, paper, worst)

    def delta(self, epsilon: float) -> float:
        """The largest measured delta of any individual."""
        return self.at(epsilon).delta

    def epsilon(self, delta: Any = None, *, total_risk: Any = None) -> float:
        """The least epsilon, to six digits, at which delta, or the total risk, is no larger; infinite where none is."""
        if (delta is None) == (total_risk is None):
            raise ArgumentError("epsilon needs one goal: delta=... or total_risk=...")
        name, goal = ("delta", delta) if total_risk is None else ("total_risk", total_risk)
        allowed = float(checks.probability(**{name: goal}))
        low, high = 0.0, 1.0
        if getattr(self.at(low), name) <= allowed:
            return 0.0
        while getattr(self.at(high), name) > allowed:
            low, high = high, 2 * high
            if high > 64:
                return math.inf
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if getattr(self.at(middle), name) <= allowed else (middle, high)
        return high

    def individuals(self, epsilon: Any) -> dict[str, list[Any]]:
        """Columns, by falling delta: `individual`, `delta`, `truncated`, `databases` (how many they changed)."""
        deltas, truncated = self._deltas(float(checks.non_negative(epsilon=epsilon)))
        rows = [
            (
                _plain(self.pairs.individuals[i]),
                float(deltas[g]),
                float(truncated[g]),
                round(w.changed * self.values.size),
            )
            for g, (w, who) in enumerate(self._groups)
            for i in who
        ]
        rows.sort(key=lambda row: (-row[1], str(row[0])))
        names = ("individual", "delta", "truncated", "databases")
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    @property
    def resolution(self) -> float:
        """The least probability that so many databases can show: what is rarer is missed more than once in twenty."""
        return float(1 - 0.05 ** (1 / self.values.size))

    @property
    def finding(self) -> Finding:
        """The measured curve, as a finding: it refuses to be added or spent."""
        return Finding(
            f"How far {self.statistic.text} moves without any one individual.", curve=self, unit=Unit(self.history.who)
        )

    def _deltas(self, epsilon: float) -> tuple[_Array, _Array]:
        if epsilon not in self._read:
            deltas = np.array([worlds.delta(epsilon) for worlds, _ in self._groups])
            paper = [worlds.truncated(epsilon) for worlds, _ in self._groups]
            self._read[epsilon] = deltas, np.array([1.0 if one is None else one for one in paper])
        return self._read[epsilon]

    def memo(self) -> Memo:
        """What was asked, what could have been seen, what was found, and what it does not promise."""
        found = [self.at(epsilon) for epsilon in _READ]
        people, t = sum(len(who) for _, who in self._groups), self.values.size
        asked = f"{self.statistic.text} over {t:,} databases, with and without each of {people:,} individuals."
        seen = (
            f"{t:,} databases show a probability of {self.resolution:.3g} or more; what is rarer can be missed. "
            "A delta far below that rests on the smoothness of the densities."
        )
        rows = [(a.epsilon, a.delta, a.total_risk, a.truncated.delta, a.truncated.total_risk) for a in found]
        columns = ("epsilon", "delta", "total risk", "delta, truncated", "total risk, truncated")
        facts = {
            "databases": t,
            "individuals": people,
            "pairs": int(self.pairs.individual.size),
            "resolution": self.resolution,
            "nameless_rows": self.pairs.nameless,
            "rows_in_no_database": self.pairs.left_out,
            "results": [_facts(a) for a in found],
        }
        parts: tuple[Part, ...] = (
            Text("Asked", asked),
            Text("What could have been seen", seen),
            Table(columns, rows, "Measured, over all individuals"),
            Text("Not promised", _NOT_PROMISED),
            *_ranked(self.individuals(_READ[1])),
        )
        return Memo(f"An audit of {self.statistic.text}", facts, parts)

    def __repr__(self) -> str:
        return self.memo().text()

    def _repr_html_(self) -> str:
        return self.memo().html()


def audit(history: History, statistic_: str) -> Audit:
    """How private a statistic of a history already is.

    >>> import numpy as np
    >>> from .history import history as history_of
    >>> rng = np.random.default_rng(1)
    >>> who, month, failed = rng.integers(0, 200, 4000), rng.integers(0, 60, 4000), rng.integers(0, 2, 4000)
    >>> visits = {"who": who, "month": month, "failed": failed}
    >>> found = audit(history_of(visits, unit="who", database="month"), "AVG(failed)")
    >>> found.at(1).delta <= found.at("0.1").delta <= found.at(0).delta < 0.2
    True
    """
    if not isinstance(history, History):
        raise ArgumentTypeError.expected("history", history, "a history is needed", "Use tw.history(source, ...)")
    asked = statistic(statistic_)
    pairs = history.pairs(asked.inputs)
    if pairs.databases.size < 2:
        raise ArgumentError(
            f"database: the history has {pairs.databases.size} databases, and an audit compares several."
        )
    totals = np.zeros((pairs.databases.size, pairs.sums.shape[1]))
    np.add.at(totals, pairs.database, pairs.sums)
    values = asked.value(totals)
    defined = np.isfinite(values)
    if np.count_nonzero(defined) < 2:
        raise ArgumentError(f"statistic: {asked.text} is defined in fewer than two databases of the history.")
    kept = defined[pairs.database]
    number = np.cumsum(defined) - 1
    left = asked.value(totals[pairs.database[kept]] - pairs.sums[kept])
    groups = _grouped(pairs.individual[kept], number[pairs.database[kept]], left)
    base = values[defined]
    density = window(base)
    worlds = tuple((worlds_of(base, density, _without(base, where, what)), who) for where, what, who in groups)
    return Audit(asked, history, pairs, base, pairs.databases[defined], worlds)


def _without(base: _Array, where: _Array, what: _Array) -> _Array:
    out: _Array = base.copy()
    out[where] = what
    return out


def _grouped(individual: _Array, database: _Array, value: _Array) -> Iterator[tuple[_Array, _Array, tuple[int, ...]]]:
    """Individuals whose absence changes the same databases to the same values, together."""
    order = np.lexsort((database, individual))
    individual, database, value = individual[order], database[order], value[order]
    starts = np.flatnonzero(np.diff(individual, prepend=-1))
    alike: dict[bytes, list[int]] = {}
    first: dict[bytes, tuple[_Array, _Array]] = {}
    for start, stop in zip(starts, np.append(starts[1:], individual.size), strict=True):
        where, what = database[start:stop], value[start:stop]
        key = where.tobytes() + what.tobytes()
        alike.setdefault(key, []).append(int(individual[start]))
        first.setdefault(key, (where, what))
    for key, who in alike.items():
        yield *first[key], tuple(who)


def _total_risk(deltas: _Array, counts: _Array) -> float:
    """1 - prod(1 - delta), without cancellation."""
    if (deltas >= 1).any():
        return 1.0
    return float(-np.expm1(np.dot(np.log1p(-deltas), counts))) + 0.0


def _facts(at: At) -> dict[str, Any]:
    return {
        "epsilon": at.epsilon,
        "delta": at.delta,
        "total_risk": at.total_risk,
        "union_bound": at.union_bound,
        "truncated": {"delta": at.truncated.delta, "total_risk": at.truncated.total_risk},
        "worst": {"individual": at.worst.individual, "delta": at.worst.delta, "direction": at.worst.direction},
    }


def _ranked(columns: dict[str, list[Any]]) -> tuple[Bars, ...]:
    """The individuals with the largest deltas, as a picture."""
    some = [i for i, delta in enumerate(columns["delta"][:12]) if delta > 0]
    if not some:
        return ()
    labels = [str(columns["individual"][i]) for i in some]
    title = f"Largest deltas at epsilon {_READ[1]:g}"
    return (Bars(labels, [columns["delta"][i] for i in some], title=title, caption="One dot an individual."),)


def _plain(name: Any) -> Any:
    """An individual's name as Python's own, dates as text."""
    if isinstance(name, np.generic):
        name = name.item()
    return name if name is None or isinstance(name, (int, float, str)) else str(name)
