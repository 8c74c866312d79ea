"""The audit of a history: leave-one-out by brute force, risks without cancellation, answers at the edges."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import twoworlds as tw
from twoworlds.empirical.statistic import statistic
from twoworlds.errors import ArgumentError, ArgumentTypeError, ExpressionError, NotAGuaranteeError, UnknownNameError
from twoworlds.evidence import compared


def _visits(seed: int = 1, rows: int = 1500, people: int = 60, months: int = 24) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "who": rng.integers(0, people, rows),
        "month": rng.integers(0, months, rows),
        "failed": rng.integers(0, 2, rows),
        "cost": rng.lognormal(3, 1, rows),
    }


BY_HAND = {
    "COUNT(*)": lambda d: len(d["who"]),
    "SUM(cost)": lambda d: d["cost"].sum(),
    "AVG(failed)": lambda d: d["failed"].mean() if len(d["who"]) else np.nan,
    "SUM(cost) / SUM(failed)": lambda d: d["cost"].sum() / d["failed"].sum() if d["failed"].sum() else np.nan,
}


@pytest.mark.parametrize("text", BY_HAND)
def test_leave_one_out_equals_recomputing(text: str) -> None:
    visits = _visits()
    found = tw.audit(tw.history(visits, unit="who", database="month"), text)
    value = lambda keep: np.array(
        [BY_HAND[text]({k: v[keep & (visits["month"] == m)] for k, v in visits.items()}) for m in range(24)]
    )
    everybody = value(np.ones(1500, dtype=bool))
    assert found.values == pytest.approx(everybody)
    by_hand = {who: compared(everybody, value(visits["who"] != who)).delta(0.1) for who in range(60)}
    columns = found.individuals(0.1)
    assert dict(zip(columns["individual"], columns["delta"], strict=True)) == pytest.approx(by_hand, abs=1e-9)
    at = found.at(0.1)
    assert at.delta == pytest.approx(max(by_hand.values()))
    assert at.total_risk == pytest.approx(1 - math.prod(1 - d for d in by_hand.values()))
    assert at.union_bound == pytest.approx(min(sum(by_hand.values()), 1))
    assert columns["delta"] == sorted(columns["delta"], reverse=True)


def test_individuals_who_brought_the_same_are_computed_once() -> None:
    visits = {"who": np.arange(400), "month": np.arange(400) % 20, "failed": (np.arange(400) // 20) % 2}
    found = tw.audit(tw.history(visits, unit="who", database="month"), "COUNT(*)")
    assert len(found._groups) == 20
    assert len(found.individuals(1)["individual"]) == 400


def test_rows_without_an_individual_stand_for_themselves_or_go() -> None:
    visits = {"who": ["a", None, "b", None, "a", "b"], "month": [1, 1, 1, 2, 2, None], "failed": [0, 1, 1, 0, 1, 1]}
    each = tw.history(visits, unit="who", database="month").pairs(["failed"])
    assert (each.individuals.tolist(), each.nameless, each.left_out) == (["a", "b", None, None], 2, 1)
    dropped = tw.history(visits, unit="who", database="month", null_unit="drop").pairs(["failed"])
    assert dropped.sums[:, 0].sum() == 3
    with pytest.raises(ArgumentError, match="null_unit"):
        tw.history(visits, unit="who", database="month", null_unit="one")  # type: ignore[arg-type]


def test_somebody_who_is_a_whole_database_is_noticed() -> None:
    """Without them the statistic cannot be published: that it was tells of them, in one of ten databases."""
    visits = {"who": [0] + [1, 2] * 9, "month": [0, *sorted([*range(1, 10)] * 2)], "failed": [1] + [0, 1] * 9}
    found = tw.audit(tw.history(visits, unit="who", database="month"), "AVG(failed)")
    columns = found.individuals(0.5)
    lonely = columns["individual"].index(0)
    assert columns["databases"][lonely] == 1
    assert columns["delta"][lonely] == pytest.approx(0.1)


def test_a_finding_is_what_comes_out() -> None:
    found = tw.audit(tw.history(_visits(), unit="who", database="month"), "AVG(failed)")
    assert found.finding.delta(0.1) == found.at(0.1).delta
    assert found.finding.unit == tw.Unit("who")
    with pytest.raises(NotAGuaranteeError):
        found.finding + tw.pure(1)
    epsilon = found.epsilon(total_risk=0.5)
    assert found.at(epsilon).total_risk <= 0.5 < found.at(epsilon * 0.999).total_risk
    assert found.at(found.epsilon(delta=0.001)).delta <= 0.001
    facts = json.loads(found.memo().json())
    assert facts["databases"] == 24
    assert facts["results"][1]["truncated"]["delta"] == found.at(0.1).truncated.delta
    assert found.resolution == pytest.approx(1 - 0.05 ** (1 / 24))
    assert "cannot be spent" in repr(found)
    assert "<table>" in found._repr_html_()


def test_more_noise_in_the_data_hides_more() -> None:
    """A sum of many costs hides one of them better than a sum of few."""
    few, many = (
        tw.audit(tw.history(_visits(rows=rows, people=people), unit="who", database="month"), "SUM(cost)").at(0.3).delta
        for rows, people in ((400, 20), (8000, 400))
    )
    assert many < few


@pytest.mark.parametrize(
    "text", ["MEDIAN(cost)", "AVG(*)", "AVG(cost) / SUM(cost)", "COUNT(*) + 1", "", "SUM(cost))", "SUM(a)(b)"]
)
def test_statistics_that_are_not_known_are_named(text: str) -> None:
    with pytest.raises(ArgumentError, match="statistic"):
        statistic(text)


def test_bad_questions() -> None:
    visits = _visits(rows=50)
    good = tw.history(visits, unit="who", database="month")
    with pytest.raises(UnknownNameError, match="failed"):
        tw.audit(good, "AVG(failde)")
    with pytest.raises(UnknownNameError):
        tw.history(visits, unit="person", database="month")
    with pytest.raises(ExpressionError):
        tw.history(visits, unit="who", database="count(*)")
    with pytest.raises(ArgumentError, match="several"):
        tw.audit(tw.history(visits, unit="who", database="1"), "AVG(failed)")
    with pytest.raises(ArgumentTypeError, match="history"):
        tw.audit(visits, "AVG(failed)")  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="statistic"):
        tw.audit(good, 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="Numbers are needed"):
        tw.audit(tw.history({"who": ["a", "b"], "m": [1, 2], "x": ["u", "v"]}, unit="who", database="m"), "SUM(x)")
    with pytest.raises(ArgumentError, match="one goal"):
        tw.audit(good, "AVG(failed)").epsilon()


@pytest.mark.skipif("TWOWORLDS_DATA" not in os.environ, reason="no folder with real data is named")
def test_on_real_inspections() -> None:
    """Forty months of canvass inspections of 12,367 licences: by epsilon .3 no one is noticed."""
    source = Path(os.environ["TWOWORLDS_DATA"]) / "chicago_food_inspections.parquet"
    canvass = tw.history(
        source,
        unit="license",
        database="date_trunc('month', inspection_date)",
        where="part = 'city-model-2014' AND license <> 0",
    )
    found = tw.audit(canvass, "AVG(results = 'Fail')")
    facts = found.memo().facts
    assert (facts["databases"], facts["individuals"]) == (40, 12367)
    assert found.at(0.1).delta == pytest.approx(0.0014, abs=1e-4)
    assert found.at(0.3).total_risk == 0
