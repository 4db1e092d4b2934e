"""Trees for classes, however their questions are chosen."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Bunch

from shallows._core.contract.data import hold_out
from shallows._core.contract.params import Fraction, check_params
from shallows._core.contract.rng import as_generator
from shallows.tree._columns import learn_columns
from shallows.tree._grown_tree import GrownTree
from shallows.tree._growth import rules_of
from shallows.tree._log_shares import LogSharesMixin
from shallows.tree._plant import SEEDS, plant
from shallows.tree._prune import prune_by_cost, pruning_path
from shallows.tree._ranks import Ranks
from shallows.tree._stopping import prune_by_pessimism, stop_by_chi2, stop_by_validation
from shallows.tree._targets import check_classes


class ClassTree(GrownTree, LogSharesMixin, ClassifierMixin):
    """Methods of one tree for classes."""

    classes_: Any
    random_state: Any
    ccp_alpha: float
    missing: str
    stop: Literal["chi2", "validation", "pessimistic"] | None = None
    significance: Fraction
    validation_fraction: Fraction

    def fit(self, X, y, sample_weight=None):
        """Grow the tree, and stop or prune it as asked for.

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
        grown, held_out = self._grow(X, y, sample_weight)
        if self.stop == "chi2":
            grown = stop_by_chi2(grown, self.significance)
        if self.stop == "pessimistic":
            grown = prune_by_pessimism(grown, self.significance)
        if held_out is not None:
            grown = stop_by_validation(grown, *held_out)
        self.tree_ = prune_by_cost(grown, self.ccp_alpha) if self.ccp_alpha > 0 else grown
        return self

    def predict(self, X):
        """Return the most frequent class of the leaf that each row comes to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; a category that was not seen in training counts as missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Class labels.
        """
        X, fractional = self._checked(X), self.missing == "fractional"
        if not isinstance(self.classes_, list):
            return self.classes_[self.tree_.choices(X, fractional)]
        return likeliest(self.classes_, self.tree_.answers(X, fractional))

    def predict_proba(self, X):
        """Return the shares of the classes in the leaf that each row comes to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes), or a list of one for each target
            Shares in the order of `classes_`; where a value is missing and ``missing`` is
            "fractional", a mean over leaves.
        """
        X = self._checked(X)
        shares = self.tree_.answers(X, self.missing == "fractional").astype(X.dtype, copy=False)
        return by_target(self.classes_, shares)

    def cost_complexity_pruning_path(self, X, y, sample_weight=None) -> Bunch:
        """Return the penalties at which questions of the full tree fall, for `ccp_alpha`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        path : Bunch
            `ccp_alphas`, and the `impurities` of the leaves that are left.
        """
        grown, _ = type(self)(**self.get_params())._grow(X, y, sample_weight)
        return pruning_path(grown)

    @property
    def n_classes_(self):
        """Number of classes, a list for several targets."""
        return count_classes(self)

    def _grow(self, X, y, sample_weight):
        """Return the full tree, and the samples held out, if any."""
        check_params(self)
        X, targets, weights = check_classes(self, learn_columns(self, X), y, sample_weight)
        rng, held_out = as_generator(self.random_state), None
        if self.stop is not None and not targets.n_classes:
            raise ValueError(
                f"{type(self).__name__}: stop={self.stop!r} is for one target, got "
                f"{len(targets.widths)}. Set stop=None, or prune the tree."
            )
        if self.stop == "validation":
            (X, y, weights), held_out = hold_out(
                X, targets.y, weights, self.validation_fraction, rng, stratify=True
            )
            targets = targets._replace(y=y)
        samples = np.flatnonzero(weights > 0).astype(np.int32)
        ranks = Ranks.of(X, self.categories_, self.splitter)
        rules = rules_of(self, ranks, targets, weights[samples])
        root = samples, weights[samples], rng.integers(SEEDS)
        self.n_outputs_, self.max_features_ = len(targets.widths), rules.n_drawn
        return plant(ranks, targets, rules, [root])[0], held_out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.stop is None
        tags.classifier_tags.multi_label = self.stop is None
        return tags


def by_target(classes, shares):
    """Return shares of classes as they are, or a list of parts for several targets."""
    if not isinstance(classes, list):
        return shares
    ends = np.cumsum([len(own) for own in classes])
    return np.split(shares, ends[:-1], axis=1)


def likeliest(classes, shares) -> np.ndarray:
    """Return the class with the largest share, of each target."""
    if not isinstance(classes, list):
        return classes[shares.argmax(axis=1)]
    parts = zip(classes, by_target(classes, shares), strict=True)
    return np.column_stack([own[part.argmax(axis=1)] for own, part in parts])


def count_classes(model):
    """Return the number of classes, a list for several targets."""
    several = isinstance(model.classes_, list)
    return [len(own) for own in model.classes_] if several else len(model.classes_)
