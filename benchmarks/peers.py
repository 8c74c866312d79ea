"""Samplers of other libraries, as functions of how many draws to make: for benchmarks only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import opendp.prelude as dp

# The models of diffprivlib 0.6.6 do not import with the current scikit-learn. Only its mechanisms are measured.
sys.modules.setdefault("diffprivlib.models", ModuleType("diffprivlib.models"))
from diffprivlib import mechanisms as diffprivlib  # noqa: E402

__all__ = ["diffprivlib_one", "numpy_many", "opendp_many", "opendp_one", "repeated"]

dp.enable_features("contrib")

Draw = Callable[[int], Any]


def repeated(one: Callable[[], Any]) -> Draw:
    """A single draw, made again and again."""

    def many(n: int) -> None:
        for _ in range(n):
            one()

    return many


def opendp_many(law: str, scale: float) -> Draw:
    """opendp's exact sampler on a vector of integers."""
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if law == "Laplace":
        mechanism = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=float(scale))
    else:
        mechanism = dp.m.make_gaussian(domain, dp.l2_distance(T="i64"), scale=float(scale))
    return lambda n: mechanism([0] * n)


def opendp_one(law: str, scale: float, value: float = 0) -> Callable[[], Any]:
    """opendp's exact sampler on one number: an integer, or a float if the value is one."""
    if isinstance(value, float):
        space: tuple[Any, Any] = dp.atom_domain(T="f64", nan=False), dp.absolute_distance(T="f64")
    else:
        space = dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")
    make = dp.m.make_laplace if law == "Laplace" else dp.m.make_gaussian
    mechanism = make(*space, scale=float(scale))
    return lambda: mechanism(value)


def diffprivlib_one(kind: str, scale: float, value: float = 0) -> Callable[[], Any]:
    """diffprivlib's Geometric, Laplace or GaussianDiscrete at a scale."""
    if kind == "GaussianDiscrete":
        mechanism = diffprivlib.GaussianDiscrete(epsilon=0.5, delta=1e-5, sensitivity=1)
        mechanism._scale = float(scale)  # it takes no sigma, only a price
    else:
        mechanism = getattr(diffprivlib, kind)(epsilon=1 / scale, sensitivity=1)
    return lambda: mechanism.randomise(value)


def numpy_many(law: str, scale: float) -> Draw:
    """NumPy's floating-point generator: fast, and no noise to publish anything with."""
    generator = np.random.default_rng()
    draw = generator.laplace if law == "Laplace" else generator.normal
    return lambda n: draw(0.0, scale, n)
