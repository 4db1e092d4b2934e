"""The correlation form of the coefficient of determination."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from shallows.validate._inputs import finite_column


def r_score(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    r"""Return :math:`R = \sqrt{1 - S^2 / S_y^2}`, the square root of R squared.

    :math:`S^2` is the mean squared error and :math:`S_y^2` the variance of the targets. On the
    training data of least squares with intercept, :math:`R` is Pearson's correlation between
    targets and predictions. It is undefined if the predictions are worse than the mean of the
    targets.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Targets.
    y_pred : array-like of shape (n_samples,)
        Predictions.

    Returns
    -------
    r : float
        From 0 (as good as the mean) to 1. NaN with a warning if undefined; use
        `sklearn.metrics.r2_score` then.

    Examples
    --------
    >>> from shallows.validate import r_score
    >>> r_score([1, 2, 3, 4], [2.5, 2.5, 2.5, 2.5]), r_score([1, 2, 3, 4], [1, 2, 3, 4])
    (0.0, 1.0)
    """
    true = finite_column("r_score", "y_true", y_true)
    predicted = finite_column("r_score", "y_pred", y_pred)
    if true.shape != predicted.shape:
        raise ValueError(
            "r_score: y_true and y_pred must be equally long, "
            f"got lengths {len(true)} and {len(predicted)}."
        )
    spread = np.mean((true - true.mean()) ** 2)
    error = np.mean((true - predicted) ** 2)
    if spread == 0 or error > spread:
        why = (
            "all targets are equal"
            if spread == 0
            else f"the predictions are worse than the mean (R squared is {1 - error / spread:.4g})"
        )
        warnings.warn(f"r_score is undefined: {why}.", UndefinedMetricWarning, stacklevel=2)
        return float("nan")
    return float(np.sqrt(1 - error / spread))
