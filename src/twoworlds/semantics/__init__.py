"""Words: what a guarantee means to one person."""

from __future__ import annotations

from .promise import promise

__all__ = ["promise"]
