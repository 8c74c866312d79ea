"""The parts of a memo as HTML: words, tables, facts and pictures. All that a memo says is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..memo import Bars, Lines, Memo, Part, Table, Text, shown_number
from .inline import inline
from .plot import svg
from .reading import legible

__all__ = ["article", "escaped"]

# (class, width, size of letters): the style sheet shows the one that fits the window
_DRAWN = (("wide", 672.0, 13.0), ("narrow", 328.0, 12.0))


def article(memo: Memo, number: int, heading: int | None) -> str:
    """One memo. `number` keeps its names apart from those of other memos; `heading` is the level of its title, None
    where the page's own heading is that title."""
    title = "" if heading is None else f"<h{heading}>{escaped(memo.title)}</h{heading}>\n"
    below = 2 if heading is None else heading + 1
    parts = (_block(part, f"m{number}-{i}-", below) for i, part in enumerate(memo.parts, 1))
    return f'<article class="memo">\n{title}{"".join(parts)}{_facts(memo)}</article>\n'


def escaped(text: object) -> str:
    """A text for any place in a page, also between quotes."""
    return html.escape(legible(text))


def _block(part: Part, prefix: str, heading: int) -> str:
    if isinstance(part, Text):
        return _words(part, heading)
    if isinstance(part, Table):
        return _table(part)
    return _picture(part, prefix)


def _words(text: Text, heading: int) -> str:
    title = f"<h{heading}>{escaped(text.heading)}</h{heading}>\n" if text.heading else ""
    body = "".join(f"<p>{escaped(one.strip())}</p>\n" for one in re.split(r"\n\s*\n", text.body) if one.strip())
    return title + body


def _table(table: Table) -> str:
    numeric = [
        any(_is_number(row[i]) for row in table.rows)
        and all(row[i] is None or _is_number(row[i]) for row in table.rows)
        for i in range(len(table.columns))
    ]
    caption = f"<caption><span>{escaped(table.caption)}</span></caption>" if table.caption else ""
    head = "".join(
        f'<th scope="col"{_class(n)}>{escaped(name)}</th>' for name, n in zip(table.columns, numeric, strict=True)
    )
    columns = [list(_cells([row[i] for row in table.rows], n, first=i == 0)) for i, n in enumerate(numeric)]
    body = "".join(f"<tr>{''.join(cells)}</tr>\n" for cells in zip(*columns, strict=True))
    name = escaped(table.caption or "Table")
    # a region that scrolls must be reached by keyboard too
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{name}">\n<table>{caption}\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"
    )


def _cells(column: Sequence[Any], numeric: bool, first: bool) -> Iterator[str]:
    """The cells of one column; its decimal points stand below each other."""
    texts = [shown_number(value) for value in column]
    lengths = [0 if value is None or "." not in text else len(text.partition(".")[2])
               for value, text in zip(column, texts, strict=True)]  # fmt: skip
    aligned = numeric and not any("e" in text for value, text in zip(column, texts, strict=True) if value is not None)
    for value, text, digits in zip(column, texts, lengths, strict=True):
        missing = max(lengths) - digits if aligned and value is not None else 0
        # a point is about a quarter of a digit wide
        room = f' style="--room:{missing + (0.28 if digits == 0 else 0):g}ch"' if missing else ""
        kind = _class(numeric) if value is not None else ' class="number unknown"' if numeric else ""
        if first and not numeric:
            yield f'<th scope="row">{escaped(text)}</th>'
        else:
            yield f"<td{kind}{room}>{escaped(text)}</td>"


def _picture(picture: Bars | Lines, prefix: str) -> str:
    if isinstance(picture, Bars):
        title = picture.title
        known = picture.low is not None and picture.high is not None
        note = picture.caption or ("Dots: values. Lines: intervals." if known else "Dots: values.")
        name = f"{title}: {len(picture.labels)} values{' with intervals' if known else ''}"
    else:
        across, up, title = picture.labels
        bands = any(low is not None and high is not None for _, low, high in picture.series.values())
        note = "Shaded: from low to high." if bands else ""
        name = f"{title or up}: {', '.join(map(str, picture.series))}, over {across}"
    drawings = []
    for kind, width, size in _DRAWN:
        drawn, labels_end = svg(picture, width, size)
        drawings.append(inline(drawn, f"{prefix}{kind}-", legible(name), kind, labels_end))
    says = " ".join(one for one in (f"<b>{escaped(title)}</b>" if title else "", note) if one)
    caption = f"<figcaption>{says}</figcaption>\n" if says else ""
    return f"<figure>{caption}{''.join(drawings)}\n</figure>\n"


def _facts(memo: Memo) -> str:
    text = memo.json()
    for letter in "<>&\u2028\u2029":  # in a string of JSON the only place for them
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return f'<script type="application/json" class="facts">\n{text}\n</script>\n'


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""
