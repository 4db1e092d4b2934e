"""The ROC curve with a simultaneous confidence band."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import kstwo

from shallows._core.contract.params import Fraction, check_value
from shallows.validate._inputs import Floats, binary_scores, threshold_counts

GRID = 401


@dataclass(frozen=True, eq=False)
class RocBand:
    """A ROC curve and its band at a grid of false positive rates.

    Parameters
    ----------
    fpr : ndarray
        False positive rates from 0 to 1.
    tpr : ndarray
        True positive rate of the curve at each of them; at a jump, the upper end.
    low, high : ndarray
        Ends of the band.
    auc : float
        Area under the curve.
    level : float
        Least probability that the band contains the whole true curve.

    Examples
    --------
    >>> from shallows.validate import roc_band
    >>> band = roc_band([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> band.auc, band.high[-1]
    (0.75, np.float64(1.0))
    """

    fpr: Floats
    tpr: Floats
    low: Floats
    high: Floats
    auc: float
    level: float


def roc_band(y_true: ArrayLike, scores: ArrayLike, *, level: Fraction = 0.95) -> RocBand:
    r"""Return the ROC curve with a simultaneous Kolmogorov-Smirnov band.

    Both rates are distribution functions of the scores, one per class. With probability `level`
    the empirical ones differ nowhere from the true ones by more than :math:`d_+` and :math:`d_-`,
    the exact Kolmogorov distances for the two sample sizes at level :math:`\sqrt{\mathrm{level}}`.
    Hence the true curve lies between the empirical curve moved by :math:`(d_-, -d_+)` and by
    :math:`(-d_-, d_+)` [1]_. This is valid for any distribution and sample size; with ties, and
    away from the middle, the band is wider than necessary. Tied scores are one step of the curve,
    drawn as a straight line.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of two classes; the greater one is positive.
    scores : array-like of shape (n_samples,)
        Higher for the positive class.
    level : float, default=0.95
        Least probability that the band contains the whole true curve.

    Returns
    -------
    band : RocBand
        Curve and band at 401 equally spaced false positive rates.

    References
    ----------
    .. [1] G. Campbell, "Advances in statistical methodology for the evaluation of diagnostic and
       laboratory tests", Statistics in Medicine 13, 499-508, 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import roc_band
    >>> y = np.repeat([0, 1], 500)
    >>> band = roc_band(y, y + np.random.default_rng(0).normal(size=1000))
    >>> f"at a false positive rate of 0.2: {band.low[80]:.2f} to {band.high[80]:.2f}"
    'at a false positive rate of 0.2: 0.36 to 0.70'
    """
    check_value("roc_band", "level", Fraction, level)
    positive, numbers = binary_scores("roc_band", y_true, scores)
    _, tp, fp = threshold_counts(positive, numbers)
    fpr, tpr = np.append(0, fp / fp[-1]), np.append(0, tp / tp[-1])
    up, across = (_distance(level, int(n)) for n in (tp[-1], fp[-1]))
    grid = np.linspace(0, 1, GRID)
    # Shift the curve right and down for the lower end, left and up for the upper end.
    low = np.where(grid < across, 0.0, _height(fpr, tpr, grid - across, "left") - up)
    high = _height(fpr, tpr, grid + across, "right") + up
    low[-1] = 1.0
    return RocBand(
        grid,
        _height(fpr, tpr, grid, "right"),
        np.maximum(low, 0),
        np.minimum(high, 1),
        float(np.trapezoid(tpr, fpr)),
        level,
    )


@cache
def _distance(level: float, n: int) -> float:
    """Return the Kolmogorov distance of n samples; cached, because SciPy is slow."""
    return float(kstwo.ppf(np.sqrt(level), n))


def _height(fpr: Floats, tpr: Floats, at: Floats, side: Literal["left", "right"]) -> Floats:
    """Return the height of the curve; `side` selects the end of a jump."""
    at = np.clip(at, 0, 1)
    place = np.searchsorted(fpr, at, side=side)
    left, right = np.maximum(place - 1, 0), np.minimum(place, len(fpr) - 1)
    width = fpr[right] - fpr[left]
    share = np.divide(at - fpr[left], width, out=np.zeros_like(at), where=width > 0)
    return tpr[left] + share * (tpr[right] - tpr[left])
