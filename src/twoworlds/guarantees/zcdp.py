"""Zero-concentrated differential privacy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .. import checks
from ..base import Guarantee, Unit
from .kind import Kind, positive_count, stated
from .routes import zcdp_delta

__all__ = ["ZCDP", "zcdp"]


@dataclass(frozen=True, repr=False)
class ZCDP(Kind):
    """rho-zCDP: the Renyi divergence of every order alpha > 1 is at most rho * alpha, both ways (Bun and Steinke 2016).

    Gaussian noise, continuous or discrete, of variance v and L2 sensitivity s has it with rho = s**2 / (2 v). Parts add
    exactly: rho + rho. A group of k has k**2 rho. Read as (epsilon, delta) by the best known conversion, optimised over
    the order.
    """

    kind = "zcdp"
    rho: Fraction
    unit: Unit | None = None

    @property
    def concentrated(self) -> tuple[Fraction, Fraction] | None:
        return self.rho, Fraction(0)

    def _delta(self, epsilons: Any) -> Any:
        return zcdp_delta(float(self.rho) * (1 + 1e-15), epsilons)

    def merged(self, other: Kind) -> Kind | None:
        return replace(self, rho=self.rho + other.rho) if isinstance(other, ZCDP) else None

    def times(self, count: int) -> Kind | None:
        return replace(self, rho=count * self.rho)

    def group(self, k: int) -> Guarantee:
        return replace(self, rho=positive_count(k) ** 2 * self.rho)

    def renamed(self, unit: Unit | None) -> Kind:
        return replace(self, unit=unit)

    def words(self) -> str:
        return f"rho {checks.shown_up(self.rho)} (zCDP)"


def zcdp(rho: Any, unit: Unit | str | None = None) -> ZCDP:
    """The guarantee of zero-concentrated differential privacy.

    >>> round(zcdp("0.5").epsilon(1e-6), 4)
    5.2215
    """
    return ZCDP(checks.positive(rho=rho), stated(unit))
