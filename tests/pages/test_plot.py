"""Pictures hold the numbers of the memo, leave no setting behind, and say what they cannot draw."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import twoworlds as tw
from twoworlds.errors import ArgumentError, ArgumentTypeError, MissingExtraError
from twoworlds.memo import Bars, Lines, Memo, Table, Text

pytest.importorskip("matplotlib")


def _months(count: int = 12, **labels):
    rng = tw.noise.seeded(1)
    release = tw.geometric([100 + 7 * i for i in range(count)], sensitivity=1, epsilon="0.1", rng=rng)
    return replace(release, labels=labels)


def _bars(memo: Memo) -> Bars:
    return next(part for part in memo.parts if isinstance(part, Bars))


def _drawn(axes):
    """(values, rows), and the intervals as (low, high, row), as they stand on an axes."""
    points = axes.lines[0].get_xydata()
    segments = [(s[0][0], s[1][0], s[0][1]) for one in axes.collections for s in one.get_segments()]
    return points[:, 0], points[:, 1], segments


def test_points_and_intervals_are_the_numbers_of_the_memo():
    release = _months()
    (axes,) = tw.plot(release).axes
    bars = _bars(release.memo())
    values, rows, intervals = _drawn(axes)
    assert values.tolist() == bars.values
    assert [low for low, _, _ in intervals] == bars.low
    assert [high for _, high, _ in intervals] == bars.high
    assert [row for _, _, row in intervals] == rows.tolist() == axes.get_yticks().tolist()
    assert [text.get_text() for text in axes.get_yticklabels()] == bars.labels
    assert axes.get_title("left") == bars.title


def test_the_first_row_is_on_top_and_every_number_is_seen():
    (axes,) = tw.plot(_months()).axes
    _, rows, intervals = _drawn(axes)
    bottom, top = axes.get_ylim()
    left, right = axes.get_xlim()
    assert list(rows) == sorted(rows)
    assert bottom > rows[-1] > rows[0] > top
    assert all(left < low < high < right for low, high, _ in intervals)


def test_one_axes_for_each_picture_below_each_other():
    count = tw.query(len, sensitivity=1, integer=True)
    batch = tw.batch(n=tw.GeometricMechanism(count, "0.5"), m=tw.LaplaceMechanism(count, "0.5"))
    figure = tw.plot(tw.plan(batch, [1, 2, 3], "person").run(rng=tw.noise.seeded(1)))
    assert [axes.get_title("left") for axes in figure.axes] == ["n", "m"]
    figure.draw_without_rendering()
    first, second = (axes.get_position() for axes in figure.axes)
    assert first.y0 > second.y1


def test_values_without_intervals_are_points_alone():
    (axes,) = tw.plot(Memo("m", {}, (Bars(["a", "b"], [1, 2]),))).axes
    assert _drawn(axes)[0].tolist() == [1, 2]
    assert not axes.collections
    assert axes.get_xlabel() == ""


def test_series_with_bands():
    low, high = [0.5, 1.5, 2.5], [1.5, 2.5, 3.5]
    series = {"_a": ([1.0, 2.0, 3.0], low, high), "$b$": ([3.0, 2.0, 1.0], None, None)}
    (axes,) = tw.plot(Memo("m", {}, (Lines([0, 1, 2], series, labels=("month", "delta", "Two series")),))).axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [[1, 2, 3], [3, 2, 1]]
    assert {line.get_drawstyle() for line in axes.lines} == {"default"}
    assert len({line.get_color() for line in axes.lines}) == len({line.get_linestyle() for line in axes.lines}) == 2
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title("left")) == ("month", "delta", "Two series")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["_a", "$b$"]
    (band,) = axes.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    assert {(float(x), y) for x, y in zip([0, 1, 2, 0, 1, 2], low + high, strict=True)} <= corners


def test_steps_and_a_single_name():
    (axes,) = tw.plot(Memo("m", {}, (Lines([0, 1], {"spent": ([0.0, 1.0], None, None)}, step=True),))).axes
    assert axes.lines[0].get_drawstyle() == "steps-post"
    assert axes.get_legend() is None
    assert axes.get_ylabel() == "spent"


def test_sixty_rows_with_long_labels_do_not_overlap():
    names = tuple(f"{i} " + "a district with a very long name " * 4 for i in range(60))
    figure = tw.plot(_months(60, district=names))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = [text.get_window_extent() for text in axes.get_yticklabels()]
    assert all(above.y0 >= below.y1 for above, below in pairwise(boxes))
    assert all(box.x0 >= 0 for box in boxes)
    assert axes.get_position().width > 0.4
    assert all(text.get_text().endswith("…") for text in axes.get_yticklabels())


@pytest.mark.parametrize(
    "label",
    ["$\\none{a$", "$", "_x", "a\x00b", "\ud800", "", "  ", "a" * 300, "W" * 300, "<&>\"'", "a\n\nb"],
)
def test_any_label_can_be_drawn(label):
    lines = Lines([0, 1], {label: ([0, 1], None, None), "b": ([0, 1], None, None)}, labels=(label, label, label))
    figure = tw.plot(Memo(label, {}, (Bars([label], [1], [0], [2], title=label), lines)))
    assert figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "numbers", [[], [0], [-1e300, 1e300], [1e-12, 2e-12], [10**400, 3], [float("nan"), 1], [None, 2], [5, 5]]
)
def test_any_numbers_can_be_drawn(numbers):
    names = [str(i) for i in range(len(numbers))]
    up = [None if one is None else one + 1 for one in numbers]
    parts = (Bars(names, numbers, numbers, up), Lines(range(len(numbers)), {"a": (numbers, numbers, up)}))
    assert tw.plot(Memo("m", {}, parts))._repr_png_().startswith(b"\x89PNG")


def test_an_interval_without_an_end_runs_to_the_edge():
    (axes,) = tw.plot(Memo("m", {}, (Bars(["a"], [1.0], [0.0], [np.inf]),))).axes
    assert _drawn(axes)[2][0][1] == axes.get_xlim()[1]


@pytest.mark.parametrize(
    ("numbers", "ticks"), [([0.001, 0.003], "0.0020"), ([-3, 3], "\N{MINUS SIGN}2"), ([0, 4e6], "1,000,000")]
)
def test_ticks_tell_each_other_apart(numbers, ticks):
    figure = tw.plot(Memo("m", {}, (Bars(["a", "b"], numbers),)))
    figure.draw_without_rendering()
    found = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert ticks in found
    assert len(set(found)) == len(found)


def test_no_setting_is_read_or_left_behind():
    import matplotlib

    plain = tw.plot(_months())._repr_png_()
    with matplotlib.rc_context({"axes.facecolor": "black", "font.size": 30, "text.color": "red", "axes.grid": False}):
        before = dict(matplotlib.rcParams)
        assert tw.plot(_months())._repr_png_() == plain
        assert dict(matplotlib.rcParams) == before


def test_the_font_of_the_session_is_kept():
    import matplotlib

    with matplotlib.rc_context({"font.family": ["serif"]}):
        figure = tw.plot(_months())
    assert {text.get_fontfamily()[0] for text in figure.axes[0].get_yticklabels()} == {"serif"}


def test_figures_can_be_pickled():
    assert len(pickle.loads(pickle.dumps(tw.plot(_months()))).axes) == 1


def test_importing_loads_no_matplotlib_and_plotting_no_pyplot():
    code = (
        "import sys, twoworlds as tw; tw.plot; assert 'matplotlib' not in sys.modules; "
        "tw.plot(tw.laplace(1, sensitivity=1, epsilon=1)); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_to_draw():
    count = tw.query(len, sensitivity=1, integer=True)
    for x in (tw.pure(1), tw.plan(tw.GeometricMechanism(count, 1), []), Memo("m", {}, (Text("a", "b"), Table((), ())))):
        with pytest.raises(ArgumentError, match=r"nothing to draw.*can be drawn.*tw\.report"):
            tw.plot(x)


@pytest.mark.parametrize("x", [3, "text", None, tw.pure, Memo, [1]])
def test_what_has_no_memo_is_refused(x):
    with pytest.raises(ArgumentTypeError, match="says nothing about itself"):
        tw.plot(x)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"tw.plot needs matplotlib.*twoworlds\[plots\]"):
        tw.plot(_months())
