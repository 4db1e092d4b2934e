"""Trees for numbers, however their questions are chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import Bunch

from shallows._core.contract.params import check_params
from shallows._core.contract.rng import as_generator
from shallows.tree._array_form import partial_dependence
from shallows.tree._columns import learn_columns
from shallows.tree._grown_tree import GrownTree
from shallows.tree._growth import rules_of
from shallows.tree._plant import SEEDS, plant
from shallows.tree._prune import prune_by_cost, pruning_path
from shallows.tree._ranks import Ranks
from shallows.tree._targets import check_numbers


class NumberTree(GrownTree, MultiOutputMixin, RegressorMixin):
    """Methods of one tree for numbers."""

    random_state: Any
    ccp_alpha: float
    missing: str

    def fit(self, X, y, sample_weight=None):
        """Grow the tree, and prune it as asked for.

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
        grown = self._grow(X, y, sample_weight)
        self.tree_ = prune_by_cost(grown, self.ccp_alpha) if self.ccp_alpha > 0 else grown
        return self

    def predict(self, X):
        """Return the mean target of the leaf that each row comes to, or with the absolute error
        the median.

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
        means = self.tree_.answers(X, self.missing == "fractional").astype(X.dtype, copy=False)
        return means[:, 0] if self._one_output else means

    def cost_complexity_pruning_path(self, X, y, sample_weight=None) -> Bunch:
        """Return the penalties at which questions of the full tree fall, for `ccp_alpha`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        path : Bunch
            `ccp_alphas`, and the `impurities` of the leaves that are left.
        """
        return pruning_path(type(self)(**self.get_params())._grow(X, y, sample_weight))

    def _grow(self, X, y, sample_weight):
        """Return the full tree."""
        check_params(self)
        X, targets, weights = check_numbers(self, learn_columns(self, X), y, sample_weight)
        samples = np.flatnonzero(weights > 0).astype(np.int32)
        ranks = Ranks.of(X, self.categories_, self.splitter)
        rules = rules_of(self, ranks, targets, weights[samples])
        root = samples, weights[samples], as_generator(self.random_state).integers(SEEDS)
        self._one_output = np.asarray(y).ndim == 1
        self.n_outputs_, self.max_features_ = len(targets.widths), rules.n_drawn
        return plant(ranks, targets, rules, [root])[0]

    def _compute_partial_dependence_recursion(self, grid, target_features):
        """Answer scikit-learn's `partial_dependence`, which calls this of a tree for numbers."""
        return partial_dependence(self.tree_, np.asarray(grid), target_features)
