"""Sums of powers of differences between the rows of two arrays, each a Minkowski distance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled, read_only

Array = NDArray[Any]
LANES = 128  # rows side by side
MOST_FACTORS = 16  # of a power that is a product
MANTISSA, ONE = 2**52 - 1, 1023 << 52  # bits of a float
# Series as long as double precision has digits, the last terms first.
LOG_SERIES = np.array([2 / math.log(2) / (2 * k + 1) for k in range(11, -1, -1)])
EXP_SERIES = np.array([math.log(2) ** k / math.factorial(k) for k in range(14, -1, -1)])


def power_sums(X: Array, Z: Array, p: float) -> Array:
    """Return ``sum_j |x_j - z_j|^p`` for each pair of rows, and for p = inf the largest term.

    A power that is a multiple of a quarter is a product of roots, any other the exponential of a
    logarithm.

    Examples
    --------
    >>> import numpy as np
    >>> power_sums(np.array([[3.0, 4.0]]), np.zeros((1, 2)), 3)
    array([[91.]])
    """
    sums = np.zeros((len(X), len(Z)))
    whole, quarters = divmod(round(4 * p), 4) if is_product(p) else (-1, 0)
    X, Z = (read_only(np.ascontiguousarray(rows)) for rows in (X, Z))
    add_powers(X, Z, float(p), whole, quarters, sums)
    return sums


def is_product(p: float) -> bool:
    """Tell whether a power is soon computed, as a product of roots.

    Examples
    --------
    >>> is_product(1.75), is_product(1.8)
    (True, False)
    """
    return p <= MOST_FACTORS and 4 * p == round(4 * p)


def root_of_sums(sums: Array, p: float) -> Array:
    """Return the distances that `power_sums` are the powers of.

    Examples
    --------
    >>> import numpy as np
    >>> root_of_sums(np.array([8.0]), 3)
    array([2.])
    """
    return sums if p == 1 or math.isinf(p) else np.sqrt(sums) if p == 2 else sums ** (1 / p)


@compiled
def add_powers(X, Z, p, whole, quarters, sums):  # type: ignore[no-untyped-def]
    """Add the powers to the sums, or keep the largest gap where p is infinite.

    Rows of Z lie side by side in a tile, so that loops run over them and vectorise.
    """
    n_features, n_fours = X.shape[1], X.shape[1] // 4 * 4
    tile, terms = np.empty((n_features, LANES)), np.empty(LANES)
    gaps = np.empty(LANES)
    for first in range(0, len(Z), LANES):
        n_rows = min(LANES, len(Z) - first)

        # Turn a tile of rows of Z.
        for i in range(n_rows):
            for j in range(n_features):
                tile[j, i] = Z[first + i, j]
        for q in range(len(X)):
            row, total = X[q], sums[q, first : first + n_rows]

            # The power 1 needs no gaps in store: four features at a time, then the last ones.
            if p == 1:
                for j in range(0, n_fours, 4):
                    add_four(row[j : j + 4], tile[j : j + 4], total)
                for j in range(n_fours, n_features):
                    values, value = tile[j], row[j]
                    for i in range(n_rows):
                        total[i] += abs(value - values[i])
                continue

            # Other powers: the gaps in one feature, then their powers or their maximum.
            for j in range(n_features):
                values, value = tile[j], row[j]
                for i in range(n_rows):
                    gaps[i] = abs(value - values[i])
                if math.isinf(p):
                    for i in range(n_rows):
                        total[i] = max(total[i], gaps[i])
                    continue
                raise_to(gaps[:n_rows], p, whole, quarters, terms)
                for i in range(n_rows):
                    total[i] += terms[i]


@compiled
def add_four(row, tile, total):  # type: ignore[no-untyped-def]
    """Add the gaps of four features at once, since most time goes into the sums."""
    a, b, c, d = row[0], row[1], row[2], row[3]
    first, second, third, fourth = tile[0], tile[1], tile[2], tile[3]
    for i in range(len(total)):
        near = abs(a - first[i]) + abs(b - second[i])
        total[i] += near + abs(c - third[i]) + abs(d - fourth[i])


@compiled
def raise_to(gaps, p, whole, quarters, terms):  # type: ignore[no-untyped-def]
    """Write the powers of the gaps: products where `whole` is not negative."""
    if whole < 0:
        raise_by_logarithms(gaps, p, terms)
        return
    for i in range(len(gaps)):
        terms[i] = 1.0 if whole == 0 else gaps[i]
    for _ in range(whole - 1):
        for i in range(len(gaps)):
            terms[i] *= gaps[i]
    if quarters >= 2:
        for i in range(len(gaps)):
            terms[i] *= np.sqrt(gaps[i])
    if quarters % 2:
        for i in range(len(gaps)):
            terms[i] *= np.sqrt(np.sqrt(gaps[i]))


@compiled
def raise_by_logarithms(gaps, p, terms):  # type: ignore[no-untyped-def]
    """Write powers as ``2^(p log2 gap)``, by series, so that loops vectorise.

    With m, the digits of a gap, between the roots of 1/2 and 2, log m is twice the inverse
    hyperbolic tangent of (m - 1) / (m + 1).
    """
    logs = np.empty(len(gaps))
    gap_bits, log_bits, term_bits = gaps.view(np.int64), logs.view(np.int64), terms.view(np.int64)

    # Give each gap the exponent 0: what remains is its mantissa, from 1 to 2.
    for i in range(len(gaps)):
        log_bits[i] = (gap_bits[i] & MANTISSA) | ONE
    for i in range(len(gaps)):
        # Move the mantissa to between the roots of 1/2 and 2, where the series converges fast.
        digits, exponent = logs[i], np.float64((gap_bits[i] >> 52) - 1023)
        large = digits > np.sqrt(2.0)
        digits, exponent = (0.5 * digits, exponent + 1) if large else (digits, exponent)

        # log2 m = (2 / log 2) sum over k of ratio^(2k + 1) / (2k + 1), by Horner's rule; the result
        # is clipped to exponents of normal numbers.
        ratio = (digits - 1) / (digits + 1)
        square, series = ratio * ratio, 0.0
        for k in range(len(LOG_SERIES)):
            series = series * square + LOG_SERIES[k]
        logs[i] = max(-1022.0, min(p * (exponent + ratio * series), 1023.0))
    for i in range(len(gaps)):
        # 2^f for the fraction f of the logarithm: sum over k of (f log 2)^k / k!.
        exponent, series = np.rint(logs[i]), 0.0
        for k in range(len(EXP_SERIES)):
            series = series * (logs[i] - exponent) + EXP_SERIES[k]
        terms[i] = series
        logs[i] = exponent

    # Add the whole part of the logarithm to the exponent bits; a gap of zero stays zero.
    for i in range(len(gaps)):
        term_bits[i] += np.int64(logs[i]) << 52
    for i in range(len(gaps)):
        terms[i] = 0.0 if gaps[i] == 0 else terms[i]
