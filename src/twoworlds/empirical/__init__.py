"""Empirical privacy: how private a statistic already is, measured on a history of databases."""

from __future__ import annotations

from .audit import At, Audit, audit
from .history import History, history

__all__ = ["At", "Audit", "History", "audit", "history"]
