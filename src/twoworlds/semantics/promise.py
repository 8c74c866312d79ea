"""One plain true sentence about a guarantee."""

from __future__ import annotations

import math
from fractions import Fraction

from .. import checks
from ..base import Finding, Guarantee, Plan, Release, Unit
from ..errors import ArgumentTypeError, NotAGuaranteeError

__all__ = ["promise"]

_DELTA = Fraction(1, 10**6)
"""The delta at which guarantees without an epsilon of their own are read."""


def promise(guarantee: Guarantee | Release | Plan) -> str:
    """What a guarantee says to one person, in one sentence that is true for every person, every result and every
    attacker.

    Of a release or a plan it says what its guarantee says. A finding promises nothing and is refused.

    >>> from ..guarantees import pure
    >>> print(promise(pure(1, unit="person")))
    Whatever is published, no result is more than 2.72 times as likely with the data of any one person as without \
them, and none is more than 2.72 times as likely without them as with the data of any one person.
    """
    if isinstance(guarantee, Release) and guarantee.seeded:
        said = promise(guarantee.guarantee)
        return f"Provided nobody knows the number its noise was drawn from: {said[0].lower()}{said[1:]}"
    if isinstance(guarantee, (Release, Plan)):
        guarantee = guarantee.guarantee
    if isinstance(guarantee, Finding):
        raise NotAGuaranteeError("a finding is measured and promises nothing. Read it with .memo()")
    if not isinstance(guarantee, Guarantee):
        raise ArgumentTypeError.expected("guarantee", guarantee, "a guarantee is needed", "Use release.guarantee")
    with_, without = _worlds(guarantee.unit)
    delta = Fraction(0) if math.isfinite(guarantee.epsilon()) else _own_delta(guarantee)
    epsilon = guarantee.epsilon(delta)  # type: ignore[arg-type]
    if not math.isfinite(epsilon):
        return "Nothing is promised: some results may be possible in one world only."
    factor = _factor(epsilon)
    if not delta:
        return (
            f"Whatever is published, no result is more than {factor} times as likely {with_} as {without}, "
            f"and none is more than {factor} times as likely {without} as {with_}."
        )
    return (
        f"Whatever is published and for every event: its probability {with_} is at most {factor} times its probability "
        f"{without} plus {checks.shown_up(delta)}, and the other way round."
    )


def _own_delta(guarantee: Guarantee) -> Fraction:
    """The delta a guarantee comes with, exactly, or the usual one for curves that have many."""
    own = getattr(guarantee, "at_delta", Fraction(0))
    if 0 < own < 1:
        return Fraction(own)
    return _DELTA if math.isfinite(guarantee.epsilon(_DELTA)) else Fraction(1, 2)  # type: ignore[arg-type]


def _worlds(unit: Unit | None) -> tuple[str, str]:
    if unit is None:
        return "with the data of any one unit (which was not stated)", "without them"
    who = ("row" if unit.who is None else unit.who) + ("" if unit.policy is None else f" ({unit.policy})")
    if unit.change == "replace":
        return f"with the data of any one {who}", "with any other data in their place"
    if unit.change in ("edge", "edge weight"):
        return f"with any one {unit.change} of {who} as it is", "with that one changed"
    return f"with the data of any one {who}", "without them"


def _factor(epsilon: float) -> str:
    """e**epsilon to three digits, never below it."""
    if epsilon > 700:
        return f"e^{checks.shown_up(epsilon)}"
    return checks.shown_up(math.exp(epsilon) * (1 + 1e-15), 3)
