"""A page: one HTML file that holds all it needs, to be sent, printed, or opened in ten years.

It loads nothing: no font, script, style or picture comes from elsewhere, and a policy in its head forbids it to try.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, ArgumentTypeError
from ..memo import Memo
from .blocks import article, escaped
from .plot import require
from .reading import memos_of
from .style import STYLE

__all__ = ["report"]

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
"""


def report(x: Any, path: str | os.PathLike[str], *, title: str | None = None) -> Path:
    """Write one self-contained HTML page about a thing, or about several, and return its path.

    `x` is a release, a plan, a guarantee, a finding, a memo, or a sequence of them. Their words, tables and pictures
    stand in the order of their memos, readable on a phone and on paper, in light and dark; their facts are in the page
    as JSON. The file appears whole or not at all. A folder that is missing is made; a file of this name is replaced.
    """
    # also for a page without pictures: whether a report can be written must not depend on what is in it
    require("tw.report")
    memos, target = memos_of(x), _target(path)
    if title is not None and not isinstance(title, str):
        raise ArgumentTypeError.expected("title", title, "a text is needed, or None")
    page = _page(memos, title)
    target.parent.mkdir(parents=True, exist_ok=True)
    _write(target, page.encode("utf-8", "replace"))
    return target


def _page(memos: Sequence[Memo], title: str | None) -> str:
    heading = title or (memos[0].title if len(memos) == 1 else "Report")
    level = None if len(memos) == 1 and not title else 2
    articles = "".join(article(memo, i, level) for i, memo in enumerate(memos, 1))
    head = _HEAD.format(title=escaped(heading), style=STYLE)
    return f"{head}<body>\n<main>\n<h1>{escaped(heading)}</h1>\n{articles}</main>\n</body>\n</html>\n"


def _target(path: str | os.PathLike[str]) -> Path:
    """Where to write, refused before any work where it cannot be."""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ArgumentTypeError.expected("path", path, "the name of a file is needed", "For example 'report.html'")
    target = Path(path)
    if target.is_dir() or not target.name:
        raise ArgumentError.expected("path", str(path), "this is a folder", "Name a file in it, such as report.html")
    above = next(one for one in (*target.parents, Path("/")) if one.exists())
    if not above.is_dir():
        raise ArgumentError.expected("path", str(path), f"{above} is a file, not a folder")
    return target


def _write(target: Path, content: bytes) -> None:
    """All or nothing: the file is written beside its place and then moved there in one step."""
    place = Path(os.path.realpath(target))  # a link stays a link
    beside = place.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(beside, "xb") as file:
            if place.exists():  # whoever could not read the old page cannot read the new one
                shutil.copymode(place, beside)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
