"""`twoworlds demo`: a private release with intervals, and an audit, printed and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from ..base import Plan, plan
from ..empirical import audit, history
from ..mechanisms import GeometricMechanism, LaplaceMechanism, batch, query
from ..memo import Memo, Text
from ..noise import seeded
from ..pages import report
from ..semantics import promise
from .inspections import KINDS, inspections

__all__ = ["command", "last_year"]

_Columns = dict[str, np.ndarray[Any, Any]]
_LARGEST_FINE = 2000


def last_year(table: _Columns) -> Plan:
    """Three questions about the last twelve months, with establishments as the unit: epsilon 1 for all three.

    Every establishment is counted once, in the cell of its own kind, so it can move a count by one; its fines are added
    up and clamped to 0 .. 2000 before they enter the total, so it can move the total by 2000.
    """
    recent = table["month"] >= table["month"].max() - 11
    who, first, inverse = np.unique(table["establishment"][recent], return_index=True, return_inverse=True)
    kind = table["kind"][recent][first]
    failed = np.bincount(inverse, weights=table["failed"][recent], minlength=who.size) > 0
    fines = np.bincount(inverse, weights=table["fine"][recent], minlength=who.size).astype(np.int64)
    one_each = {"kind": kind, "failed": failed, "fines": np.clip(fines, 0, _LARGEST_FINE)}

    def by_kind(rows: _Columns) -> Any:
        return np.array([np.count_nonzero(rows["kind"] == name) for name in KINDS])

    def failing(rows: _Columns) -> Any:
        return by_kind({"kind": rows["kind"][rows["failed"]]})

    def total(rows: _Columns) -> Any:
        # whole amounts: a sum of floats could move further than one establishment does
        return int(np.sum(rows["fines"]))

    mechanisms = batch(
        inspected=GeometricMechanism(query(by_kind, sensitivity=1, integer=True, labels=KINDS), "0.25"),
        failed=GeometricMechanism(query(failing, sensitivity=1, integer=True, labels=KINDS), "0.25"),
        fines=LaplaceMechanism(query(total, sensitivity=_LARGEST_FINE), "0.5"),
    )
    return plan(mechanisms, one_each, "establishment")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), help="The folder for the page.")
@click.option("--seed", type=int, default=None, help="Repeatable noise, for teaching; the page says so.")
def command(out: Path, seed: int | None) -> None:
    """A private release from a table the package makes itself, and an audit of its history."""
    table = inspections()
    asked = last_year(table)
    click.echo(
        f"{len(table['month']):,} inspections of made-up establishments; the last twelve months are published.\n"
    )
    click.echo(asked.memo().text() + "\n")
    release = asked.run(rng=None if seed is None else seeded(seed))
    click.echo(release.memo().text() + "\n")
    click.echo(promise(release) + "\n")
    measured = audit(history(table, unit="establishment", database="month"), "AVG(failed)")
    click.echo("And without any noise: how private is the monthly share of failures already?\n")
    click.echo(measured.memo().text())
    meaning = Memo("What it means to one establishment", {"promise": promise(release)}, (Text("", promise(release)),))
    page = report(
        [asked, release, meaning, measured], out / "report.html", title="Inspections of the last twelve months"
    )
    click.echo(f"The page: {page}", err=True)
