"""From scores to outliers: by a threshold or by a share."""

from __future__ import annotations

import numpy as np

from shallows._core.params import Fraction


def flag(index, *, fraction: Fraction | None = None, threshold: float | None = None):
    """Tell which rows are outliers.

    Parameters
    ----------
    index : array-like of shape (n_samples,)
        Larger for stranger rows, such as the `index_` of a detector.
    fraction : float, optional
        Share of rows to call outliers: the ``ceil(fraction * n)`` largest, and those as large as
        the last of them.
    threshold : float, optional
        Call rows above it outliers; exactly one of the two must be given.

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
    """
    index = np.asarray(index, dtype=np.float64)
    if (fraction is None) == (threshold is None):
        raise ValueError("flag needs either a fraction or a threshold.")
    if index.ndim != 1 or not len(index) or np.isnan(index).any():
        raise ValueError("flag: index must be a sequence of numbers without gaps.")
    if threshold is not None:
        return index > threshold
    if fraction is None or not 0 < fraction < 1:
        raise ValueError(f"flag: fraction must lie between 0 and 1, got {fraction!r}.")
    n_flagged = int(np.ceil(fraction * len(index)))
    return index >= np.sort(index)[-n_flagged]
