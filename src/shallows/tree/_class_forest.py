"""Forests for classes, however their trees ask."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.threads import uses_jobs
from shallows.tree._class_tree import by_target, count_classes, likeliest
from shallows.tree._columns import learn_columns
from shallows.tree._forest import (
    grow_forest,
    out_of_bag_answers,
    refuse_oob_without_bootstrap,
    score_out_of_bag,
)
from shallows.tree._grown_forest import GrownForest
from shallows.tree._log_shares import LogSharesMixin
from shallows.tree._targets import check_classes
from shallows.tree._tree import mean_answers


class ClassForest(GrownForest, LogSharesMixin, ClassifierMixin):
    """Methods of forests for classes."""

    classes_: Any
    random_state: Any
    n_jobs: Any
    oob_score: Any
    missing: str
    voting: str

    @uses_jobs
    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, numbers or categories; NaN or None where a value is missing.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_params(self)
        refuse_oob_without_bootstrap(self)
        data = check_classes(self, learn_columns(self, X), y, sample_weight)
        self.n_outputs_ = len(data.targets.widths)
        rng = as_generator(self.random_state)
        self.trees_, self._unseen = grow_forest(self, data, rng)
        for name in ("oob_score_", "oob_decision_function_"):
            vars(self).pop(name, None)
        if self.oob_score:
            shares = out_of_bag_answers(self, data.X, *self._way)
            labels = likeliest(self.classes_, np.nan_to_num(shares))
            self.oob_score_ = score_out_of_bag(self, y, shares, labels)
            self.oob_decision_function_ = _stacked(self.classes_, shares.astype(data.X.dtype))
        return self

    @uses_jobs
    def predict(self, X):
        """Return the class that the trees choose together.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; a category that was not seen in training counts as missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels.
        """
        X = self._checked(X)
        return likeliest(self.classes_, mean_answers(self.trees_, X, *self._way))

    @uses_jobs
    def predict_proba(self, X):
        """Return the mean shares of the classes, or the shares of the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes), or a list of one for each target
            Shares in the order of `classes_`.
        """
        X = self._checked(X)
        return by_target(self.classes_, mean_answers(self.trees_, X, *self._way).astype(X.dtype))

    def member_predictions(self, X):
        """Return the class that each tree chooses.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_estimators, n_samples)
            Class labels.
        """
        X = self._checked(X)
        answers = [tree.answers(X, self._way[0]) for tree in self.trees_]
        return np.array([likeliest(self.classes_, own) for own in answers])

    @property
    def n_classes_(self):
        """Number of classes, a list for several targets."""
        return count_classes(self)

    @property
    def _way(self):
        return self.missing == "fractional", self.voting == "hard"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


def _stacked(classes, shares):
    """Return shares of shape (n_samples, n_classes), of several targets with an axis for these."""
    parts = by_target(classes, shares)
    if not isinstance(parts, list):
        return parts
    stacked = np.zeros((len(shares), max(part.shape[1] for part in parts), len(parts)))
    for k, part in enumerate(parts):
        stacked[:, : part.shape[1], k] = part
    return stacked
