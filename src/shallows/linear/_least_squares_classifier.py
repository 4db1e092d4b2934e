"""Linear classifier trained by least squares."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import NonNegativeFloat, check_params
from shallows._core.numerics.threads import quick_lapack
from shallows.linear._least_squares import least_squares
from shallows.linear._ridge_path import decompose, path_weights


class LeastSquaresClassifier(ClassifierMixin, BaseEstimator):
    r"""Linear functions fitted to coded classes by least squares, and a threshold.

    Two classes are coded as 0 and 1 with threshold 1/2, or as -1 and +1 with threshold 0: with
    an offset :math:`w_{\pm} = 2 w_{01}` and both cut along the same plane. More classes get one
    function each, fitted to 1 for members and to 0 or -1 for others, and the largest wins.

    It needs no iteration and is near the best linear classifier where classes are Gaussian
    with equal covariance. But squared error punishes samples far on the right side as well,
    so it may misclassify points that a perceptron separates, and of three classes in a row
    the middle one may win nowhere.

    Parameters
    ----------
    coding : str, default="01"
        "01" for targets 0 and 1, "pm1" for -1 and +1.
    alpha : float, default=0.0
        Penalty on the squared weights, as in ridge regression.
    fit_intercept : bool, default=True
        Whether to fit the offset b; the weights then belong to centred data.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features_in_) or (n_classes, n_features_in_)
        Weights, of the second class alone where there are two.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    threshold_ : float
        The value of the function at which two classes meet.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.data import least_squares_counterexample
    >>> from shallows.linear import LeastSquaresClassifier
    >>> X, y = least_squares_counterexample()
    >>> LeastSquaresClassifier().fit(X, y).predict(X)
    array([0., 0., 0., 1.])
    """

    def __init__(
        self,
        coding: Literal["01", "pm1"] = "01",
        *,
        alpha: NonNegativeFloat = 0.0,
        fit_intercept: bool = True,
    ):
        self.coding = coding
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    def fit(self, X, y, sample_weight=None):
        """Fit the functions.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : LeastSquaresClassifier
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_labelled(self, X, y, sample_weight, sparse=True)
        # Regression on the class indicators; the largest output wins.
        targets = coded(y, len(self.classes_), self.coding)
        with quick_lapack(X.shape[1]):
            if self.alpha == 0:
                coef, offset = least_squares(X, targets, weights, self.fit_intercept)[:2]
            else:
                found = decompose(X, targets, weights, self.fit_intercept, self.alpha)
                path, offsets = path_weights(found, np.array([self.alpha]))
                coef, offset = path[0].T, offsets[0]
        self.coef_ = np.ascontiguousarray(coef.T, dtype=X.dtype)
        self.intercept_ = offset.astype(X.dtype)
        self.threshold_ = 0.5 if self.coding == "01" else 0.0
        return self

    def decision_function(self, X):
        """Return the values of the functions, less the threshold where there are two classes.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values mean ``classes_[1]``.
        """
        values = check_new(self, X, sparse=True) @ self.coef_.T + self.intercept_
        return values[:, 0] - values.dtype.type(self.threshold_) if values.shape[1] == 1 else values

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self.decision_function(X)
        return self.classes_[scores.argmax(1) if scores.ndim == 2 else (scores > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def coded(y, n_classes, coding="01"):
    """Return one column of targets per class, or of the second of two classes alone."""
    own = np.arange(n_classes) if n_classes > 2 else np.array([1])
    members = (y[:, None] == own).astype(np.float64)
    return members if coding == "01" else 2 * members - 1
