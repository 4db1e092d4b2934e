"""Features learned from all data, predictions learned from the labelled part."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from shallows._core.contract.data import check_new, check_rows
from shallows._core.contract.params import Predictor, Transformer, check_params
from shallows._core.contract.tags import inner_tags
from shallows._core.contract.targets import as_array, naming


def _estimator_has(name):
    def check(self):
        return hasattr(getattr(self, "estimator_", self.estimator), name)

    return check


Marker = float | str | bool | None


class SemiSupervised(MetaEstimatorMixin, BaseEstimator):
    """Fit a reducer to all rows, and a predictor to the labelled rows.

    If labels are expensive and inputs cheap, a dimension reduction can also use the unlabelled
    rows. Without unlabelled rows this equals a pipeline of both steps.

    Parameters
    ----------
    reducer : transformer
        Fitted to all rows, without labels.
    estimator : classifier or regressor
        Fitted to the transformed rows that have a label.
    unlabelled : object, default=-1
        Marker of unlabelled rows in y. NaN and None always mark them, too.

    Attributes
    ----------
    reducer_ : transformer
        The fitted reducer.
    estimator_ : classifier or regressor
        The fitted estimator.
    classes_ : ndarray of shape (n_classes,)
        Class labels, for classifiers.
    n_labelled_ : int
        Number of labelled rows.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.decomposition import PCA
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from shallows.prepare import SemiSupervised
    >>> X, y = load_digits(return_X_y=True)
    >>> y_known = y.copy()
    >>> y_known[200:] = -1
    >>> model = SemiSupervised(PCA(20), KNeighborsClassifier(1)).fit(X, y_known)
    >>> model.n_labelled_, bool(model.score(X[200:], y[200:]) > 0.8)
    (200, True)
    """

    def __init__(self, reducer: Transformer, estimator: Predictor, *, unlabelled: Marker = -1):
        self.reducer = reducer
        self.estimator = estimator
        self.unlabelled = unlabelled

    def fit(self, X, y):
        """Fit the reducer to all rows and the estimator to the labelled ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Labels or targets, with the marker for unlabelled rows.

        Returns
        -------
        self : SemiSupervised
            The fitted estimator.
        """
        check_params(self)
        if y is None:
            raise ValueError("SemiSupervised requires y to be passed, but the target y is None.")
        X = check_rows(self, X)
        try:
            y = column_or_1d(as_array("SemiSupervised", y, "y"), warn=True)
        except ValueError as error:
            raise naming("SemiSupervised: y", error) from None
        if len(y) != len(X):
            raise ValueError(f"SemiSupervised: X has {len(X)} rows, y has {len(y)}.")
        labelled = ~self._without_label(y)
        if not labelled.any():
            raise ValueError(
                f"SemiSupervised: no row has a label; all are {self.unlabelled!r}, NaN or None."
            )
        self.reducer_ = clone(self.reducer).fit(X)
        known = y[labelled]
        if known.dtype == object and not isinstance(known[0], str):
            known = np.array(known.tolist())
        self.estimator_ = clone(self.estimator).fit(self.reducer_.transform(X[labelled]), known)
        self.n_labelled_ = int(labelled.sum())
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = np.array(self.estimator_.classes_)
        return self

    def predict(self, X):
        """Predict labels or targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        X = self._reduced(X)
        return self.estimator_.predict(X)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X):
        """Predict class probabilities, if the estimator can.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to 1.
        """
        X = self._reduced(X)
        return self.estimator_.predict_proba(X)

    @available_if(_estimator_has("decision_function"))
    def decision_function(self, X):
        """Return the estimator's decision values, if it has any.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values.
        """
        X = self._reduced(X)
        return self.estimator_.decision_function(X)

    def score(self, X, y, sample_weight=None):
        """Return the estimator's score on the labelled rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels or targets; unlabelled rows are ignored.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        score : float
            Accuracy of classifiers, coefficient of determination of regressors.
        """
        y = np.asarray(y)
        labelled = ~self._without_label(y)
        weights = None if sample_weight is None else np.asarray(sample_weight)[labelled]
        return self.estimator_.score(self._reduced(X)[labelled], y[labelled], weights)

    def _reduced(self, X):
        X = check_new(self, X)
        return self.reducer_.transform(X)

    def _without_label(self, y):
        """Return which entries of y are the marker, NaN or None."""
        if y.dtype.kind == "f":
            return np.isnan(y) | (y == self.unlabelled)
        if y.dtype.kind == "O":
            return np.array([v is None or v != v or v == self.unlabelled for v in y], dtype=bool)
        if y.dtype.kind in "US" and not isinstance(self.unlabelled, str):
            return np.zeros(len(y), dtype=bool)
        return y == self.unlabelled

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = inner_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags.required = True
        return tags
