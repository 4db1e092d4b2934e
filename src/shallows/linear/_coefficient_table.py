"""Are the weights of a linear regression different from zero?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, stats
from sklearn.utils.validation import check_X_y

from shallows._core.contract.params import Fraction, check_arguments
from shallows.linear._least_squares import least_squares


@dataclass(frozen=True)
class CoefficientTable:
    """Weights of least squares with standard errors, tests and confidence intervals.

    Parameters
    ----------
    estimate : ndarray of shape (n_weights,)
        Offset first where there is one, then the weights.
    standard_error : ndarray of shape (n_weights,)
        Standard errors.
    t : ndarray of shape (n_weights,)
        Estimate over standard error.
    p_value : ndarray of shape (n_weights,)
        Chance of a larger absolute t if the true weight is zero.
    low, high : ndarray of shape (n_weights,)
        Ends of the confidence intervals.
    residual_deviation : float
        Estimate of the standard deviation of the noise.
    degrees_of_freedom : int
        Samples less weights.
    """

    estimate: np.ndarray
    standard_error: np.ndarray
    t: np.ndarray
    p_value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    residual_deviation: float
    degrees_of_freedom: int


def coefficient_table(
    X, y, *, fit_intercept: bool = True, confidence: Fraction = 0.95
) -> CoefficientTable:
    r"""Test each weight of a linear regression against zero.

    Under Gaussian noise of equal strength each estimate over its standard error
    :math:`s \sqrt{(X'X)^{-1}_{jj}}` follows Student's t with n - p degrees of freedom where the
    true weight is zero. The interval is not one for weights that were chosen by their size.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Inputs, of full rank.
    y : array-like of shape (n_samples,)
        Targets.
    fit_intercept : bool, default=True
        Whether to fit an offset, which is then the first row.
    confidence : float, default=0.95
        Coverage of the intervals.

    Returns
    -------
    table : CoefficientTable
        One entry per weight.

    Examples
    --------
    >>> from shallows.data import make_linear
    >>> from shallows.linear import coefficient_table
    >>> X, y = make_linear(100, [1.0, 0.0], random_state=0)
    >>> coefficient_table(X, y).p_value < 1e-6
    array([False,  True, False])
    """
    check_arguments(coefficient_table, {**locals(), "return": None})
    X, y = check_X_y(X, y, dtype=np.float64, y_numeric=True)
    design = np.hstack([np.ones((len(X), int(fit_intercept))), X])
    freedom = len(design) - design.shape[1]
    solution = least_squares(design, y[:, None], np.ones(len(y)), fit_intercept=False)
    if freedom < 1 or solution.rank < design.shape[1]:
        raise ValueError(
            f"coefficient_table needs more samples than weights and independent columns, got "
            f"{len(design)} samples and {design.shape[1]} weights of rank {solution.rank}."
        )
    estimate = solution.coef[:, 0]
    residuals = y - design @ estimate
    deviation = float(np.sqrt(residuals @ residuals / freedom))

    # Standard errors: the roots of the diagonal of s^2 (X'X)^-1 = s^2 inv(R) inv(R)'.
    inverse = linalg.solve_triangular(
        linalg.qr(design, mode="r")[0][: design.shape[1]], np.eye(design.shape[1])
    )
    error = deviation * np.linalg.norm(inverse, axis=1)
    ratio = np.divide(estimate, error, out=np.full_like(error, np.inf), where=error > 0)
    width = stats.t.ppf((1 + confidence) / 2, freedom) * error
    return CoefficientTable(
        estimate,
        error,
        ratio,
        2 * stats.t.sf(np.abs(ratio), freedom),
        estimate - width,
        estimate + width,
        deviation,
        freedom,
    )
