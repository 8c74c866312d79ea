"""What objects say about themselves: text, HTML and JSON read the same facts."""

from __future__ import annotations

import json
import math

import numpy as np

import twoworlds as tw
from twoworlds.base import Finding
from twoworlds.memo import Bars, Lines, Memo, Table, Text, shown_number


def test_a_memo_reads_three_ways() -> None:
    memo = Memo(
        "A <title>",
        {"x": math.inf, "y": [1.5, math.nan], "z": {"k": (1, 2)}},
        (Text("Head", "a < b"), Table(("n", "v"), [("a", 1), ("b", 2.5)], "Cap"), Lines([0], {}), Bars([], [])),
    )
    assert memo.text().splitlines() == ["A <title>", "Head: a < b", "Cap", "n    v", "-  ---", "a    1", "b  2.5"]
    assert json.loads(memo.json()) == {"x": None, "y": [1.5, None], "z": {"k": [1, 2]}}
    page = memo.html()
    assert "<h2>A &lt;title&gt;</h2>" in page
    assert "a &lt; b" in page
    assert '<td class="number">2.5</td>' in page


def test_numbers_in_tables() -> None:
    assert [shown_number(x) for x in (None, 1234567, 2.0, 0.123456789, "x", True)] == [
        "not known", "1,234,567", "2", "0.123457", "x", "True",
    ]  # fmt: skip


def test_a_release_shows_its_cells_and_hides_nothing_else() -> None:
    question = tw.query(lambda d: d, sensitivity=1, integer=True, labels=("north", "south"))
    release = tw.plan(tw.GeometricMechanism(question, 1), np.array([5, 7]), "person").run(rng=tw.noise.seeded(1))
    facts = json.loads(release.memo().json())
    cells = facts["columns"]["value"]["cells"]
    assert [c["value"] for c in cells] == release.value.tolist()
    assert all(c["low"] < c["value"] < c["high"] for c in cells)
    assert facts["seeded"] is True
    assert "north" in repr(release)
    assert "<table>" in release._repr_html_()
    assert release.labels["cell"] == ("north", "south")


def test_a_plan_says_nothing_of_the_data() -> None:
    plan = tw.plan(tw.GeometricMechanism(tw.query(len, sensitivity=1, integer=True), 1), ["secret"], "person")
    assert "secret" not in repr(plan) + plan._repr_html_() + plan.memo().json()


def test_a_finding_never_sounds_like_a_promise() -> None:
    finding = Finding("The audit of a mean.", curve=tw.pure(1), bounds=((0.5, 0.1, 0.2),), confidence=0.9)
    text = repr(finding)
    assert "measured" in text
    assert "cannot be spent" in text
    assert "at most" not in text
    assert "<section" in finding._repr_html_()
    assert json.loads(finding.memo().json())["measured"][0]["low"] == 0.1
