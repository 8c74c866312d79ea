"""Noise: laws, the source of random bits, exact samplers.

A law is a frozen record that answers `sample`, `logpdf`, `cdf`, `sf`, `quantile`, `mean()` and `variance()`. Integer
laws sample exactly, from the kernel's random bits; densities are for intervals and simulation. `LAWS` lists every kind,
with examples for the law tests.
"""

from __future__ import annotations

from .bits import Source, seeded, source
from .choice import Choice
from .continuous import Exponential, Gaussian, Gumbel, Laplace, Logistic, StudentT
from .derived import NoNoise, Scaled, Sum
from .discrete_gaussian import DiscreteGaussian
from .discrete_laplace import DiscreteLaplace
from .law import LawBase
from .loops import compiled

__all__ = [
    "LAWS",
    "Choice",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "Gaussian",
    "Gumbel",
    "Laplace",
    "LawBase",
    "Logistic",
    "NoNoise",
    "Scaled",
    "Source",
    "StudentT",
    "Sum",
    "compiled",
    "seeded",
    "source",
]

LAWS: dict[type[LawBase], tuple[LawBase, ...]] = {
    Laplace: (Laplace(2), Laplace("0.1")),
    DiscreteLaplace: tuple(DiscreteLaplace(s) for s in ("1/3", 1, "2.5", 1000, 10**9)),
    Gaussian: (Gaussian(1), Gaussian(30)),
    DiscreteGaussian: tuple(DiscreteGaussian(v) for v in ("0.1", 1, 10, 5000, 10**18)),
    Exponential: (Exponential(3),),
    Gumbel: (Gumbel(2),),
    Logistic: (Logistic(2),),
    StudentT: (StudentT(3), StudentT(1), StudentT("2.5", 4)),
    NoNoise: (NoNoise(),),
    Scaled: (
        Scaled(DiscreteLaplace(100), 2.0**-6),
        Scaled(Exponential(1), -2),
        Scaled(Sum(DiscreteLaplace(2), DiscreteLaplace(3)), -0.5),
    ),
    Sum: (
        Sum(DiscreteLaplace(3), DiscreteGaussian(4)),
        Sum(DiscreteLaplace(2), Gaussian(3)),
        Sum(Laplace(2), Gaussian(1)),
        Sum(Laplace(1), StudentT(5)),
        Sum(Exponential(1), Laplace(1)),
    ),
}
"""Every kind of law, with examples: a new kind joins here and inherits the law tests."""
