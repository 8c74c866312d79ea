"""Guarantees in stable storage: JSON by short kind names, exact numbers as fractions, a version on every record.

Kinds are never removed and never change their meaning; new fields are optional. Nothing stored chooses what is
imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .. import checks
from ..base import Guarantee, Unit
from ..errors import ArgumentError, ArgumentTypeError, UnknownNameError
from .approximate import Approx, Pure
from .kind import Composed, Kind, compose, stated
from .loss import DiscreteGaussianLoss, DiscreteLaplaceLoss, discrete_gaussian, discrete_laplace
from .zcdp import ZCDP, zcdp

__all__ = ["dump", "load"]

VERSION = 1

_Fields = dict[str, Any]


def _approx(fields: _Fields, unit: Unit | None) -> Guarantee:
    epsilon, delta = checks.positive(epsilon=fields["epsilon"]), checks.non_negative(delta=fields["delta"])
    if not 0 < delta <= 1:  # 1 is what a group too large for its guarantee has
        raise ArgumentError.expected("delta", fields["delta"], "a stored delta lies in (0, 1]")
    return Approx(epsilon, delta, unit)


# kind -> (its class, what is stored of it, how it is made again)
_TABLE: dict[str, tuple[type[Kind], Callable[[Any], _Fields], Callable[[_Fields, Unit | None], Guarantee]]] = {
    "pure": (
        Pure,
        lambda g: {"epsilon": str(g.at_epsilon)},
        lambda f, u: Pure(checks.positive(epsilon=f["epsilon"]), unit=u),
    ),
    "approx": (Approx, lambda g: {"epsilon": str(g.at_epsilon), "delta": str(g.at_delta)}, _approx),
    "zcdp": (ZCDP, lambda g: {"rho": str(g.rho)}, lambda f, u: zcdp(f["rho"], u)),
    "discrete laplace loss": (
        DiscreteLaplaceLoss,
        lambda g: {"scale": str(g.scale), "sensitivity": g.sensitivity},
        lambda f, u: discrete_laplace(f["scale"], f["sensitivity"], u),
    ),
    "discrete gaussian loss": (
        DiscreteGaussianLoss,
        lambda g: {"variance": str(g.variance), "sensitivity": g.sensitivity},
        lambda f, u: discrete_gaussian(f["variance"], f["sensitivity"], u),
    ),
}


def dump(guarantee: Guarantee) -> str:
    """One line of JSON that `load` turns back into an equal guarantee.

    >>> from .approximate import pure
    >>> dump(pure("0.1", unit="person"))
    '{"version": 1, "kind": "pure", "unit": {"who": "person", "change": "remove"}, "epsilon": "1/10"}'
    """
    if not isinstance(guarantee, Kind):
        raise ArgumentTypeError.expected("guarantee", guarantee, "only guarantees are stored")
    return json.dumps({"version": VERSION, **_fields(guarantee)})


def load(text: str) -> Guarantee:
    """The guarantee that `dump` wrote."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise ArgumentError.expected("text", text, "this is not JSON") from None
    if not isinstance(fields, dict) or fields.get("version") != VERSION:
        raise ArgumentError.expected("text", text, f"this is not a stored guarantee of version {VERSION}")
    try:
        return _made(fields)
    except (KeyError, TypeError, AttributeError) as error:
        if isinstance(error, (UnknownNameError, ArgumentTypeError)):
            raise
        raise ArgumentError.expected("text", text, f"a field is missing or of the wrong kind: {error}") from None


def _fields(guarantee: Kind) -> _Fields:
    unit = _unit_fields(guarantee.unit)
    if isinstance(guarantee, Composed):
        parts = [{"count": count, **_fields(part)} for part, count in guarantee.parts]
        return {"kind": guarantee.kind, "unit": unit, "parts": parts}
    _, write, _ = _TABLE[guarantee.kind]
    return {"kind": guarantee.kind, "unit": unit, **write(guarantee)}


def _made(fields: _Fields) -> Guarantee:
    if fields["kind"] == Composed.kind:
        parts = fields["parts"]
        if not parts or any(part["kind"] == Composed.kind for part in parts):
            raise ArgumentError("parts: a stored sum has parts, and none of them is a sum itself")
        return compose([(_made(part), checks.count(count=part["count"])) for part in parts])
    if fields["kind"] not in _TABLE:
        raise UnknownNameError("kind of guarantee", fields["kind"], [*_TABLE, Composed.kind])
    stored = fields["unit"]
    unit = None if stored is None else Unit(stored["who"], stored["change"], stored.get("policy"))
    return _TABLE[fields["kind"]][2](fields, stated(unit))


def _unit_fields(unit: Unit | None) -> _Fields | None:
    if unit is None:
        return None
    return {"who": unit.who, "change": unit.change} | ({} if unit.policy is None else {"policy": unit.policy})
