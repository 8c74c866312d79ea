"""One plain true sentence about a guarantee."""

from __future__ import annotations

import math
from typing import Any

from ..base import Finding, Guarantee, Plan, Release, Unit
from ..errors import ArgumentTypeError, NotAGuaranteeError

__all__ = ["promise"]

_DELTA = 1e-6
"""The delta at which guarantees without an epsilon of their own are read."""


def promise(guarantee: Guarantee | Release | Plan) -> str:
    """What a guarantee says to one person, in one sentence that is true for every person, every result and every
    attacker.

    Of a release or a plan it says what its guarantee says. A finding promises nothing and is refused.

    >>> from ..guarantees import pure
    >>> promise(pure(1, unit="person"))
    'Whatever is published, no result is more than 2.72 times as likely with the data of any one person as without them, \
and none is more than 2.72 times as likely without them as with them.'
    """
    if isinstance(guarantee, (Release, Plan)):
        guarantee = guarantee.guarantee
    if isinstance(guarantee, Finding):
        raise NotAGuaranteeError("a finding is measured and promises nothing. Read it with .memo()")
    if not isinstance(guarantee, Guarantee):
        raise ArgumentTypeError.expected("guarantee", guarantee, "a guarantee is needed", "Use release.guarantee")
    one_way, other_way = _worlds(guarantee.unit)
    delta = 0.0 if math.isfinite(guarantee.epsilon()) else _own_delta(guarantee)
    epsilon = guarantee.epsilon(delta)
    if not math.isfinite(epsilon):
        return "Nothing is promised: some results may be possible in one world only."
    factor = _rounded_up(epsilon)
    if not delta:
        return (
            f"Whatever is published, no result is more than {factor} times as likely {one_way}, "
            f"and none is more than {factor} times as likely {other_way}."
        )
    return (
        f"Whatever is published, no event is more likely {one_way} than {factor} times its other likelihood plus {delta:g}, "
        f"and none is more likely {other_way} than that."
    )


def _own_delta(guarantee: Any) -> float:
    """The delta a guarantee comes with, or the usual one for curves that have many."""
    own = getattr(guarantee, "at_delta", None)
    if own is None or float(own) == 0:
        return _DELTA if math.isfinite(guarantee.epsilon(_DELTA)) else 0.5
    return float(own) if float(own) < 1 else 0.5


def _worlds(unit: Unit | None) -> tuple[str, str]:
    if unit is None:
        return (
            "with the data of any one unit (which was not stated) as without them",
            "without them as with them",
        )
    who = "row" if unit.who is None else unit.who
    if unit.change == "replace":
        return f"with the data of any one {who} as with any other data in their place", "the other way round"
    if unit.change in ("edge", "edge weight"):
        return f"with one {unit.change} of {who} as with that one changed", "the other way round"
    return f"with the data of any one {who} as without them", "without them as with them"


def _rounded_up(epsilon: float) -> str:
    """e**epsilon to three digits, never below it."""
    if epsilon > 700:
        return f"e^{epsilon:g}"
    factor = math.exp(epsilon)
    digits = max(2 - math.floor(math.log10(factor)), 0)
    up = math.ceil(factor * 10**digits * (1 - 1e-15)) / 10**digits
    return f"{up:.{digits}f}" if up < 1e6 else f"{up:.2e}"
