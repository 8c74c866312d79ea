"""Certified integer enclosures: numbers known to lie between two integers over a power of two.

The samplers compare uniform bits with probabilities. No double decides such a comparison: a probability is enclosed
here, outward rounded, to any precision that a comparison turns out to need.
"""

from __future__ import annotations

from fractions import Fraction

__all__ = ["Interval", "divide", "exp_minus", "multiply"]

Interval = tuple[int, int]
"""(low, high) with low <= 2**precision * x <= high."""


def exp_minus(t: Fraction, precision: int) -> Interval:
    """An enclosure of exp(-t), t >= 0, at a precision in bits.

    Argument reduction to below 1/2, the alternating series with every term enclosed, then repeated squaring. Each
    squaring doubles the relative error, which the guard bits cover.

    >>> low, high = exp_minus(Fraction(1), 50)
    >>> low <= 0.36787944117144233 * 2**50 <= high, high - low <= 2
    (True, True)
    """
    if not t:
        return 1 << precision, 1 << precision
    if t > precision:  # exp(-t) < 2**-t <= 2**-precision
        return 0, 1
    halvings = int(t).bit_length() + 1  # t / 2**halvings < 1/2
    work = precision + halvings + 24
    one = 1 << work
    x_low = (t.numerator << work) // (t.denominator << halvings)
    x_high = x_low + 1
    low = high = term_low = term_high = one
    n = 0
    while term_high > 1:
        n += 1
        term_low = term_low * x_low // (n << work)
        term_high = -(-term_high * x_high // (n << work))
        if n % 2:
            low, high = low - term_high, high - term_low
        else:
            low, high = low + term_low, high + term_high
    low, high = low - 1, high + 1  # the terms left out are below the last one
    for _ in range(halvings):
        low, high = low * low >> work, -(-high * high >> work)
    drop = work - precision
    return max(low >> drop, 0), min(-(-high >> drop), 1 << precision)


def multiply(a: Interval, b: Interval, precision: int) -> Interval:
    """The product of two non-negative enclosures."""
    return a[0] * b[0] >> precision, -(-(a[1] * b[1]) >> precision)


def divide(a: Interval, b: Interval, precision: int) -> Interval:
    """The quotient of two non-negative enclosures; the divisor is above zero."""
    return (a[0] << precision) // b[1], -((-a[1] << precision) // b[0])
