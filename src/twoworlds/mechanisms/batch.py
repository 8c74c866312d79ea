"""Several named mechanisms run together: a batch is a mechanism, and its release has columns of the same names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import Any

import numpy as np

from ..base import Guarantee, Law, Mechanism, Release, Unit
from ..errors import ArgumentError, ArgumentTypeError, NotAGuaranteeError
from ..noise import Source, source
from ..noise.ranges import Expected, expected_error
from .gaussian import GaussianMechanism
from .geometric import GeometricMechanism
from .queries import linear, query

__all__ = ["Batch", "batch"]


@dataclass(frozen=True)
class Batch:
    """Named mechanisms on the same data, with independent noise: the guarantee is their sum, in one plan."""

    parts: Mapping[str, Mechanism]

    def guarantee(self, unit: Unit | None) -> Guarantee:
        prices = [part.guarantee(unit) for part in self.parts.values()]
        for name, price in zip(self.parts, prices, strict=True):
            if not isinstance(price, Guarantee):
                raise NotAGuaranteeError.expected(name, price, "the price of a mechanism is a guarantee")
        return reduce(add, prices)

    def error(self, unit: Unit | None) -> Law | None:
        """None: every column has its own."""
        return None

    def expected(self, unit: Unit | None, confidence: float) -> dict[str, Expected]:
        """The forecasts of the columns; those of a batch inside are named `outer.inner`."""
        found: dict[str, Expected] = {}
        for name, part in self.parts.items():
            forecast = getattr(part, "expected", None)
            inner = (
                {"value": expected_error(part.error(unit), None, 0.0, confidence)}
                if forecast is None
                else forecast(unit, confidence)
            )
            found |= {name if key == "value" else f"{name}.{key}": one for key, one in inner.items()}
        return found

    def check(self, data: Any, unit: Unit | None) -> dict[str, dict[str, int]]:
        """For the owner alone: what every column would clamp or miss."""
        found: dict[str, dict[str, int]] = {}
        for name, part in self.parts.items():
            if hasattr(part, "check"):
                found |= {
                    name if key == "value" else f"{name}.{key}": one for key, one in part.check(data, unit).items()
                }
        return found

    def run(self, data: Any, unit: Unit | None, *, rng: Source | None = None) -> Release:
        bits = source(rng)
        guarantee = self.guarantee(unit)
        done = {name: part.run(data, unit, rng=rng) for name, part in self.parts.items()}
        return Release(
            {name: one.value for name, one in done.items()},
            guarantee,
            None,
            seeded=bits.seeded,
            parts=MappingProxyType(done),
        )

    def logpmf(self, value: Any, data: Any, unit: Unit | None) -> float:
        """ln of the chance of releasing exactly these values."""
        return float(sum(part.logpmf(value[name], data, unit) for name, part in self.parts.items()))  # type: ignore[attr-defined]

    @classmethod
    def examples(cls) -> Iterator[tuple[Any, Any, Any, Unit]]:
        """(mechanism, data with, data without, unit) for the law tests."""
        count = query(len, sensitivity=1, integer=True)
        unit = Unit("person")
        yield (
            batch(n=GeometricMechanism(count, "0.5"), again=GeometricMechanism(count, "0.25")),
            [1, 2, 3],
            [1, 2],
            unit,
        )
        yield batch(n=GeometricMechanism(count, "0.5"), g=GaussianMechanism(count, "0.1")), [1, 2, 3], [1, 2], unit
        histogram, replaced = linear([[1, 0], [0, 1]]), Unit("person", "replace")
        inner = batch(cells=GeometricMechanism(histogram, 1))
        both = batch(inner=inner, cells=GaussianMechanism(histogram, "0.2"))
        yield both, np.array([3, 5]), np.array([4, 4]), replaced


def batch(parts: Mapping[str, Mechanism] | None = None, /, **named: Mechanism) -> Batch:
    """Mechanisms under names, as a mapping or as keyword arguments.

    >>> import twoworlds as tw
    >>> n = tw.GeometricMechanism(tw.query(len, sensitivity=1, integer=True), "0.5")
    >>> tw.plan(tw.batch(n=n, again=n), [1, 2, 3], "person").guarantee.epsilon()
    1.0
    """
    together = dict(parts or {}, **named)
    if not together:
        raise ArgumentError("a batch needs at least one mechanism. Give them by name: tw.batch(n=..., total=...)")
    for name, part in together.items():
        if not isinstance(name, str) or not name:
            raise ArgumentTypeError.expected("name", name, "a column needs a name")
        if not isinstance(part, Mechanism):
            raise ArgumentTypeError.expected(name, part, "something with guarantee, error and run is needed")
    return Batch(MappingProxyType(together))
