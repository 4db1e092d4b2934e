"""Fill gaps with the mean or median of the class."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from shallows._core.params import check_params
from shallows.prepare._gaps import allow_nan, check_gappy, refuse_empty_columns


class ClassImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fill a gap with the mean or median of its column in the class of the row.

    It needs labels, so it serves training data: `fit_transform(X, y)`. New data have no
    labels; whether their gaps are refused or filled with the statistic over all classes is the
    choice of `unlabelled`. Filling by class makes classes look better separated than they
    are; compare with :class:`sklearn.impute.SimpleImputer` by cross-validation.

    Parameters
    ----------
    strategy : {"mean", "median"}, default="mean"
        What fills a gap.
    unlabelled : {"error", "overall"}, default="error"
        What `transform` does with gaps in rows without label.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    statistics_ : ndarray of shape (n_classes, n_features)
        What fills the gaps of each class; where a class has no value of a column, the
        statistic over all classes.
    overall_ : ndarray of shape (n_features,)
        Statistic over all rows.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import ClassImputer
    >>> X = [[1.0], [3.0], [np.nan], [10.0], [np.nan]]
    >>> ClassImputer().fit_transform(X, ["a", "a", "a", "b", "b"]).ravel()
    array([ 1.,  3.,  2., 10., 10.])
    """

    def __init__(
        self,
        strategy: Literal["mean", "median"] = "mean",
        *,
        unlabelled: Literal["error", "overall"] = "error",
    ):
        self.strategy = strategy
        self.unlabelled = unlabelled

    def fit(self, X, y):
        """Learn the statistics of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, NaN for gaps.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : ClassImputer
            The fitted imputer.
        """
        check_params(self)
        X = check_gappy(self, X, reset=True)
        y = self._labels(X, y)
        refuse_empty_columns(self, X)
        statistic = np.nanmean if self.strategy == "mean" else np.nanmedian
        self.classes_ = np.unique(y)
        self.overall_ = statistic(X, axis=0)
        self.statistics_ = np.tile(self.overall_, (len(self.classes_), 1))
        for k, label in enumerate(self.classes_):
            own = X[y == label]
            known = ~np.isnan(own).all(axis=0)
            self.statistics_[k, known] = statistic(own[:, known], axis=0)
        return self

    def fit_transform(self, X, y):
        """Learn the statistics and fill the gaps of the same, labelled rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, NaN for gaps.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        filled : ndarray of shape (n_samples, n_features)
            Samples without gaps.
        """
        return self.fit(X, y).transform(X, y)

    def transform(self, X, y=None):
        """Fill the gaps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, NaN for gaps.
        y : array-like of shape (n_samples,) or None, default=None
            Class labels, where known.

        Returns
        -------
        filled : ndarray of shape (n_samples, n_features)
            Samples without gaps.
        """
        check_is_fitted(self)
        X = check_gappy(self, X, reset=False)
        gaps = np.isnan(X)
        if y is None:
            if self.unlabelled == "error" and gaps.any():
                raise ValueError(
                    "ClassImputer can't fill gaps in rows without label. Pass y, or choose "
                    "unlabelled='overall' to fill them with the statistic over all classes."
                )
            return np.where(gaps, self.overall_.astype(X.dtype), X)
        y = self._labels(X, y)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(
                f"ClassImputer: y holds {unknown[0]!r}, which is none of the classes "
                f"{self.classes_.tolist()}."
            )
        own = self.statistics_[np.searchsorted(self.classes_, y)]
        return np.where(gaps, own.astype(X.dtype), X)

    def _labels(self, X, y):
        if y is None:
            raise ValueError(
                "ClassImputer requires y to be passed, but the target y is None: without "
                "labels use sklearn.impute.SimpleImputer."
            )
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if len(y) != len(X):
            raise ValueError(f"ClassImputer: X has {len(X)} rows, y has {len(y)} labels.")
        return y

    def __sklearn_tags__(self):
        tags = allow_nan(super().__sklearn_tags__())
        tags.target_tags.required = True
        return tags
