"""The distribution of the privacy loss of a whole plan, on a grid, from above.

**One part.** A privacy profile H(alpha) = delta(ln alpha) is convex, so straight lines between its values at grid
points lie above it: they are the profile of a pair of distributions with atoms on the grid, which dominates the part
(Doroshenko et al. 2022). Only upper bounds at the grid points are needed. For negative epsilon, H(1/alpha) = 1 - (1 -
H(alpha)) / alpha holds because the profile covers both directions.

**All parts.** Losses of a pair add, so their distributions convolve. The Fourier transform does it for any number of
copies; its rounding is an absolute error, so every distribution is first tilted by exp(lambda * loss) towards the
epsilon that is read, where the error becomes relative to delta. Bounds on the rounding, on the mass beyond the window
and on the rounding of the profiles are added to every reading.

This holds for one plan, whose parameters are fixed before its first answer; not for questions chosen one after another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["Losses"]

_Array = np.ndarray[Any, Any]
Profile = Callable[[_Array], _Array]
_POINTS = 1 << 16  # grid points for one part, at the most, on either side of zero
_WINDOW = 1 << 18  # grid points for the sum
_LONGEST = 690.0  # the largest loss tabulated: exp of it is still a double
_NEGLIGIBLE = 1e-25  # a profile below this ends the grid; what is left is counted as disclosed


@dataclass(frozen=True)
class _Atoms:
    """Masses at losses k * step for k = first, first + 1, ...; `infinite` is disclosed."""

    mass: _Array
    first: int
    step: float
    infinite: float
    count: int

    @property
    def losses(self) -> _Array:
        return (self.first + np.arange(self.mass.size)) * self.step

    @property
    def hopeless(self) -> bool:
        """Whether next to nothing of it is hidden, so that nothing can be said of a sum."""
        return float(np.maximum(self.mass, 0.0).sum()) < 1e-9

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """ln E exp(tilt * loss), and mean and variance under that tilt."""
        losses = self.losses
        exponents = tilt * losses
        top = float(exponents.max())
        weights = np.maximum(self.mass, 0.0) * np.exp(exponents - top)
        total = float(weights.sum())
        mean = float(np.dot(weights, losses)) / total
        return top + math.log(total), mean, float(np.dot(weights, (losses - mean) ** 2)) / total


@dataclass(frozen=True)
class Losses:
    """The tilted distribution of a plan's loss: mass exp(tilt * loss - scale), good for reading delta near the epsilon
    it was made for."""

    tilted: _Array
    first: int
    step: float
    tilt: float
    scale: float
    rounding: float
    missing: float
    """Mass that could lie above the window, disclosed mass, and the rounding of the profiles."""
    lowest: float
    """The least epsilon that can be read: the window's lower end, or minus infinity where the window holds all."""

    @classmethod
    def of(cls, parts: Sequence[tuple[Profile, Fraction | None, int]], near: float) -> Losses:
        """The plan's losses, tilted so that `near` is typical."""
        coarse = [_atoms(profile, _reach(profile, pure) / 256, 256, count) for profile, pure, count in parts]
        if any(atoms.hopeless for atoms in coarse):
            return cls(np.zeros(1), 0, 1.0, 0.0, 0.0, 0.0, 1.0, math.inf)
        tilt = _tilt(coarse, near)
        moments = [atoms.cumulants(tilt) for atoms in coarse]
        spread = math.sqrt(sum(a.count * v for a, (_, _, v) in zip(coarse, moments, strict=True))) + max(
            a.step for a in coarse
        )
        support = sum(a.count * a.step * (a.mass.size + 2) for a in coarse)
        step = max(min(40 * spread, support) / _WINDOW, max(a.step for a in coarse) * 256 / _POINTS)
        fine = [_atoms(p, step, math.ceil(_reach(p, pure) / step), count) for p, pure, count in parts]
        return cls._convolved(fine, coarse, tilt, step)

    @classmethod
    def _convolved(cls, parts: list[_Atoms], coarse: list[_Atoms], tilt: float, step: float) -> Losses:
        cumulants = [atoms.cumulants(tilt) for atoms in parts]
        scale = sum(atoms.count * c[0] for atoms, c in zip(parts, cumulants, strict=True))
        centre = sum(atoms.count * c[1] for atoms, c in zip(parts, cumulants, strict=True))
        length = sum(atoms.count * (atoms.mass.size - 1) for atoms in parts) + 1
        size = 1 << max(4, min(length, 2 * _WINDOW) - 1).bit_length()
        whole = length <= size
        lowest = sum(atoms.count * atoms.first for atoms in parts)
        first = lowest if whole else round(centre / step) - size // 2
        transform = np.ones(size // 2 + 1, dtype=complex)
        for atoms, (log_total, _, _) in zip(parts, cumulants, strict=True):
            weights = atoms.mass * np.exp(tilt * atoms.losses - log_total)
            rows = -(-weights.size // size)  # a part wider than the window wraps around it
            folded = np.pad(weights, (0, rows * size - weights.size)).reshape(rows, size).sum(axis=0)
            transform *= np.fft.rfft(folded) ** atoms.count
        total = np.roll(np.fft.irfft(transform, size), (lowest - first) % size)
        copies = sum(atoms.count for atoms in parts)
        kept = sum(atoms.count * math.log1p(-min(atoms.infinite, 1 - 1e-16)) for atoms in parts)
        missing = -math.expm1(kept) * (1 + 1e-12) + 4e-16 * copies
        if not whole:
            missing += _beyond(parts, coarse, (first + size) * step)
        rounding = 2.3e-16 * (copies + 1) * 10 * size.bit_length()
        readable = -math.inf if whole else (first + 1) * step
        return cls(total, first, step, tilt, scale, rounding, missing, readable)

    def delta(self, epsilon: float) -> float:
        """An upper bound on the plan's delta at an epsilon."""
        if epsilon < self.lowest:
            return 1.0  # losses between this epsilon and the window are not tabulated
        start = max(math.floor(epsilon / self.step) + 1 - self.first, 0)
        losses = (self.first + np.arange(start, self.tilted.size)) * self.step
        if losses.size and self.scale - self.tilt * losses[0] > 300:
            return 1.0  # so far below the epsilon this was made for, nothing can be said
        back = np.exp(self.scale - self.tilt * losses)
        above = float(np.sum(self.tilted[start:] * back * -np.expm1(np.minimum(epsilon - losses, 0.0))))
        errors = float(np.sum(back)) * self.rounding
        return min(max(above, 0.0) * (1 + 1e-10) + errors + self.missing, 1.0)


def _reach(profile: Profile, pure: Fraction | None) -> float:
    """The largest loss that needs a grid point."""
    if pure is not None and pure <= _LONGEST:
        return float(pure)
    reach, floor = 1e-3, float(profile(np.array([_LONGEST]))[0])
    while reach < _LONGEST and float(profile(np.array([reach]))[0]) > floor + _NEGLIGIBLE:
        reach *= 1.2
    return min(reach, _LONGEST)


def _atoms(profile: Profile, step: float, points: int, count: int) -> _Atoms:
    """Straight lines through the profile at k * step, |k| <= points, as atoms. Negative roundings are kept: they cancel
    in every sum."""
    k = np.arange(points + 1)
    d = np.minimum(profile(k * step), 1.0)
    growth = math.exp(step)
    slope = np.diff(d)  # of the right half; on the left 1 - H(exp(-x)) = exp(-x) (1 - H(exp x))
    c = np.exp(-k * step) * (1 - d)
    rise = -np.diff(c)  # c[k] - c[k+1] >= 0, from the left half
    right = (slope[1:] - growth * slope[:-1]) / (growth - 1)
    left = (growth * rise[1:] - rise[:-1]) / (growth - 1)
    centre = (slope[0] + growth * rise[0]) / (growth - 1)
    lowest = -rise[-1] / (growth - 1) + c[-1] if points else 0.0
    highest = -growth * slope[-1] / (growth - 1)
    mass = np.concatenate([[lowest], left[::-1], [centre], right, [highest]])
    return _Atoms(mass, -points, step, float(d[-1]), count)


def _tilt(parts: list[_Atoms], near: float) -> float:
    """The tilt under which the mean loss is `near`; any other would be valid too."""
    low, high = 0.0, 1.0
    mean: Callable[[float], float] = lambda t: sum(a.count * a.cumulants(t)[1] for a in parts)  # noqa: E731
    if mean(0.0) >= near:
        return 0.0
    longest = max(-a.first * a.step for a in parts)
    while mean(high) < near and high * longest < 600:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < near else (low, middle)
    return high


def _beyond(parts: list[_Atoms], coarse: list[_Atoms], loss: float) -> float:
    """Chernoff's bound on the chance that the sum exceeds a loss; the tilt is chosen coarsely, and any is valid."""
    tilt = _tilt(coarse, loss)
    exponent = sum(a.count * a.cumulants(tilt)[0] for a in parts) - tilt * loss
    return math.exp(min(exponent, 0.0))
