"""Outliers from an index: by a share of rows, a threshold, or the distribution."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from shallows._core.contract.params import FiniteFloat, Fraction, PositiveFloat, check_arguments

NORMAL_SPREAD = 1.4826  # standard deviation / median absolute deviation, for normal data


def flag(
    index,
    *,
    fraction: Fraction | None = None,
    threshold: FiniteFloat | None = None,
    deviations: PositiveFloat | None = None,
):
    """Return which rows are outliers.

    Give exactly one of `fraction`, `threshold` and `deviations`.

    Parameters
    ----------
    index : array-like of shape (n_samples,)
        Larger for more unusual rows, such as the `index_` of a detector.
    fraction : float, optional
        Share of outliers: the ``ceil(fraction * n)`` rows with the largest index, and rows tied
        with the last of them. The usual share is 1 to 5 %.
    threshold : float, optional
        Rows with a larger index are outliers.
    deviations : float, optional
        Decide by the distribution of the index: outliers are rows whose logarithm is more than
        this many robust standard deviations above the median. Normal data reach about 3, so that 5
        is clearly unusual. There may be no outlier at all.

    Returns
    -------
    outlier : ndarray of bool
        True for outliers.

    Examples
    --------
    >>> from shallows.outlier import flag
    >>> flag([1.0, 5.0, 2.0, 9.0], fraction=0.25)
    array([False, False, False,  True])
    >>> flag([1.0, 5.0, 2.0, 9.0], threshold=4)
    array([False,  True, False,  True])
    >>> flag([1.0, 1.2, 0.9, 1.1, 9.0], deviations=5)
    array([False, False, False, False,  True])
    """
    check_arguments(flag, locals())
    rules = {"fraction": fraction, "threshold": threshold, "deviations": deviations}
    given = [name for name, value in rules.items() if value is not None]
    if len(given) != 1:
        raise ValueError(
            "flag needs either a fraction or a threshold or deviations, exactly one of the three, "
            f"got {' and '.join(given) or 'none'}."
        )
    index = np.asarray(index)
    if index.ndim != 1 or not len(index) or index.dtype.kind not in "biuf" or np.isnan(index).any():
        raise ValueError(
            "flag: index must be a sequence of numbers without gaps, one per row, such as index_ "
            f"of a detector, got {_kind_of(index)}."
        )
    if threshold is not None:
        return index > threshold
    if deviations is not None:
        return _far_above(index.astype(np.float64), deviations)
    return index >= np.sort(index)[-count_of(fraction, len(index))]


def count_of(fraction, n):
    """Return ``ceil(fraction * n)`` with the fraction read as a decimal number."""
    return math.ceil(Decimal(str(fraction)) * n)


def _kind_of(index):
    """Return in words why an index is not valid."""
    if index.dtype.kind == "f" and index.ndim == 1 and len(index):
        return f"NaN at {int(np.isnan(index).argmax())}"
    return f"shape {index.shape} of {index.dtype}"


def _far_above(index, deviations):
    if index.min() < 0:
        raise ValueError(
            f"flag: deviations needs an index that is not negative, such as a distance, got "
            f"{index.min():.6g}. Give a fraction or a threshold."
        )
    logs = np.log(np.maximum(index, np.finfo(np.float64).tiny))
    above = logs - np.median(logs)
    spread = NORMAL_SPREAD * np.median(np.abs(above))
    if spread == 0:
        raise ValueError(
            "flag: half or more of the index values are equal, so its distribution has no width. "
            "Give a fraction or a threshold."
        )
    return above > deviations * spread
