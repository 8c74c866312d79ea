"""Mechanisms: a query made random, one act per file.

`MECHANISMS` lists every kind; each brings `examples()`, pairs of neighbouring worlds on which the law tests hold it to
its guarantee.
"""

from __future__ import annotations

from .batch import Batch, batch
from .calibrate import calibrate
from .gaussian import GaussianMechanism, gaussian
from .geometric import GeometricMechanism, geometric
from .laplace import LaplaceMechanism, laplace
from .queries import Linear, linear, linear_sensitivity, query

__all__ = [
    "MECHANISMS",
    "Batch",
    "GaussianMechanism",
    "GeometricMechanism",
    "LaplaceMechanism",
    "Linear",
    "batch",
    "calibrate",
    "gaussian",
    "geometric",
    "laplace",
    "linear",
    "linear_sensitivity",
    "query",
]

MECHANISMS = (LaplaceMechanism, GeometricMechanism, GaussianMechanism, Batch)
"""Every kind of mechanism: a new one joins here and inherits the law tests."""
