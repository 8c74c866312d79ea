"""A table that the package makes itself: monthly inspections of several thousand establishments. Nobody real is in
it."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["KINDS", "inspections"]

_Columns = dict[str, np.ndarray[Any, Any]]

KINDS = ("bakery", "bar", "canteen", "grocery", "kiosk", "restaurant")
_SHARE = (0.10, 0.14, 0.08, 0.22, 0.06, 0.40)
_FAILS = (0.14, 0.22, 0.10, 0.18, 0.20, 0.24)


def inspections(establishments: int = 4000, months: int = 36, seed: int = 2022) -> _Columns:
    """One row an inspection: `establishment`, `kind`, `month` (0, 1, ...), `failed` (0 or 1), `fine`.

    Each establishment has a kind and a care of its own, is open from some month on, and is inspected about every fourth
    month, sooner after a failure. Equal seeds make equal tables.

    >>> table = inspections()
    >>> len(set(table["establishment"].tolist())), sorted(table)
    (3968, ['establishment', 'failed', 'fine', 'kind', 'month'])
    """
    rng = np.random.default_rng(seed)
    kind = rng.choice(len(KINDS), size=establishments, p=_SHARE)
    chance = np.clip(np.array(_FAILS)[kind] * rng.gamma(4, 0.25, establishments), 0.01, 0.9)
    opened = np.where(rng.random(establishments) < 0.8, 0, rng.integers(0, months, establishments))
    due = opened + rng.integers(0, 4, establishments)
    rows = []
    for month in range(months):
        visited = np.flatnonzero((due <= month) & (rng.random(establishments) < 0.8))
        failed = rng.random(visited.size) < chance[visited]
        fine = np.where(failed, np.rint(rng.lognormal(5, 0.8, visited.size)), 0.0).astype(np.int64)
        due[visited] = month + np.where(failed, 1, rng.integers(3, 7, visited.size))
        rows.append((visited, kind[visited], np.full(visited.size, month), failed.astype(np.int64), fine))
    names = ("establishment", "kind", "month", "failed", "fine")
    columns = {name: np.concatenate([row[i] for row in rows]) for i, name in enumerate(names)}
    columns["kind"] = np.array(KINDS)[columns["kind"]]
    return columns
