"""Long runs: 10**9 kernel-seeded draws of each law against exact probabilities.

Left out unless TWOWORLDS_SLOW=1; TWOWORLDS_DRAWS sets the number of draws. Probabilities come from mpmath and not from
the laws' own formulas. Together all checks of all laws raise a false alarm with probability below 1e-6. A draw is
counted and forgotten, so memory stays small. Draws made one at a time take another path and are checked too: 500 times
fewer of them.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from twoworlds.noise import DiscreteGaussian, DiscreteLaplace, compiled

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.environ.get("TWOWORLDS_SLOW") != "1", reason="a long run: set TWOWORLDS_SLOW=1"),
]

DRAWS = int(os.environ.get("TWOWORLDS_DRAWS", 10**9))
CHUNK = 1 << 21
LEAST = 50  # expected draws in a cell
RARE = 1e-6  # the tail that is counted by itself, on each side

LAWS = [
    *(DiscreteLaplace(scale) for scale in (10, Fraction(1, 3), 1000, Fraction(2**16, 3))),
    *(DiscreteGaussian(variance) for variance in (100, 1, 10**6, 64**2)),  # 64**2: the least that is drawn in blocks
]
SINGLE = 500  # a single draw takes the time of this many drawn at once
CHECKS_EACH = 2 * 6  # in bulk and one at a time: chi-square too large and too small, two tails, size, balance
SIGNIFICANCE = 1e-6 / (len(LAWS) * CHECKS_EACH)

_Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Exact:
    """P(X = k) for k = 0..reach and P(X > reach), of a symmetric law; `above` is P(X > k)."""

    pmf: _Array
    above: _Array

    @property
    def reach(self) -> int:
        return self.pmf.size - 1


def exact(law: DiscreteLaplace | DiscreteGaussian, least_tail: float) -> Exact:
    """Exact probabilities out to where the upper tail falls below `least_tail`."""
    with mpmath.workdps(30):
        if isinstance(law, DiscreteLaplace):
            return exact_laplace(law.scale, least_tail)
        return exact_gaussian(law.parameter, least_tail)


def exact_laplace(scale: Fraction, least_tail: float) -> Exact:
    """P(X = k) = (1 - q) q**k / (1 + q) and P(X > k) = q**(k + 1) / (1 + q), q = exp(-1 / scale)."""
    q = mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator)
    power, pmf, above = mpmath.mpf(1), [], [1.0]
    while above[-1] >= least_tail:
        pmf.append(float(power * (1 - q) / (1 + q)))
        power *= q
        above.append(float(power / (1 + q)))
    return Exact(np.array(pmf), np.array(above[1:]))


def exact_gaussian(variance: Fraction, least_tail: float) -> Exact:
    """Sums of exp(-k**2 / 2v), from the far end."""
    twice = 2 * mpmath.mpf(variance.numerator) / variance.denominator
    far = 14 * math.isqrt(math.ceil(variance)) + 14  # exp(-14**2 / 2) is 1e-43
    weights = [mpmath.exp(-mpmath.mpf(k * k) / twice) for k in range(far + 1)]
    above = [mpmath.mpf(0)]
    for weight in reversed(weights[1:]):
        above.append(above[-1] + weight)
    above.reverse()
    total = 1 + 2 * above[0]
    tails = np.array([float(tail / total) for tail in above])
    reach = int(np.argmax(tails < least_tail))
    return Exact(np.array([float(w / total) for w in weights[: reach + 1]]), tails[: reach + 1])


def counts(law: DiscreteLaplace | DiscreteGaussian, reach: int, draws: int, *, single: bool) -> _Array:
    """How many draws fell on each of -reach..reach; the first and last entry hold what lies beyond."""
    found = np.zeros(2 * reach + 3, dtype=np.int64)
    for start in range(0, draws, CHUNK):
        n = min(CHUNK, draws - start)
        x = np.array([law.sample() for _ in range(n)]) if single else law.sample(n)
        np.clip(x, -reach - 1, reach + 1, out=x)
        x += reach + 1
        found += np.bincount(x, minlength=found.size)
    return found


def cells(pmf: _Array, tail: float, draws: int) -> _Array:
    """Where merged cells begin, as offsets from k = 1 outwards; the last cell takes the tail as well."""
    starts, inside = [0], 0.0
    for k, p in enumerate(pmf[1:].tolist()):
        if inside * draws >= LEAST:
            starts.append(k)
            inside = 0.0
        inside += p
    if (inside + tail) * draws < LEAST and len(starts) > 1:
        starts.pop()
    return np.array(starts)


def chi_square(found: _Array, law: Exact, draws: int) -> tuple[float, int]:
    """Pearson's statistic over merged cells, and its degrees of freedom."""
    zero = law.reach + 1
    starts = cells(law.pmf, law.above[-1], draws)
    expected = draws * np.add.reduceat(np.append(law.pmf[1:], law.above[-1]), starts)
    sides = [np.add.reduceat(side, starts) for side in (found[zero + 1 :], found[:zero][::-1])]
    terms = [np.sum((side - expected) ** 2 / expected) for side in sides]
    middle = draws * law.pmf[0]
    return float(sum(terms) + (found[zero] - middle) ** 2 / middle), 2 * starts.size


