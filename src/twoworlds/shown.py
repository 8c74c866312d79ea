"""What a release, a plan and a finding say about themselves: their memos, which `repr`, notebooks, `--json` and pages
all read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from .memo import Bars, Lines, Memo, Part, Table, Text

if TYPE_CHECKING:  # the nouns stand above this file: it only reads them
    from .base import Finding, Plan, Release

__all__ = ["finding_memo", "plan_memo", "release_memo"]

_Cell = tuple[str, Any, Any, Any]
_MOST_BARS = 60
_SEEDED = "The noise came from a number that can be known: for tests and teaching, not for publication."


def release_memo(release: Release, confidence: float) -> Memo:
    """Values with their intervals, the price, and whether the noise could be known."""
    columns = dict(_columns(release, ""))
    cells = {name: _cells(part, confidence) for name, part in columns.items()}
    percent = f"{100 * confidence:g} %"
    rows = [(_named(name, key), *_legible(*ends)) for name, some in cells.items() for key, *ends in some]
    known = any(cell[2] is not None for some in cells.values() for cell in some)
    caption = f"Values with {percent} intervals for the noise" if known else "Released values"
    parts: list[Part] = [Table(("name", "value", "low", "high"), rows, caption)]
    for name, some in cells.items():
        if 0 < len(some) <= _MOST_BARS and columns[name].error is not None:
            parts.append(_bars(name, some, percent))
    price = release.guarantee.memo()
    parts += [part for part in price.parts if isinstance(part, Text)]
    if release.unprocessed is not None:
        parts.append(Text("Processed", "These values were computed from a private release. That costs no privacy."))
    if release.seeded:
        parts.append(Text("Seeded", _SEEDED))
    facts = {
        "columns": {name or "value": _facts(part, cells[name]) for name, part in columns.items()},
        "confidence": confidence,
        "guarantee": price.facts,
        "seeded": release.seeded,
    }
    names = ", ".join(name for name in columns if name)
    return Memo(f"A private release{': ' + names if names else ''}", facts, tuple(parts))


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
    table = Table(("epsilon", "delta", "low", "high"), rows, "Measured delta at each epsilon, with its uncertainty")
    if len(rows) < 2:
        return Memo("A finding", facts, (Text("Measured", body), table))
    epsilons, deltas, lows, highs = zip(*rows, strict=True)
    curve = Lines(epsilons, {"measured": (deltas, lows, highs)}, labels=("epsilon", "delta", "Measured delta"))
    return Memo("A finding", facts, (Text("Measured", body), table, curve))


def _columns(release: Release, prefix: str) -> Iterator[tuple[str, Release]]:
    """Every unnamed value inside a release, under the names that lead to it."""
    if not release.parts:
        yield prefix, release
    for name, part in release.parts.items():
        yield from _columns(part, f"{prefix}.{name}" if prefix else name)


def _cells(release: Release, confidence: float) -> list[_Cell]:
    """(key, value, low, high) of each cell; the key of a single number is empty."""
    array = np.asarray(release.value)
    values = np.ravel(array).tolist()
    if array.ndim == 0:
        keys = [""]
    elif [len(keys) for keys in release.labels.values()] == list(array.shape):
        keys = [", ".join(map(str, some)) for some in product(*release.labels.values())]
    elif len(release.labels) and all(len(keys) == len(values) for keys in release.labels.values()):
        keys = [", ".join(map(str, some)) for some in zip(*release.labels.values(), strict=True)]
    else:
        keys = [f"[{', '.join(map(str, index))}]" for index in np.ndindex(array.shape)]
    if release.error is None:
        return [(key, value, None, None) for key, value in zip(keys, values, strict=True)]
    interval = release.interval(confidence)
    return list(zip(keys, values, np.ravel(interval.low).tolist(), np.ravel(interval.high).tolist(), strict=True))


def _named(column: str, key: str) -> str:
    if not key:
        return column or "value"
    if key.startswith("["):
        return (column or "value") + key
    return f"{column}, {key}" if column else key


def _legible(value: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
    """Rounded to a thousandth of the interval's width, outwards; integers and facts stay exact."""
    if low is None or isinstance(low, int) or not 0 < high - low < math.inf:
        return value, low, high
    digits = 2 - math.floor(math.log10(high - low))
    grain = 10.0**-digits
    return (
        round(value, digits),
        round(math.floor(low / grain) * grain, digits),
        round(math.ceil(high / grain) * grain, digits),
    )


def _bars(name: str, cells: list[_Cell], percent: str) -> Bars:
    known = all(cell[2] is not None for cell in cells)
    low = [cell[2] for cell in cells] if known else None
    high = [cell[3] for cell in cells] if known else None
    keys = [cell[0] or name or "value" for cell in cells]
    caption = f"Lines: {percent} intervals for the noise." if known else ""
    return Bars(keys, [cell[1] for cell in cells], low, high, title=name, caption=caption)


def _facts(release: Release, cells: list[_Cell]) -> dict[str, Any]:
    shown = [{"value": value, "low": low, "high": high} for _, value, low, high in cells]
    return {"cells": shown, "step": release.step, "error": None if release.error is None else repr(release.error)}
