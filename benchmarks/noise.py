"""How fast noise is drawn, in draws per CPU second, next to opendp, diffprivlib and NumPy in the same run.

    python benchmarks/noise.py

Contenders take turns, round after round, and the median round counts: on a busy machine read ratios. Bulk draws with
NumPy alone run in a child process with TWOWORLDS_COMPILED=0, timed by its own clock. Tables are built beforehand and
timed by themselves.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from machine import HERE, machine, write_table
from peers import diffprivlib_one, numpy_many, opendp_many, opendp_one, repeated

import twoworlds as tw

ROUNDS = 7
SCALES = (10, 1000, 10**6)
BULK = 4_000_000


@dataclass(frozen=True)
class Contender:
    """Something that draws: `run(n)` makes n draws and returns the CPU seconds they took."""

    what: str
    law: str
    scale: int
    draws: int
    run: Callable[[int], float]
    race: str = "bulk"


@dataclass(frozen=True)
class Row:
    """One measured rate, and how it compares within its race."""

    what: str
    law: str
    scale: int
    rate: float
    to_opendp: float | None
    to_numpy: float | None


def clocked(draw: Callable[[int], object]) -> Callable[[int], float]:
    """The same with its CPU seconds."""

    def run(n: int) -> float:
        start = time.process_time()
        draw(n)
        return time.process_time() - start

    return run


def law_of(name: str, scale: Fraction | int) -> tw.noise.LawBase:
    """Our law of that name; the scale of a Gaussian is its sigma."""
    return tw.noise.DiscreteLaplace(scale) if name == "Laplace" else tw.noise.DiscreteGaussian(Fraction(scale) ** 2)


class Child:
    """The same samplers in a process of their own, without the compiled loop."""

    def __init__(self) -> None:
        alone = {**os.environ, "TWOWORLDS_COMPILED": "0"}
        command = [sys.executable, __file__, "child"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=alone)

    def bulk(self, law: str, scale: int) -> Callable[[int], float]:
        def run(n: int) -> float:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(f"{law} {scale} {n}\n")
            self._process.stdin.flush()
            return float(self._process.stdout.readline())

        return run

    def close(self) -> None:
        self._process.communicate()


def serve() -> None:
    """What the child does: draw as told, answer with seconds."""
    assert not tw.noise.compiled()
    for line in sys.stdin:
        name, scale, n = line.split()
        print(clocked(law_of(name, int(scale)).sample)(int(n)), flush=True)


def bulk(child: Child) -> Iterator[Contender]:
    """Many draws at once."""
    for law in ("Laplace", "Gaussian"):
        for scale in SCALES:
            yield Contender("twoworlds, NumPy alone", law, scale, BULK, child.bulk(law, scale))
            if tw.noise.compiled():
                yield Contender("twoworlds, compiled loop", law, scale, BULK, clocked(law_of(law, scale).sample))
            yield Contender("opendp, i64 vector", law, scale, 150_000, clocked(opendp_many(law, scale)))
            yield Contender("numpy (not private)", law, scale, BULK, clocked(numpy_many(law, scale)))
            for kind in ("Geometric", "Laplace") if law == "Laplace" else ("GaussianDiscrete",):
                if kind == "GaussianDiscrete" and scale > 1000:
                    print(f"left out: diffprivlib GaussianDiscrete at sigma {scale:,}, about one draw a second")
                    continue
                n = 100_000 if kind != "GaussianDiscrete" else 200_000 // scale
                yield Contender(f"diffprivlib {kind}", law, scale, n, clocked(repeated(diffprivlib_one(kind, scale))))


def single() -> Iterator[Contender]:
    """One draw at a time."""
    for law in ("Laplace", "Gaussian"):
        for scale in SCALES:
            one = law_of(law, scale).sample
            yield Contender("twoworlds, one draw", law, scale, 50_000, clocked(repeated(one)), "single")
            peer = repeated(opendp_one(law, scale))
            yield Contender("opendp, one draw", law, scale, 10_000, clocked(peer), "single")


def releases() -> Iterator[Contender]:
    """One float released: placed on a grid, noise added, wrapped with its guarantee."""
    ready = tw.plan(tw.LaplaceMechanism(tw.query(lambda x: x, sensitivity=1), 1), 3.2, "x")
    for what, one in (
        ("twoworlds, tw.laplace(3.2)", lambda: tw.laplace(3.2, sensitivity=1, epsilon=1)),
        ("twoworlds, ready plan", ready.run),
        ("opendp, one float", opendp_one("Laplace", 1, 3.2)),
        ("diffprivlib Laplace, one float", diffprivlib_one("Laplace", 1, 3.2)),
    ):
        yield Contender(what, "Laplace", 1, 10_000, clocked(repeated(one)), "release")


def measure(contenders: list[Contender]) -> list[float]:
    """Draws per CPU second of each, the median of rounds in which all take turns."""
    for one in contenders:
        one.run(min(one.draws, 5000))
    rounds = [[one.draws / one.run(one.draws) for one in contenders] for _ in range(ROUNDS)]
    return [median(rates) for rates in zip(*rounds, strict=True)]


def compared(contenders: list[Contender], rates: list[float]) -> list[Row]:
    """Rows with the ratio to opendp's and to NumPy's rate of the same race."""
    races: dict[tuple[str, str, int, str], float] = {}
    for one, rate in zip(contenders, rates, strict=True):
        races[one.race, one.law, one.scale, one.what.split()[0].rstrip(",")] = rate

    def ratio(one: Contender, rate: float, peer: str) -> float | None:
        base = races.get((one.race, one.law, one.scale, peer))
        return None if base is None else rate / base

    return [
        Row(one.what, one.law, one.scale, rate, ratio(one, rate, "opendp"), ratio(one, rate, "numpy"))
        for one, rate in zip(contenders, rates, strict=True)
    ]


def table_times() -> list[tuple[str, int, float, float]]:
    """CPU milliseconds of the first draw at a scale never seen, and of the first bulk draw after it."""
    out = []
    for law in ("Laplace", "Gaussian"):
        for scale in SCALES:
            times = []
            for i in range(1, 6):
                fresh = law_of(law, scale + Fraction(i, 1000))
                first = clocked(lambda n, fresh=fresh: fresh.sample())(1)
                times.append((1000 * first, 1000 * clocked(fresh.sample)(2048)))
            out.append((law, scale, *(median(column) for column in zip(*times, strict=True))))
    return out


TARGETS = (  # law, path, least ratio to opendp, least ratio to NumPy's generator where one is set
    ("Laplace", "NumPy alone", 250, 0.9),
    ("Laplace", "compiled loop", 400, 1.3),
    ("Gaussian", "NumPy alone", 250, None),
    ("Gaussian", "compiled loop", 400, None),
)


def verdicts(rows: list[Row]) -> Iterator[str]:
    """Each target, the figures at all scales, and whether it is met."""
    for law, path, least_opendp, least_numpy in TARGETS:
        ours = [row for row in rows if row.law == law and row.what == f"twoworlds, {path}"]
        yield verdict(f"{law}, {path}, x opendp", [row.to_opendp for row in ours], least_opendp)
        yield verdict(f"{law}, {path}, x numpy", [row.to_numpy for row in ours], least_numpy)
    for row in rows:
        if row.what in ("twoworlds, tw.laplace(3.2)", "twoworlds, ready plan"):
            yield verdict(f"{row.what}, M/s", [row.rate / 1e6], 0.05)


def verdict(what: str, figures: Sequence[float | None], least: float | None) -> str:
    known = [x for x in figures if x is not None]
    status = "no target" if least is None else "not run" if not known else "met" if min(known) >= least else "MISSED"
    return f"{what}: {', '.join(f'{x:.3g}' for x in known)} (target {least}): {status}"


def shown(x: float | None) -> str:
    return "" if x is None else f"{x:.4g}"


def main() -> None:
    child = Child()
    contenders = [*bulk(child), *single(), *releases()]
    rows = compared(contenders, measure(contenders))
    child.close()
    print(f"{'what':32} {'law':9} {'scale':>9} {'M draws / CPU s':>16} {'x opendp':>9} {'x numpy':>9}")
    for r in rows:
        print(f"{r.what:32} {r.law:9} {r.scale:9,} {r.rate / 1e6:16.4g} {shown(r.to_opendp):>9} {shown(r.to_numpy):>9}")
    tables = table_times()
    for law, scale, first, first_bulk in tables:
        print(f"tables, {law:9} {scale:9,}: first draw {first:.1f} ms, first bulk draw {first_bulk:.1f} ms more")
    print(*verdicts(rows), sep="\n")
    note = machine("numpy", "opendp", "diffprivlib", "numba")
    columns = ("what", "law", "scale", "draws_per_cpu_second", "ratio_to_opendp", "ratio_to_numpy")
    values = [(r.what, r.law, r.scale, f"{r.rate:.0f}", shown(r.to_opendp), shown(r.to_numpy)) for r in rows]
    write_table(HERE / "noise.csv", note, columns, values)
    times = [(law, scale, f"{first:.2f}", f"{more:.2f}") for law, scale, first, more in tables]
    write_table(HERE / "noise_tables.csv", note, ("law", "scale", "first_draw_ms", "first_bulk_draw_ms"), times)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["child"] else main()
