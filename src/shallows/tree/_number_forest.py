"""Forests for numbers, however their trees ask."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.threads import uses_jobs
from shallows.tree._columns import learn_columns
from shallows.tree._forest import (
    grow_forest,
    out_of_bag_answers,
    refuse_oob_without_bootstrap,
    score_out_of_bag,
)
from shallows.tree._grown_forest import GrownForest
from shallows.tree._targets import check_numbers
from shallows.tree._tree import mean_answers


class NumberForest(GrownForest, MultiOutputMixin, RegressorMixin):
    """Methods of forests for numbers."""

    random_state: Any
    n_jobs: Any
    oob_score: Any
    missing: str

    @uses_jobs
    def fit(self, X, y, sample_weight=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, numbers or categories; NaN or None where a value is missing.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_params(self)
        refuse_oob_without_bootstrap(self)
        data = check_numbers(self, learn_columns(self, X), y, sample_weight)
        self._one_output, self.n_outputs_ = np.asarray(y).ndim == 1, len(data.targets.widths)
        self.trees_, self._unseen = grow_forest(self, data, as_generator(self.random_state))
        for name in ("oob_score_", "oob_prediction_"):
            vars(self).pop(name, None)
        if self.oob_score:
            means = out_of_bag_answers(self, data.X, self.missing == "fractional")
            self.oob_score_ = score_out_of_bag(self, data.targets.y, means, means)
            self.oob_prediction_ = self._shaped(means, data.X.dtype)
        return self

    @uses_jobs
    def predict(self, X):
        """Return the mean of what the trees answer.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; a category that was not seen in training counts as missing.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted targets.
        """
        X = self._checked(X)
        return self._shaped(mean_answers(self.trees_, X, self.missing == "fractional"), X.dtype)

    def member_predictions(self, X):
        """Return what each tree answers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_estimators, n_samples) or (n_estimators, n_samples, n_outputs)
            Predicted targets.
        """
        X, fractional = self._checked(X), self.missing == "fractional"
        return np.array([self._shaped(t.answers(X, fractional), X.dtype) for t in self.trees_])

    def _shaped(self, means, dtype):
        means = means.astype(dtype)
        return means[:, 0] if self._one_output else means