def moments(found: _Array, law: Exact, draws: int) -> tuple[float, float]:
    """p-values of the sums of |x| and of x: a wrong scale shows there long before it shows in cells."""
    k = np.arange(-law.reach - 1, law.reach + 2)
    upper = np.append(law.pmf[1:], law.above[-1])
    p = np.concatenate([upper[::-1], law.pmf[:1], upper])
    size = float(np.dot(p, np.abs(k)))
    square = float(np.dot(p, k.astype(float) ** 2))
    z_size = (int(np.dot(found, np.abs(k))) - draws * size) / math.sqrt(draws * (square - size**2))
    z_balance = int(np.dot(found, k)) / math.sqrt(draws * square)
    return 2 * float(stats.norm.sf(abs(z_size))), 2 * float(stats.norm.sf(abs(z_balance)))


def tails(found: _Array, law: Exact, draws: int) -> dict[str, Any]:
    """How many draws lie beyond the quantile that has at most RARE above it, on either side, with p-values."""
    rare = int(np.argmax(law.above <= RARE))
    chance, zero = float(law.above[rare]), law.reach + 1
    upper, lower = int(found[zero + rare + 1 :].sum()), int(found[: zero - rare].sum())
    return {
        "tail_expected": f"{draws * chance:.1f}",
        "upper_tail": upper,
        "lower_tail": lower,
        "p_upper": float(stats.binomtest(upper, draws, chance).pvalue),
        "p_lower": float(stats.binomtest(lower, draws, chance).pvalue),
    }


@pytest.mark.parametrize("single", [False, True], ids=["bulk", "one at a time"])
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_law_of_many_draws(law: DiscreteLaplace | DiscreteGaussian, single: bool, record_property: Any) -> None:
    draws = DRAWS // SINGLE if single else DRAWS
    truth = exact(law, min(LEAST / draws, RARE))
    found = counts(law, truth.reach, draws, single=single)
    assert found.sum() == draws
    statistic, degrees = chi_square(found, truth, draws)
    p_size, p_balance = moments(found, truth, draws)
    facts = {
        "law": repr(law),
        "how": "one at a time" if single else "compiled loop" if compiled() else "NumPy alone",
        "draws": draws,
        "cells": degrees + 1,
        "chi_square": f"{statistic:.2f}",
        "p_fit": float(stats.chi2.sf(statistic, degrees)),
        "p_size": p_size,
        "p_balance": p_balance,
        **tails(found, truth, draws),
    }
    for name, value in facts.items():
        record_property(name, f"{value:.4g}" if isinstance(value, float) else value)
    assert facts["p_fit"] < 1 - SIGNIFICANCE, facts
    assert min(value for name, value in facts.items() if name.startswith("p_")) > SIGNIFICANCE, facts
