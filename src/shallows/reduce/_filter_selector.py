"""Feature selection by filters."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin, mutual_info_classif
from sklearn.preprocessing import scale
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_paired, check_rows, refuse_equal_names
from shallows._core.contract.params import PositiveInt, Probability, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.targets import naming
from shallows._core.numerics.threads import limit_threads, map_blocks
from shallows.reduce._argument_checks import at_most
from shallows.reduce._mutual_information import by_neighbors

SOME_ROWS = 2048
BLOCK_CELLS = 2**18
FEW_CELLS = 2**23  # sooner added up by one thread than shared among several
N_NEIGHBORS = 3


class FilterSelector(SelectorMixin, BaseEstimator):
    """Keep features that tell much about the target, or vary much, and don't repeat others.

    Each feature is scored by itself: quick, but a pair of features that say something only
    together, such as the two of XOR, is missed; a wrapper such as
    :class:`sklearn.feature_selection.SequentialFeatureSelector` tries features together.
    Put either inside the pipeline that is cross-validated: features selected on all data
    make the error look too small.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to keep at most; None keeps all that pass the other tests.
    criterion : {"correlation", "mutual_information", "variance"}, default="correlation"
        Size of the correlation with the target, for classes the largest with one of them;
        mutual information with the target; or variance, which needs no target.
    max_correlation : float, default=1.0
        A feature whose correlation with a better one exceeds this in size is redundant and
        dropped.
    random_state : int, RandomState, Generator or None, default=None
        Draws the noise that breaks ties of the mutual information.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of each feature; 0 for constant ones.
    ranking_ : ndarray of shape (n_selected,)
        Features kept, best first.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import FilterSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> FilterSelector(2, max_correlation=0.9).fit(X, y).ranking_
    array([2, 0])
    """

    def __init__(
        self,
        n_features_to_select: PositiveInt | None = None,
        *,
        criterion: Literal["correlation", "mutual_information", "variance"] = "correlation",
        max_correlation: Probability = 1.0,
        random_state: RandomState = None,
    ):
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.max_correlation = max_correlation
        self.random_state = random_state

    def fit(self, X, y=None):
        """Score and choose the features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or None
            Numbers or class labels; not used for the variance.

        Returns
        -------
        self : FilterSelector
            The fitted selector.
        """
        check_params(self)
        needs_target = self.criterion != "variance"
        if needs_target and y is None:
            raise ValueError(
                f"FilterSelector requires y to be passed, but the target y is None; "
                f"criterion={self.criterion!r} needs it, criterion='variance' does not."
            )
        if needs_target:
            X, y = check_paired(self, X, y)
        else:
            X = check_rows(self, X)
        if len(X) < 2:
            raise ValueError("FilterSelector needs at least 2 samples, got n_samples=1.")
        if self.n_features_to_select is not None:
            at_most(self, "n_features_to_select", X.shape[1], "n_features =")
        scores = self._scores(X, y)
        self.scores_ = scores.astype(X.dtype)
        self.ranking_ = self._without_redundant(X, np.argsort(-scores, kind="stable"))
        return self

    def transform(self, X):
        """Keep the selected features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        X : array of shape (n_samples, n_features_to_select)
            The samples with these features only.
        """
        check_is_fitted(self)
        refuse_equal_names("FilterSelector", X)
        try:
            return super().transform(X)
        except (TypeError, ValueError) as error:
            raise naming("FilterSelector", error) from None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = not (
            isinstance(self.criterion, str) and self.criterion == "variance"
        )
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_] = True
        return mask

    def _scores(self, X, y):
        if self.criterion == "variance":
            return _products(X)[1] / len(X)
        classes = type_of_target(y) in ("binary", "multiclass")
        if self.criterion == "mutual_information":
            seed = int(as_generator(self.random_state).integers(2**31))
            if classes:
                return mutual_info_classif(X, y, random_state=seed)
            return _information(X, np.asarray(y, dtype=np.float64), seed)
        targets = np.asarray(y, dtype=np.float64)[:, None] if not classes else _one_per_class(y)
        return _largest_correlations(X, targets)

    def _without_redundant(self, X, order):
        wanted = self.n_features_to_select or X.shape[1]
        if self.max_correlation == 1:
            return order[:wanted]
        standard, kept = _standard(X), []
        for feature in order:
            alike = np.abs(standard[:, kept].T @ standard[:, feature])
            if not np.any(alike > self.max_correlation):
                kept.append(int(feature))
            if len(kept) == wanted:
                break
        return np.array(kept)


def _one_per_class(y):
    labels = np.unique(y)
    return (np.asarray(y)[:, None] == labels).astype(np.float64)


def _information(X, y, seed):
    """Return the mutual information of each feature with numbers, as scikit-learn estimates it.

    A little noise breaks ties, without which equal values would be neighbours at no distance.
    """
    rng, constant = np.random.RandomState(seed), np.ptp(X, axis=0) == 0
    scaled = [scale(part.astype(np.float64), with_mean=False) for part in (X, y)]
    for part in scaled:
        size = np.maximum(1, np.abs(part).mean(axis=0))
        part += 1e-10 * size * rng.standard_normal(part.shape)
    X, y = scaled

    def block(place):
        return 0.0 if constant[place.start] else by_neighbors(X[:, place.start], y, N_NEIGHBORS)

    return np.array(map_blocks(block, X.shape[1], 1))


def _largest_correlations(X, targets):
    """Return the largest size of a correlation of each feature; 0 for constant ones."""
    mean, squares, inner = _products(X, _standard(targets))
    length, largest = np.sqrt(squares), np.abs(inner).max(axis=1)
    varies = length > _rounding(mean, squares, len(X))
    return np.divide(largest, length, out=np.zeros_like(length), where=varies)


def _products(X, targets=None):
    """Return the means of the columns, their sums of squares about it, and products with targets.

    The targets have mean zero. Rows are taken from a mean over some of them before they are
    squared, so that little cancels when the mean of all is known.
    """
    near = X[:: 1 + len(X) // SOME_ROWS].mean(axis=0, dtype=np.float64)

    def block(rows):
        moved = X[rows] - near
        inner = 0.0 if targets is None else moved.T @ targets[rows]
        return np.ones(len(moved)) @ moved, np.einsum("ij,ij->j", moved, moved), inner

    with limit_threads(1) if X.size < FEW_CELLS else nullcontext():
        parts = map_blocks(block, len(X), max(64, BLOCK_CELLS // X.shape[1]))
    total, squares, inner = map(sum, zip(*parts, strict=True))
    shift = total / len(X)
    return near + shift, np.maximum(squares - len(X) * shift**2, 0.0), inner


def _rounding(mean, squares, n_samples):
    """Return the length that a constant column may have by rounding."""
    size = np.sqrt(n_samples * mean**2 + squares)
    return size * 10 * np.finfo(np.float64).eps


def _standard(X):
    """Return centred columns of length one; zeros for constant ones."""
    mean = X.mean(axis=0, dtype=np.float64)
    centred = X - mean
    squares = np.einsum("ij,ij->j", centred, centred)
    length, varies = np.sqrt(squares), np.sqrt(squares) > _rounding(mean, squares, len(X))
    return np.divide(centred, length, out=np.zeros_like(centred), where=varies)
