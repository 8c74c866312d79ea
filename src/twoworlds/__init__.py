"""twoworlds: publish statistics about people, and measure how private they already are.

Privacy is how hard it is to tell two worlds apart: one with a person in the data, one without. A *guarantee* is proved
and can be spent; a *finding* is measured and can only be read. Everything here is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# name -> (room, name there); a room itself has no second name
_DOOR = {
    "Affine": ("base", "Affine"),
    "GaussianMechanism": ("mechanisms", "GaussianMechanism"),
    "GeometricMechanism": ("mechanisms", "GeometricMechanism"),
    "LaplaceMechanism": ("mechanisms", "LaplaceMechanism"),
    "Unit": ("base", "Unit"),
    "approx": ("guarantees", "approx"),
    "audit": ("empirical", "audit"),
    "batch": ("mechanisms", "batch"),
    "calibrate": ("mechanisms", "calibrate"),
    "errors": ("errors", None),
    "gaussian": ("mechanisms", "gaussian"),
    "geometric": ("mechanisms", "geometric"),
    "guarantees": ("guarantees", None),
    "history": ("empirical", "history"),
    "laplace": ("mechanisms", "laplace"),
    "linear": ("mechanisms", "linear"),
    "linear_sensitivity": ("mechanisms", "linear_sensitivity"),
    "loss": ("guarantees.loss", None),
    "mechanisms": ("mechanisms", None),
    "noise": ("noise", None),
    "plan": ("base", "plan"),
    "plot": ("pages", "plot"),
    "promise": ("semantics", "promise"),
    "pure": ("guarantees", "pure"),
    "query": ("mechanisms", "query"),
    "report": ("pages", "report"),
    "zcdp": ("guarantees", "zcdp"),
}

__all__ = sorted([*_DOOR, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _DOOR:
        raise AttributeError(f"module 'twoworlds' has no attribute {name!r}")
    room, member = _DOOR[name]
    module = import_module(f".{room}", __name__)
    found = module if member is None else getattr(module, member)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
