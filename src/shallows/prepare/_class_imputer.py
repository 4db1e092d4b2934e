"""Impute the mean or median of the class."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from shallows._core.contract.params import check_params
from shallows._core.contract.targets import check_labels, check_target
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.prepare._gaps import allow_nan, check_gappy, refuse_empty_columns


class ClassImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Impute the mean or median that a column has within the class of the row.

    Labels are needed, so this imputer is for training data: `fit_transform(X, y)`. New data have
    no labels; `unlabelled` determines whether their gaps raise an error or get the statistic over
    all classes. Imputing by class makes classes look better separated than they are; compare with
    :class:`sklearn.impute.SimpleImputer` by cross-validation.

    Parameters
    ----------
    strategy : {"mean", "median"}, default="mean"
        The statistic.
    unlabelled : {"error", "overall"}, default="error"
        What `transform` does with gaps in unlabelled rows: raise an error, or impute `overall_`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    statistics_ : ndarray of shape (n_classes, n_features)
        Imputed values of each class; if a class has no value in a column, the statistic over all
        classes.
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
        self._learn(X, y)
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
        X, codes = self._learn(X, y)
        return self._filled(X, codes)

    def transform(self, X, y=None):
        """Fill the gaps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, NaN for gaps.
        y : array-like of shape (n_samples,) or None, default=None
            Class labels, if known.

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
                    "ClassImputer can't fill gaps in unlabelled rows. Pass y, or choose "
                    "unlabelled='overall' to fill them with the statistic over all classes."
                )
            return np.where(gaps, self.overall_.astype(X.dtype), X)
        y = self._labels(X, y)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(
                f"ClassImputer: y contains {unknown.tolist()[0]!r}, but the classes are "
                f"{self.classes_.tolist()}."
            )
        return self._filled(X, np.searchsorted(self.classes_, y))

    def _learn(self, X, y):
        """Set the learned attributes; return X and the class index of each row."""
        check_params(self)
        X = check_gappy(self, X, reset=True)
        y = self._labels(X, y)
        refuse_empty_columns(self, X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        by_class = _means if self.strategy == "mean" else _medians
        overall, own = by_class(X, codes, len(self.classes_))
        self.overall_ = overall.astype(X.dtype)
        self.statistics_ = np.where(np.isnan(own), overall, own).astype(X.dtype)
        return X, codes

    def _filled(self, X, codes):
        """Fill the gaps of X in place; the caller owns X."""
        statistics = self.statistics_.astype(X.dtype, copy=False)
        map_blocks(lambda rows: fill_rows(X[rows], codes[rows], statistics), len(X))
        return X

    def _labels(self, X, y):
        if y is None:
            raise ValueError(
                "ClassImputer requires y to be passed, but the target y is None: without "
                "labels use sklearn.impute.SimpleImputer."
            )
        check_target("ClassImputer", y)
        y = check_array(
            column_or_1d(y, warn=True), dtype=None, ensure_2d=False, input_name="y", estimator=self
        )
        check_labels("ClassImputer", y)
        if len(y) != len(X):
            raise ValueError(f"ClassImputer: X has {len(X)} rows, y has {len(y)} labels.")
        return y

    def __sklearn_tags__(self):
        tags = allow_nan(super().__sklearn_tags__())
        tags.target_tags.required = True
        return tags


def _means(X, codes, n_classes):
    """Return the column means over all rows and by class; NaN without any value."""
    # Sums are taken relative to some value of the column, which avoids cancellation.
    centre = X[np.isfinite(X).argmax(axis=0), np.arange(X.shape[1])].astype(np.float64)

    def block(rows):
        totals = np.zeros((2, n_classes, X.shape[1]))
        add_rows(X[rows], codes[rows], centre, totals[0], totals[1])
        return totals

    sums, counts = sum(map_blocks(block, len(X), max(4096, n_classes)))
    with np.errstate(invalid="ignore"):
        return centre + sums.sum(axis=0) / counts.sum(axis=0), centre + sums / counts


def _medians(X, codes, n_classes):
    """Return the column medians over all rows and by class, as `_means` does."""
    small = codes.astype(np.uint16) if n_classes < 2**16 else codes  # 16 bits: radix sort
    order = np.argsort(small, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(n_classes + 1))
    columns = np.ascontiguousarray(X.T)  # contiguous columns are faster to gather

    def block(place):
        column = columns[place.start][order]
        known = ~np.isnan(column)
        until = np.concatenate([[0], np.cumsum(known)])[ends]
        column = column[known].astype(np.float64, copy=False)
        own = [_middles(column[first:last]) for first, last in pairwise(until)]
        lows, highs = np.array(own).T
        # The median of all rows lies between the smallest and the largest class median.
        low, high = np.nanmin(lows), np.nanmax(highs)
        inside = column[(column >= low) & (column <= high)]
        overall = _middles(inside, len(column), np.count_nonzero(column < low))
        return [sum(overall) / 2, *((lows + highs) / 2)]

    found = np.array(map_blocks(block, X.shape[1], 1)).T
    return found[0], found[1:]


def _middles(values, n=None, n_below=0):
    """Return the middle pair of `n` sorted values whose `n_below` smallest have been removed."""
    n = len(values) if n is None else n
    if n == 0:
        return np.nan, np.nan
    upper = n // 2 - n_below
    values = np.partition(values, upper)  # partitioning at two places at once is far slower
    return values[upper] if n % 2 else values[:upper].max(), values[upper]


@compiled
def add_rows(X, codes, centre, sums, counts):
    """Add values minus `centre` to the sums of their class and count them; skip NaN."""
    for i in range(X.shape[0]):
        label = codes[i]
        for j in range(X.shape[1]):
            if not np.isnan(X[i, j]):
                sums[label, j] += X[i, j] - centre[j]
                counts[label, j] += 1.0


@compiled
def fill_rows(X, codes, statistics):
    """Replace NaN in place by the statistic of the row's class."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if np.isnan(X[i, j]):
                X[i, j] = statistics[codes[i], j]
