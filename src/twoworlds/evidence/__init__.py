"""Evidence: two worlds seen through samples of one number, and how far apart they look.

What comes out is measured: a finding, never a guarantee.
"""

from __future__ import annotations

from .density import Density, window
from .worlds import Direction, Worlds, compared, worlds_of

__all__ = ["Density", "Direction", "Worlds", "compared", "window", "worlds_of"]
