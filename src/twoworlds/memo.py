"""What an object says about itself: facts, and the parts that read them.

`facts` is a plain dictionary, the same that `--json` prints. `parts` put it in words, tables and series for a reader.
Text and HTML are made right here with the standard library, so a notebook, a terminal and a page cannot disagree.
"""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Bars", "Lines", "Memo", "Part", "Table", "Text", "shown_number"]


@dataclass(frozen=True)
class Text:
    """A paragraph under a heading."""

    heading: str
    body: str


@dataclass(frozen=True)
class Table:
    """Rows of values under column names."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


@dataclass(frozen=True)
class Lines:
    """Series over a common x, each (y, low, high) with low and high None where there is no band; `labels` name x, y and
    the picture."""

    x: Sequence[float]
    series: Mapping[str, tuple[Sequence[float], Sequence[float] | None, Sequence[float] | None]]
    step: bool = False
    labels: tuple[str, str, str] = ("", "", "")


@dataclass(frozen=True)
class Bars:
    """Values with their lows and highs, one for each label; `title` names the picture, `caption` says what is drawn."""

    labels: Sequence[str]
    values: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    title: str = ""
    caption: str = ""


Part = Text | Table | Lines | Bars


@dataclass(frozen=True)
class Memo:
    """Facts about one object and the parts that show them."""

    title: str
    facts: Mapping[str, Any]
    parts: tuple[Part, ...] = field(default=())

    def json(self) -> str:
        """The facts as one JSON object; infinite and undefined numbers are null."""
        return json.dumps(_plain(self.facts), indent=2, ensure_ascii=False, allow_nan=False)

    def text(self) -> str:
        """For a terminal: words and tables; pictures are left to pages."""
        blocks = [self.title]
        for part in self.parts:
            if isinstance(part, Text):
                blocks.append(f"{part.heading}: {part.body}" if part.heading else part.body)
            elif isinstance(part, Table):
                blocks.append(_text_table(part))
        return "\n".join(blocks)

    def html(self) -> str:
        """A fragment for a notebook or a page."""
        blocks = [f"<h2>{html.escape(self.title)}</h2>"]
        for part in self.parts:
            if isinstance(part, Text):
                heading = f"<h3>{html.escape(part.heading)}</h3>" if part.heading else ""
                blocks.append(f"{heading}<p>{html.escape(part.body)}</p>")
            elif isinstance(part, Table):
                blocks.append(_html_table(part))
        return '<section class="twoworlds-memo">' + "".join(blocks) + "</section>"


def shown_number(value: Any) -> str:
    """A value as tables show it: whole numbers in full, others to six significant digits."""
    if value is None:
        return "not known"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if not isinstance(value, int) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:,.0f}" if 1e5 <= abs(value) < 1e15 else f"{value:,.6g}"


def _text_table(table: Table) -> str:
    cells = [list(table.columns), *([shown_number(v) for v in row] for row in table.rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(table.columns))]
    numeric = [all(isinstance(row[i], (int, float)) for row in table.rows) for i in range(len(table.columns))]
    lines = [
        "  ".join(c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True)).rstrip()
        for row in cells
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join([*([table.caption] if table.caption else []), *lines])


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(str(c))}</th>" for c in table.columns)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="number">{html.escape(shown_number(v))}</td>'
            if isinstance(v, (int, float))
            else f"<td>{html.escape(shown_number(v))}</td>"
            for v in row
        )
        + "</tr>"
        for row in table.rows
    )
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):  # a NumPy number or array
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
