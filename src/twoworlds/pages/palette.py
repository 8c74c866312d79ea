"""The colours of pictures and pages, on white and on black: one table that both read.

Each colour of text and of a series has a contrast of at least 4.5 with its paper (WCAG 2.2, 1.4.3 and 1.4.11). The
series keep their difference under the common kinds of colour blindness as far as six colours can; their dashes differ
too, so that nothing is said by colour alone.
"""

from __future__ import annotations

__all__ = ["DARK", "DASHES", "LIGHT", "PAPER", "SERIES", "VARIABLES"]

PAPER = "#ffffff"

# name -> (on white, on black); pictures are drawn with the first, pages replace it by a variable of this name
_TABLE = {
    "ink": ("#1d2126", "#e4e7ea"),
    "muted": ("#5a626b", "#9aa4ae"),
    "rule": ("#d9dde2", "#343a41"),
    "series-0": ("#0067b0", "#62b0f5"),
    "series-1": ("#bf4b00", "#f79454"),
    "series-2": ("#007a5c", "#41c9a0"),
    "series-3": ("#a03a7b", "#ea8fc6"),
    "series-4": ("#7d5e00", "#dcba4a"),
    "series-5": ("#4a5560", "#a9b4c0"),
}

LIGHT = {"paper": PAPER, **{name: light for name, (light, _) in _TABLE.items()}}
DARK = {"paper": "#14171a", **{name: dark for name, (_, dark) in _TABLE.items()}}

SERIES = tuple(light for name, (light, _) in _TABLE.items() if name.startswith("series"))
DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = (
    "-",
    (0, (5, 1.6)),
    (0, (1.6, 1.4)),
    (0, (7, 1.6, 1.6, 1.6)),
    (0, (9, 2.4)),
    (0, (4, 1.4, 1.4, 1.4, 1.4, 1.4)),
    (0, (2.8, 2.8)),
)
"""One more than there are colours, so that a colour returns with another dash."""

VARIABLES = {light: "currentColor" if name == "ink" else f"var(--{name})" for name, (light, _) in _TABLE.items()}
"""A colour in a picture -> what stands for it in a page, where it follows the reader's light or dark."""
