"""Guarantees: kinds of proved curve, how they add in one plan, and how they are stored.

`KINDS` lists every kind, with examples for the law tests.
"""

from __future__ import annotations

from . import codec, loss
from .approximate import Approx, Pure, approx, pure
from .kind import Composed, Kind
from .loss import DiscreteGaussianLoss, DiscreteLaplaceLoss
from .zcdp import ZCDP, zcdp

__all__ = [
    "KINDS",
    "ZCDP",
    "Approx",
    "Composed",
    "DiscreteGaussianLoss",
    "DiscreteLaplaceLoss",
    "Kind",
    "Pure",
    "approx",
    "codec",
    "loss",
    "pure",
    "zcdp",
]

KINDS: dict[type[Kind], tuple[Kind, ...]] = {
    Pure: (pure("0.1"), pure(1), pure(20)),
    Approx: (approx(1, "1e-6"), approx("0.01", "0.1")),
    ZCDP: (zcdp("0.001"), zcdp("0.5"), zcdp(20)),
    DiscreteLaplaceLoss: (
        loss.discrete_laplace(1),
        loss.discrete_laplace("7/3", 5),
        loss.discrete_laplace(2**21, 2**20),
    ),
    DiscreteGaussianLoss: (loss.discrete_gaussian(1), loss.discrete_gaussian(25, 3), loss.discrete_gaussian("0.1")),
    Composed: (pure(1) + zcdp("0.1"), 3 * pure("0.2") + approx("0.5", "1e-7"), pure("0.3") + loss.discrete_gaussian(4)),  # type: ignore[dict-item]
}
"""Every kind of guarantee, with examples: a new kind joins here and inherits the law tests."""
