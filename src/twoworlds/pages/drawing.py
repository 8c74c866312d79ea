"""One picture on one axes: how large it is, and its points, lines, labels and ticks.

All lengths are in sizes of its letters, and those in points (1/72 inch), so a picture can be laid out for a phone and
for a desk from the same lines. matplotlib is not imported here: an axes is handed in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..memo import Bars, Lines
from .lettering import line_count, numbers, ticks, wrapped
from .palette import DASHES, LIGHT, SERIES

__all__ = ["Curves", "Points", "Sheet", "sheet"]

_MANY = 20  # rows, from which the numbers stand above the picture too


@dataclass(frozen=True, kw_only=True)
class Sheet(ABC):
    """A picture to be drawn `wide` points wide, with letters of `size` points, with its title or without."""

    wide: float = 6.4 * 72
    size: float = 10.0
    titled: bool = True

    @property
    def width(self) -> float:
        """The width in sizes of its letters."""
        return self.wide / self.size

    @property
    @abstractmethod
    def inner(self) -> float:
        """The height of the axes alone."""

    @property
    @abstractmethod
    def above(self) -> float:
        """The height of what stands right above the axes: numbers, or the names of series."""

    @property
    def high(self) -> float:
        """The height of all, in points."""
        return (self.inner + self.above + (7.0 if self.titled else 3.5)) * self.size

    @abstractmethod
    def draw(self, axes: Any) -> None:
        """The picture, on an empty axes."""

    def _quiet(self, axes: Any) -> None:
        """No frame and no tick marks: hairlines behind, numbers beside."""
        axes.spines[:].set_visible(False)
        axes.set_facecolor("none")
        axes.set_axisbelow(True)
        axes.grid(color=LIGHT["rule"], linewidth=0.07 * self.size)
        axes.tick_params(length=0, labelsize=self.size, labelcolor=LIGHT["muted"], pad=0.5 * self.size)

    def _name(self, axes: Any, across: str, up: str, title: str) -> None:
        """What the axes and the picture are called."""
        plain = {"color": LIGHT["muted"], "fontsize": self.size}
        axes.set_xlabel(wrapped(across, 0.8 * self.width, most=2), **plain)
        axes.set_ylabel(wrapped(up, self.inner, most=2), **plain)
        if self.titled and title:
            bold = {"color": LIGHT["ink"], "fontsize": 1.1 * self.size, "fontweight": "bold"}
            pad = (0.8 + self.above) * self.size
            axes.set_title(wrapped(title, 0.75 * self.width, most=3), loc="left", pad=pad, **bold)


@dataclass(frozen=True)
class Points(Sheet):
    """Values as points with their intervals, a row for each, the first on top."""

    bars: Bars

    @property
    def labels(self) -> list[str]:
        """The labels of the rows, wrapped and cut: whole they stand in the table beside the picture."""
        return [wrapped(one, 0.4 * self.width, most=3) for one in self.bars.labels]

    @property
    def inner(self) -> float:
        return max(sum(_row_heights(self.labels)), 2.0)

    @property
    def above(self) -> float:
        return 1.4 if len(self.bars.labels) > _MANY else 0.0

    def draw(self, axes: Any) -> None:
        self._quiet(axes)
        labels, heights = self.labels, np.array(_row_heights(self.labels))
        rows = np.cumsum(heights) - heights / 2
        values, low, high = numbers(self.bars.values), numbers(self.bars.low), numbers(self.bars.high)
        left, right = _limits(np.concatenate([values, low, high]))
        if low.size and high.size:  # an interval without an end runs to the edge
            ends = np.maximum(low, left), np.minimum(high, right)
            axes.hlines(rows, *ends, color=SERIES[0], linewidth=0.2 * self.size)
        axes.plot(values, rows, "o", color=SERIES[0], markersize=0.62 * self.size, markeredgewidth=0)
        axes.set_xlim(left, right)
        axes.set_ylim(self.inner, 0)
        axes.set_yticks(rows, labels)
        axes.tick_params(axis="y", labelcolor=LIGHT["ink"])
        axes.tick_params(axis="x", labeltop=bool(self.above))
        longest = max((len(line) for one in labels for line in one.split("\n")), default=0)
        ticks(axes.xaxis, (left, right), self.width - 0.6 * longest)
        says = self.bars.caption or ("Dots: values. Lines: intervals." if low.size and high.size else "")
        self._name(axes, says if self.titled else "", "", self.bars.title)


@dataclass(frozen=True)
class Curves(Sheet):
    """Series as lines or steps, with a band where there is one."""

    lines: Lines

    @property
    def names(self) -> list[str]:
        """The names of the series, wrapped; none where there is only one to name."""
        several = len(self.lines.series) > 1
        return [wrapped(one, self.width - 11, most=2) for one in self.lines.series] if several else []

    @property
    def inner(self) -> float:
        return min(0.62 * self.width, 20.0)

    @property
    def above(self) -> float:
        return sum(1.2 * line_count(name) + 0.35 for name in self.names)

    def draw(self, axes: Any) -> None:
        self._quiet(axes)
        x, drawn = numbers(self.lines.x), []
        steps = self.lines.step
        for i, (y, low, high) in enumerate(self.lines.series.values()):
            colour = SERIES[i % len(SERIES)]
            look = {"linestyle": DASHES[i % len(DASHES)], "drawstyle": "steps-post" if steps else "default"}
            drawn += axes.plot(x, numbers(y), color=colour, linewidth=0.16 * self.size, **look)
            if low is not None and high is not None:
                band = {"color": colour, "alpha": 0.16, "linewidth": 0, "step": "post" if steps else None}
                axes.fill_between(x, numbers(low), numbers(high), **band)
        axes.margins(x=0.01)
        ticks(axes.xaxis, axes.get_xlim(), self.width)
        ticks(axes.yaxis, axes.get_ylim(), 6 * self.inner)
        across, up, title = self.lines.labels
        if not up and len(self.lines.series) == 1:
            up = next(iter(self.lines.series))
        self._name(axes, across, up, title)
        if self.names:
            self._legend(axes, drawn)

    def _legend(self, axes: Any, drawn: list[Any]) -> None:
        legend = axes.legend(
            drawn,
            ["?"] * len(drawn),
            loc="lower left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0.3,
            borderpad=0,
            labelspacing=0.35,
            handlelength=2.6,
            frameon=False,
            fontsize=self.size,
            labelcolor=LIGHT["ink"],
        )
        # the names are put in afterwards: matplotlib leaves out a series whose name begins with "_"
        for text, name in zip(legend.get_texts(), self.names, strict=True):
            text.set_text(name)


def sheet(picture: Bars | Lines, **layout: Any) -> Sheet:
    """The sheet for a picture; `layout` is what a `Sheet` holds."""
    return Points(picture, **layout) if isinstance(picture, Bars) else Curves(picture, **layout)


def _row_heights(labels: Sequence[str]) -> list[float]:
    return [1.2 * line_count(label) + 0.75 for label in labels]


def _limits(values: Any) -> tuple[float, float]:
    """The ends of an axis on which all finite numbers are seen."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    room = 0.04 * (high - low) or 0.04 * abs(low) or 1.0
    return low - room, high + room
