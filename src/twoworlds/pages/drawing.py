"""One picture on one axes: how large it is, and its points, lines, labels and ticks.

All lengths are points (1/72 inch), so a picture can be laid out for a phone and for a desk from the same lines.
matplotlib is not imported here: an axes is handed in.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..memo import Bars, Lines, shown_number
from .palette import DASHES, LIGHT, SERIES
from .reading import legible

__all__ = ["Sheet"]

_LETTER = 0.58  # the width of an average letter, in sizes
_LINE = 1.2  # from one line of text to the next
_GAP = 0.75  # between two rows
_MANY = 20  # rows, from which the numbers stand above the picture too


@dataclass(frozen=True)
class Sheet:
    """A picture with its width and the size of its letters."""

    picture: Bars | Lines
    width: float = 6.4 * 72
    size: float = 10.0
    titled: bool = True

    @property
    def labels(self) -> list[str]:
        """The labels of the rows, wrapped; the whole label stands in the table beside the picture."""
        assert isinstance(self.picture, Bars)
        return [_wrapped(one, 0.4 * self.width / (_LETTER * self.size), most=3) for one in self.picture.labels]

    @property
    def inner(self) -> float:
        """The height of the axes."""
        if isinstance(self.picture, Bars):
            return max(sum(_heights(self.labels)), 2.0) * self.size
        return min(0.62 * self.width, 20 * self.size)

    @property
    def height(self) -> float:
        """The height with all that stands around the axes."""
        names = () if isinstance(self.picture, Bars) else self.names
        around = 3.0 + 1.4 * len(names) + (4.5 if self.titled else 1.0)
        return self.inner + around * self.size

    @property
    def names(self) -> list[str]:
        """The names of the series, wrapped, where a reader needs them."""
        assert isinstance(self.picture, Lines)
        names = [_wrapped(one, self.width / (_LETTER * self.size) - 8, most=2) for one in self.picture.series]
        return names if len(names) > 1 else []

    def draw(self, axes: Any) -> None:
        """The picture, on an empty axes."""
        _quiet(axes, self.size)
        if isinstance(self.picture, Bars):
            self._bars(axes, self.picture)
        else:
            self._lines(axes, self.picture)

    def _bars(self, axes: Any, bars: Bars) -> None:
        labels, heights = self.labels, np.array(_heights(self.labels))
        rows = np.cumsum(heights) - heights / 2
        values, low, high = _numbers(bars.values), _numbers(bars.low), _numbers(bars.high)
        left, right = _limits(np.concatenate([values, low, high]))
        if low.size and high.size:  # an interval without an end runs to the edge
            axes.hlines(
                rows, np.maximum(low, left), np.minimum(high, right), color=SERIES[0], linewidth=0.2 * self.size
            )
        axes.plot(values, rows, "o", color=SERIES[0], markersize=0.62 * self.size, markeredgewidth=0)
        axes.set_xlim(left, right)
        axes.set_yticks(rows, labels, parse_math=False)
        axes.set_ylim(max(float(heights.sum()), 2.0), 0)
        axes.tick_params(axis="y", labelcolor=LIGHT["ink"])
        axes.tick_params(axis="x", labeltop=len(labels) > _MANY)
        label_width = max((len(line) for one in labels for line in one.split("\n")), default=0) * _LETTER * self.size
        _ticks(axes.xaxis, (left, right), (self.width - label_width) / self.size)
        if self.titled:
            self._title(axes, bars.title, 0.8 + (1.4 if len(labels) > _MANY else 0))
            if low.size and high.size:
                axes.set_xlabel("dots: values; lines: intervals", color=LIGHT["muted"], fontsize=0.9 * self.size)

    def _lines(self, axes: Any, lines: Lines) -> None:
        x, handles = _numbers(lines.x), []
        for i, (y, low, high) in enumerate(lines.series.values()):
            colour, dash = SERIES[i % len(SERIES)], DASHES[i % len(DASHES)]
            handles += axes.plot(
                x,
                _numbers(y),
                color=colour,
                linestyle=dash,
                linewidth=0.16 * self.size,
                drawstyle="steps-post" if lines.step else "default",
            )
            if low is not None and high is not None:
                step = "post" if lines.step else None
                axes.fill_between(x, _numbers(low), _numbers(high), color=colour, alpha=0.16, linewidth=0, step=step)
        across, up, title = lines.labels
        if not up and len(lines.series) == 1:
            up = next(iter(lines.series))
        axes.margins(x=0.01)
        _ticks(axes.xaxis, axes.get_xlim(), self.width / self.size)
        _ticks(axes.yaxis, axes.get_ylim(), 6 * self.inner / self.size)
        letters = self.width / (_LETTER * self.size)
        axes.set_xlabel(
            _wrapped(across, 0.8 * letters, most=2), color=LIGHT["muted"], fontsize=self.size, parse_math=False
        )
        axes.set_ylabel(
            _wrapped(up, letters * self.inner / self.width, most=2),
            color=LIGHT["muted"],
            fontsize=self.size,
            parse_math=False,
        )
        if self.names:
            _legend(axes, handles, self.names, self.size)
        if self.titled:
            self._title(axes, title, 0.8 + 1.4 * sum(_line_counts(self.names)))

    def _title(self, axes: Any, title: str, pad: float) -> None:
        if title:
            text = _wrapped(title, self.width / (1.15 * _LETTER * self.size), most=3)
            axes.set_title(
                text,
                loc="left",
                pad=pad * self.size,
                color=LIGHT["ink"],
                fontsize=1.1 * self.size,
                fontweight="bold",
                parse_math=False,
            )


def _quiet(axes: Any, size: float) -> None:
    """No frame and no tick marks: hairlines behind, numbers beside."""
    axes.spines[:].set_visible(False)
    axes.set_facecolor("none")
    axes.set_axisbelow(True)
    axes.grid(color=LIGHT["rule"], linewidth=0.07 * size)
    axes.tick_params(length=0, labelsize=size, labelcolor=LIGHT["muted"], pad=0.5 * size)


def _legend(axes: Any, handles: list[Any], names: list[str], size: float) -> None:
    # the names are put in afterwards: matplotlib leaves out a series whose name begins with "_"
    legend = axes.legend(
        handles,
        [str(i) for i in range(len(names))],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.3,
        borderpad=0,
        labelspacing=0.35,
        handlelength=2.6,
        frameon=False,
        fontsize=size,
        labelcolor=LIGHT["ink"],
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def _ticks(axis: Any, limits: tuple[float, float], letters: float) -> None:
    """As many ticks as there is room for their numbers, with as many decimals as tell them apart."""
    widest = max(len(_number_on_axis(one)) for one in limits)
    room = letters / (_LETTER * min(widest, 9) + 1.5)
    axis.get_major_locator().set_params(nbins=int(min(max(room, 2), 7)), steps=(1, 2, 5, 10))
    ticks = [float(one) for one in axis.get_ticklocs()]
    step = min((b - a for a, b in pairwise(ticks)), default=1.0)
    digits = next((d for d in range(9) if all(abs(round(t, d) - t) < 1e-3 * step for t in ticks)), None)
    if max(map(abs, limits)) >= 1e12:
        digits = None
    axis.set_major_formatter(partial(_number_on_axis, digits=digits))  # not a lambda: figures can be pickled


def _number_on_axis(value: float, position: int | None = None, digits: int | None = None) -> str:
    text = shown_number(float(value)) if digits is None else f"{value:,.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}")


def _numbers(values: Iterable[Any] | None) -> Any:
    """Doubles, with what is not known as NaN; empty where nothing was given."""
    return np.array([math.nan if one is None else _double(one) for one in ([] if values is None else values)])


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the doubles
        return math.inf if value > 0 else -math.inf


def _limits(numbers: Any) -> tuple[float, float]:
    """The ends of an axis on which all finite numbers are seen."""
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    room = 0.04 * (high - low) or 0.04 * abs(low) or 1.0
    return low - room, high + room


def _heights(labels: Sequence[str]) -> list[float]:
    return [_LINE * lines + _GAP for lines in _line_counts(labels)]


def _line_counts(texts: Sequence[str]) -> list[int]:
    return [text.count("\n") + 1 for text in texts]


def _wrapped(text: object, letters: float, most: int) -> str:
    lines = textwrap.wrap(legible(text), max(int(letters), 8), max_lines=most, placeholder=" …")
    return "\n".join(lines)
