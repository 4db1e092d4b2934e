"""From scores to outliers: by a share, by a threshold, or by their distribution."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from shallows._core.contract.params import FiniteFloat, Fraction, PositiveFloat, check_arguments

NORMAL_SPREAD = 1.4826  # standard deviation of normal data over their median deviation


def flag(
    index,
    *,
    fraction: Fraction | None = None,
    threshold: FiniteFloat | None = None,
    deviations: PositiveFloat | None = None,
):
    """Tell which rows are outliers.

    Exactly one of `fraction`, `threshold` and `deviations` says how.

    Parameters
    ----------
    index : array-like of shape (n_samples,)
        Larger for stranger rows, such as the `index_` of a detector.
    fraction : float, optional
        Share of rows to call outliers: the ``ceil(fraction * n)`` largest, and those as large as
        the last of them. The usual share is 1 to 5 %.
    threshold : float, optional
        Call rows above it outliers.
    deviations : float, optional
        Judge by the distribution of the index: call rows outliers whose logarithm lies more than
        so many robust standard deviations above the median. Tails of normal data reach about
        3, so that 5 means something else; then there may be no outlier at all.

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
    """Return ``ceil(fraction * n)`` with the fraction taken as the decimal it is written as."""
    return math.ceil(Decimal(str(fraction)) * n)


def _kind_of(index):
    """Return in words what is wrong with an index."""
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
            "flag: half of the index or more has the same value, so that its distribution has no "
            "width to judge by. Give a fraction or a threshold."
        )
    return above > deviations * spread
