"""What a release, a plan and a finding say about themselves: their memos, which `repr`, notebooks, `--json` and pages
all read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .memo import Bars, Memo, Part, Table, Text

if TYPE_CHECKING:  # the nouns stand above this file: it only reads them
    from .base import Finding, Plan, Release

__all__ = ["finding_memo", "plan_memo", "release_memo"]

_Row = tuple[str, Any, Any, Any]
_MOST_BARS = 60


def release_memo(release: Release, confidence: float) -> Memo:
    """Values with their intervals, the price, and whether the noise could be known."""
    named = release.parts or {"value": release}
    rows = {name: _rows(name, part, confidence) for name, part in named.items()}
    flat = [row for some in rows.values() for row in some]
    parts: list[Part] = [
        Table(("name", "value", "low", "high"), flat, f"Values with {100 * confidence:g} % intervals for the noise")
    ]
    for name, some in rows.items():
        if 0 < len(some) <= _MOST_BARS and all(isinstance(row[1], (int, float)) for row in some):
            known = all(row[2] is not None for row in some)
            low = [row[2] for row in some] if known else None
            high = [row[3] for row in some] if known else None
            parts.append(Bars([row[0] for row in some], [row[1] for row in some], low, high, title=name))
    price = release.guarantee.memo()
    parts += [part for part in price.parts if isinstance(part, Text)]
    if release.unprocessed is not None:
        parts.append(Text("Processed", "These values were computed from a private release. That costs no privacy."))
    if release.seeded:
        parts.append(
            Text(
                "Seeded", "The noise came from a number that can be known: for tests and teaching, not for publication."
            )
        )
    facts = {
        "columns": {name: _facts(part, rows[name]) for name, part in named.items()},
        "confidence": confidence,
        "guarantee": price.facts,
        "seeded": release.seeded,
    }
    return Memo("A private release", facts, tuple(parts))


def plan_memo(plan: Plan, confidence: float) -> Memo:
    """The price and the expected error."""
    price, expected = plan.guarantee.memo(), plan.expected(confidence)
    columns = ("name", f"within ({100 * confidence:g} %)", "mean squared", "sum of |errors|", "largest")
    rows = [(name, one.half_width, one.mean_squared, one.l1, one.largest) for name, one in expected.items()]
    table = Table(columns, rows, "Expected error, before anything is read")
    facts = {
        "guarantee": price.facts,
        "confidence": confidence,
        "expected": {name: vars(one) for name, one in expected.items()},
    }
    return Memo("A plan, not yet run", facts, (*(part for part in price.parts if isinstance(part, Text)), table))


def finding_memo(finding: Finding) -> Memo:
    """What was measured, and how sure."""
    rows = [(epsilon, finding.delta(epsilon), low, high) for epsilon, low, high in finding.bounds]
    facts = {
        "what": finding.what,
        "unit": None if finding.unit is None else str(finding.unit),
        "confidence": finding.confidence,
        "measured": [{"epsilon": e, "delta": d, "low": low, "high": high} for e, d, low, high in rows],
    }
    body = f"{finding.what} This was measured on given data; it promises nothing about other data and cannot be spent."
    return Memo("A finding", facts, (Text("Measured", body), Table(("epsilon", "delta", "low", "high"), rows)))


def _facts(release: Release, rows: list[_Row]) -> dict[str, Any]:
    cells = [{"value": value, "low": low, "high": high} for _, value, low, high in rows]
    return {"cells": cells, "step": release.step, "error": None if release.error is None else repr(release.error)}


def _rows(name: str, release: Release, confidence: float) -> list[_Row]:
    """(name, value, low, high) for each cell."""
    values = np.ravel(np.asarray(release.value)).tolist()
    names = [name] if np.ndim(release.value) == 0 else [f"{name}[{i}]" for i in range(len(values))]
    if len(release.labels) == 1 and np.ndim(release.value) == 1:
        names = [str(key) for key in next(iter(release.labels.values()))]
    if release.error is None:
        return [(n, value, None, None) for n, value in zip(names, values, strict=True)]
    interval = release.interval(confidence)
    return list(zip(names, values, np.ravel(interval.low).tolist(), np.ravel(interval.high).tolist(), strict=True))
