"""Whether the duration of one draw tells how large the noise is: the AUC of time against value.

    python benchmarks/duration.py

The AUC is the chance that a draw of the one class takes longer than a draw of the other; 0.5 says nothing. Classes:
|x| above against below its median (the target), x negative against positive, and |x| above against below its 99 %
quantile (known to +-0.06 only). opendp and diffprivlib in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from machine import HERE, machine, write_table
from peers import diffprivlib_one, opendp_one
from scipy.stats import rankdata

import twoworlds as tw

DRAWS = 20_000
TURN = 1_000  # draws before the next contender has its turn
WARM = 300
ALLOWED = 0.03

_Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Contender:
    """A single draw, which returns its noise."""

    what: str
    law: str
    scale: int
    one: Callable[[], Any]


def auc(long: _Array, short: _Array) -> float:
    """P(a of `long` > a of `short`) + P(equal) / 2."""
    if not long.size or not short.size:
        return float("nan")
    ranks = rankdata(np.concatenate([long, short]))[: long.size]
    return float((ranks.sum() - long.size * (long.size + 1) / 2) / (long.size * short.size))


def by_size(nanoseconds: _Array, x: _Array) -> float:
    """The AUC of |x| above its median against below, ties with the median to the smaller side if it were empty."""
    size = np.abs(x)
    middle = np.median(size)
    below = size < middle if (size < middle).any() else size <= middle
    return auc(nanoseconds[size > middle], nanoseconds[below])


def by_tail(nanoseconds: _Array, x: _Array) -> float:
    """The AUC of the largest hundredth of |x| against all others."""
    size = np.abs(x)
    edge = np.quantile(size, 0.99)
    return auc(nanoseconds[size > edge], nanoseconds[size <= edge])


def by_sign(nanoseconds: _Array, x: _Array) -> float:
    """The AUC of negative against positive noise."""
    return auc(nanoseconds[x < 0], nanoseconds[x > 0])


def single_draws() -> Iterator[Contender]:
    """law.sample()."""
    for scale in (1, 10, 1000, 10**6):
        yield Contender("twoworlds, one draw", "Laplace", scale, tw.noise.DiscreteLaplace(scale).sample)
        yield Contender("opendp, one draw", "Laplace", scale, opendp_one("Laplace", scale))
        yield Contender("diffprivlib Geometric", "Laplace", scale, diffprivlib_one("Geometric", scale))
        yield Contender("diffprivlib Laplace", "Laplace", scale, diffprivlib_one("Laplace", scale))
    for sigma in (1, 10, 1000):
        yield Contender("twoworlds, one draw", "Gaussian", sigma, tw.noise.DiscreteGaussian(sigma**2).sample)
        yield Contender("opendp, one draw", "Gaussian", sigma, opendp_one("Gaussian", sigma))
        yield Contender("diffprivlib GaussianDiscrete", "Gaussian", sigma, diffprivlib_one("GaussianDiscrete", sigma))


def single_cells() -> Iterator[Contender]:
    """law.sample(1), as an array of one cell is released: the path of bulk draws."""
    for name, law, scale in (
        ("Laplace", tw.noise.DiscreteLaplace(10), 10),
        ("Laplace", tw.noise.DiscreteLaplace(1000), 1000),
        ("Gaussian", tw.noise.DiscreteGaussian(10**6), 1000),
    ):
        law.sample(4096)  # as after any bulk draw
        yield Contender("twoworlds, array of one", name, scale, lambda law=law: law.sample(1).item())


def releases() -> Iterator[Contender]:
    """plan.run() on a truth of zero: what comes out is the noise."""

    def plan(mechanism: Any, truth: Any) -> Callable[[], Any]:
        run = tw.plan(mechanism, truth, "x").run
        return lambda: run().value

    whole, real = (tw.query(lambda x: x, sensitivity=1, integer=integer) for integer in (True, False))
    for scale in (1, 10, 1000, 10**6):
        ready = plan(tw.GeometricMechanism(whole, Fraction(1, scale)), 0)
        yield Contender("twoworlds, release of an integer", "Laplace", scale, ready)
    for scale in (1, 1000):
        ready = plan(tw.LaplaceMechanism(real, Fraction(1, scale)), 0.0)
        yield Contender("twoworlds, release of a float", "Laplace", scale, ready)
        yield Contender("opendp, release of a float", "Laplace", scale, opendp_one("Laplace", scale, 0.0))
    for sigma in (1, 1000):
        ready = plan(tw.GaussianMechanism(real, Fraction(1, 2 * sigma**2)), 0.0)
        yield Contender("twoworlds, release of a float", "Gaussian", sigma, ready)
        yield Contender("opendp, release of a float", "Gaussian", sigma, opendp_one("Gaussian", sigma, 0.0))


def timed(one: Callable[[], Any], n: int) -> tuple[list[int], list[Any]]:
    """Nanoseconds and values of n draws."""
    clock, spent, values = time.perf_counter_ns, [], []
    for _ in range(n):
        start = clock()
        x = one()
        spent.append(clock() - start)
        values.append(x)
    return spent, values


def measure(contenders: list[Contender]) -> list[tuple[_Array, _Array]]:
    """Durations and values of each, drawn by turns."""
    kept: list[tuple[list[int], list[Any]]] = [([], []) for _ in contenders]
    for one in contenders:
        timed(one.one, WARM)
    for _ in range(DRAWS // TURN):
        for one, (spent, values) in zip(contenders, kept, strict=True):
            for store, new in zip((spent, values), timed(one.one, TURN), strict=True):
                store.extend(new)
    return [(np.array(spent), np.array(values, dtype=float)) for spent, values in kept]


def main() -> None:
    contenders = [*single_draws(), *single_cells(), *releases()]
    rows = []
    print(f"{'what':34} {'law':9} {'scale':>9} {'median us':>9} {'by size':>8} {'by sign':>8} {'by tail':>8}")
    for one, (spent, x) in zip(contenders, measure(contenders), strict=True):
        middle, areas = float(np.median(spent)) / 1000, [f(spent, x) for f in (by_size, by_sign, by_tail)]
        met = "" if not one.what.startswith("twoworlds") else "met" if abs(areas[0] - 0.5) <= ALLOWED else "MISSED"
        rows.append((one.what, one.law, one.scale, DRAWS, f"{middle:.2f}", *(f"{area:.3f}" for area in areas), met))
        shown = " ".join(f"{area:8.3f}" for area in areas)
        print(f"{one.what:34} {one.law:9} {one.scale:9,} {middle:9.2f} {shown} {met}")
    columns = (
        "what",
        "law",
        "scale",
        "draws",
        "median_microseconds",
        "auc_by_size",
        "auc_by_sign",
        "auc_by_tail",
        "target",
    )
    write_table(HERE / "duration.csv", machine("numpy", "opendp", "diffprivlib"), columns, rows)


if __name__ == "__main__":
    main()
