"""Evidence: two worlds seen through samples of one number, and how far apart they look.

What comes out is measured: a finding, never a guarantee.
"""

from __future__ import annotations

from .density import Density, window
from .worlds import Worlds, compared

__all__ = ["Density", "Worlds", "compared", "window"]
