"""Pictures of memos, drawn by matplotlib: the only file that imports it, and only when something is drawn.

Nothing here touches pyplot or leaves a setting behind: a figure is an object like any other, looks the same whatever
style a session has chosen (but for its font, which its labels may need), and can be changed by whoever asked for it.
"""

from __future__ import annotations

import io
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, MissingExtraError
from ..memo import Bars, Lines
from .drawing import Sheet, sheet
from .reading import memo_of, pictures_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot", "require", "svg"]

_HOUSE = {
    "svg.fonttype": "none",  # text stays text: searched, copied, and set in the reader's own font
    "svg.hashsalt": "twoworlds",  # the same picture has the same names inside
    "text.parse_math": False,  # a label is a name, never a formula: "$" and "\\frac" are shown as they are
}


def plot(x: Any) -> Figure:
    """A matplotlib Figure of all that can be drawn of a release, or of anything else that answers `.memo()`: one axes
    for each picture, one below the other.

    Values are points, their intervals lines from low to high; series are lines, with a band where there is one.
    """
    pictures = pictures_of(memo_of(x))
    if not pictures:
        raise ArgumentError(
            f"{type(x).__name__} has nothing to draw: its memo holds words and tables only. A release of up to 60 "
            "numbers can be drawn, and a memo with Bars or Lines. Print it, or write it to a page with tw.report."
        )
    library = require("tw.plot")
    font = {"font.family": library.rcParams["font.family"]}
    figure = _figure(library, [sheet(one) for one in pictures], 100, font)
    # IPython looks here; it would show a figure as a picture by itself only after pyplot was imported
    figure._repr_png_ = partial(_png, figure)  # type: ignore[attr-defined]
    return figure


def require(what: str) -> Any:
    """matplotlib, or the error that says how to get it."""
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.style
    except ImportError:
        raise MissingExtraError.needs(what, "matplotlib", "plots") from None
    return matplotlib


def svg(picture: Bars | Lines, width: float, size: float) -> tuple[str, float]:
    """One picture as SVG, without its title, `width` points wide with letters of `size` points, and where its labels
    end on the right, in points from the left."""
    library = require("tw.report")
    out = io.StringIO()
    with library.style.context(["default", _HOUSE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's browser brings the letters
        figure = _figure(library, [sheet(picture, wide=width, size=size, titled=False)], 72, {})
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
        labels = figure.axes[0].yaxis.get_majorticklabels()
        return out.getvalue(), max((label.get_window_extent().x1 for label in labels), default=0.0)


def _figure(library: Any, sheets: list[Sheet], dpi: float, font: dict[str, Any]) -> Figure:
    with library.style.context(["default", _HOUSE | font]):
        size = (sheets[0].wide / 72, sum(one.high for one in sheets) / 72)
        figure: Figure = library.figure.Figure(figsize=size, dpi=dpi, layout="constrained")
        ratios = [one.inner for one in sheets]
        axes = figure.subplots(len(sheets), 1, squeeze=False, height_ratios=ratios)
        if sheets[0].titled:  # a picture that stands alone needs a margin
            engine: Any = figure.get_layout_engine()
            engine.set(w_pad=0.1, h_pad=0.1)
        for one, place in zip(sheets, axes[:, 0], strict=True):
            one.draw(place)
    return figure


def _png(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()
