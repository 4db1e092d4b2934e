"""Feature selection by filters."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin, mutual_info_classif, mutual_info_regression
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from shallows._core.data import FLOATS
from shallows._core.params import PositiveInt, Probability, check_params
from shallows._core.rng import RandomState, as_generator
from shallows.reduce._checks import at_most


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
            X, y = validate_data(self, X, y, dtype=FLOATS)
        else:
            X = validate_data(self, X, dtype=FLOATS)
        if len(X) < 2:
            raise ValueError("FilterSelector needs at least 2 samples, got n_samples=1.")
        if self.n_features_to_select is not None:
            at_most(self, "n_features_to_select", X.shape[1], "n_features =")
        scores = self._scores(X, y)
        self.scores_ = scores.astype(X.dtype)
        self.ranking_ = self._without_redundant(X, np.argsort(-scores, kind="stable"))
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.criterion != "variance"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_] = True
        return mask

    def _scores(self, X, y):
        if self.criterion == "variance":
            return X.var(axis=0, dtype=np.float64)
        classes = type_of_target(y) in ("binary", "multiclass")
        if self.criterion == "mutual_information":
            seed = int(as_generator(self.random_state).integers(2**31))
            estimate = mutual_info_classif if classes else mutual_info_regression
            return estimate(X, y, random_state=seed)
        targets = np.asarray(y, dtype=np.float64)[:, None] if not classes else _one_per_class(y)
        return np.abs(_standard(X).T @ _standard(targets)).max(axis=1)

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


def _standard(X):
    """Return centred columns of length one; zeros for constant ones."""
    centred = X - X.mean(axis=0, dtype=np.float64)
    length = np.linalg.norm(centred, axis=0)
    size = np.abs(X).max(axis=0) * np.sqrt(len(X)) * 10 * np.finfo(np.float64).eps
    return np.divide(centred, length, out=np.zeros_like(centred), where=length > size)
