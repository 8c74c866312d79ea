"""A walk through the rooms, as a user takes it: from a question to a page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import twoworlds as tw


def test_a_release_from_question_to_page(tmp_path: Path) -> None:
    """Name the unit, ask, see the price and the expected error, release, read intervals, the sentence, a page."""
    rows = {"person": np.arange(50), "age": np.arange(50) + 20}
    older = tw.query(lambda d: int(np.count_nonzero(d["age"] >= 45)), sensitivity=1, integer=True)
    ages = tw.query(lambda d: int(np.clip(d["age"], 18, 90).sum()), sensitivity=90)
    plan = tw.plan(
        tw.batch(older=tw.GeometricMechanism(older, "0.5"), ages=tw.LaplaceMechanism(ages, "0.5")), rows, "person"
    )
    assert plan.guarantee.epsilon() == 1.0
    assert plan.expected(0.95)["older"].half_width == 6
    release = plan.run()
    assert release.guarantee == plan.guarantee
    interval = release.interval(0.95, column="older")
    assert interval.low < release["older"].value < interval.high
    assert "2.72 times" in tw.promise(release)
    stored = tw.guarantees.codec.dump(release.guarantee)
    assert tw.guarantees.codec.load(stored) == plan.guarantee
    assert json.loads(release.memo().json())["guarantee"]["epsilon"] == 1.0
    pytest.importorskip("matplotlib")
    page = tw.report([plan, release], tmp_path / "report.html")
    assert str(release["older"].value) in page.read_text()


def test_many_releases_in_one_plan_cost_less_than_their_sum() -> None:
    """A year of monthly counts, planned beforehand: the whole is read by the tightest route."""
    count = tw.query(len, sensitivity=1, integer=True)
    year = tw.batch({f"month {m}": tw.GeometricMechanism(count, "0.1") for m in range(1, 13)})
    plan = tw.plan(year, [1, 2, 3], "person")
    assert plan.guarantee == 12 * tw.pure("0.1", unit="person")
    assert plan.guarantee.epsilon() == 1.2
    assert plan.guarantee.epsilon(1e-3) < 1.15
    assert len(plan.run().columns) == 12
