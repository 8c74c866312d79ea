"""To a reader: memos as pictures and as self-contained pages.

This room reads what an object says about itself (`.memo()`) and nothing else, so a plot or a page cannot show more than
was published, nor anything different.
"""

from __future__ import annotations

from .page import report
from .plot import plot

__all__ = ["plot", "report"]
