"""Removal of outliers from training data."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, clone

from shallows._core.contract.data import check_paired, check_rows
from shallows._core.contract.params import Detector, PositiveFloat, check_params

NORMAL_QUARTILE = 0.6744897501960817  # median absolute deviation of the standard normal


class OutlierRemover(BaseEstimator):
    """Drop rows that an outlier detector rejects, only in training.

    It has `fit_resample`, so it can be a step of an imbalanced-learn pipeline, which calls it in
    training and skips it for new data.

    Parameters
    ----------
    detector : outlier detector or None, default=None
        A detector with a `fit_predict` that returns -1 for outliers, such as
        :class:`sklearn.neighbors.LocalOutlierFactor`. With None a row is an outlier if one of its
        features is far from the median [1]_.
    threshold : float, default=3.5
        Largest accepted distance of the default rule, in robust standard deviations.
    by_class : bool, default=False
        Whether to search outliers within each class, so that a small class is not mistaken for
        outliers.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Rows that are kept.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers", 1993.

    Examples
    --------
    >>> from shallows.prepare import OutlierRemover
    >>> X = [[1.0], [1.1], [0.9], [1.2], [50.0]]
    >>> OutlierRemover().fit_resample(X, [0, 0, 1, 1, 1])[0].ravel()
    array([1. , 1.1, 0.9, 1.2])
    """

    def __init__(
        self,
        detector: Detector | None = None,
        *,
        threshold: PositiveFloat = 3.5,
        by_class: bool = False,
    ):
        self.detector = detector
        self.threshold = threshold
        self.by_class = by_class

    def fit(self, X, y=None):
        """Find the outliers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or None, default=None
            Labels, needed with `by_class` only.

        Returns
        -------
        self : OutlierRemover
            The fitted remover.
        """
        check_params(self)
        if self.by_class and y is None:
            raise ValueError("OutlierRemover: by_class=True requires y to be passed.")
        if self.by_class:
            X, labels = check_paired(self, X, y)
        else:
            X = check_rows(self, X)
            labels = np.zeros(len(X))
        kept = np.zeros(len(X), dtype=bool)
        for label in np.unique(labels):
            own = labels == label
            kept[own] = self._inliers(X[own])
        if not kept.any():
            raise ValueError("OutlierRemover: the detector rejected every row.")
        self.sample_indices_ = np.flatnonzero(kept)
        return self

    def fit_resample(self, X, y):
        """Return the rows that are not outliers.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Labels or targets.

        Returns
        -------
        X : ndarray or data frame
            Rows that are kept.
        y : ndarray or series
            Their labels.
        """
        self.fit(X, y)
        return _take(X, self.sample_indices_), _take(y, self.sample_indices_)

    def _inliers(self, X):
        if self.detector is not None:
            return clone(self.detector).fit_predict(X) != -1
        centred = np.abs(X - np.median(X, axis=0))
        spread = np.median(centred, axis=0) / NORMAL_QUARTILE
        # If more than half of the values are equal, there is no scale to judge the others by.
        return (centred <= np.where(spread > 0, self.threshold * spread, np.inf)).all(axis=1)


def _take(values, rows):
    return values.iloc[rows] if hasattr(values, "iloc") else np.asarray(values)[rows]
