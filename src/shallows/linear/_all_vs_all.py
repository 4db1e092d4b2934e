"""Many classes by one model for each pair of classes."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import Predictor, check_params
from shallows.linear._least_squares_classifier import LeastSquaresClassifier
from shallows.linear._two_groups import scores_of, takes_sparse, train


class AllVsAll(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""Train one real-valued model per pair of classes on the samples of the two alone.

    Since :math:`h_{ji} = -h_{ij}`, K classes take K (K - 1) / 2 trainings. A class wins by the
    number of pairs in which it is ahead, or by the sum of its values,
    :math:`\arg\max_i \sum_j h_{ij}(x)`. Where one model against all others masks a class, pairs
    recover it. Sums do so only in part: far from the classes of a pair its value still grows, and
    outvoices those that know.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The model of a pair, a regressor or a classifier. None stands for
        `LeastSquaresClassifier`.
    rule : {"vote", "sum"}, default="vote"
        "vote" counts signs, and the sum decides between equal counts; "sum" adds the values.

    Attributes
    ----------
    estimators_ : list of estimators
        One model per pair, positive for the second class of the pair.
    pairs_ : list of tuples of two ints
        The pairs, as indices into `classes_`.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.linear import AllVsAll
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AllVsAll().fit(X, y)
    >>> model.pairs_
    [(0, 1), (0, 2), (1, 2)]
    >>> model.score(X, y)
    0.98
    """

    def __init__(
        self,
        estimator: Predictor | None = None,
        *,
        rule: Literal["vote", "sum"] = "vote",
    ):
        self.estimator = estimator
        self.rule = rule

    def fit(self, X, y, sample_weight=None):
        """Train the models.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Training data; sparse where the base model takes it.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; passed to the models where given.

        Returns
        -------
        self : AllVsAll
            The fitted estimator.
        """
        check_params(self)
        sparse = takes_sparse(self.estimator)
        X, y, weights = check_labelled(self, X, y, sample_weight, sparse=sparse)
        base = LeastSquaresClassifier() if self.estimator is None else self.estimator
        self.pairs_ = list(combinations(range(len(self.classes_)), 2))
        self.estimators_ = []
        for first, second in self.pairs_:
            part = (y == first) | (y == second)
            own = None if sample_weight is None else weights[part]
            self.estimators_.append(train(clone(base), X[part], y[part] == second, own))
        return self

    def decision_function(self, X):
        """Return the sum of values or the number of votes of each class.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values mean ``classes_[1]``.
        """
        X = check_new(self, X, sparse=takes_sparse(self.estimator))
        sums = np.zeros((X.shape[0], len(self.classes_)), dtype=X.dtype)
        votes = np.zeros_like(sums)
        for (first, second), model in zip(self.pairs_, self.estimators_, strict=True):
            value = scores_of(model, X)
            if len(self.classes_) == 2:
                return value
            sums[:, second] += value
            sums[:, first] -= value
            votes[np.arange(len(sums)), np.where(value > 0, second, first)] += 1
        if self.rule == "sum":
            return sums
        return votes + sums / (2 * (1 + np.abs(sums).max(axis=1, keepdims=True)))

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self.decision_function(X)
        return self.classes_[scores.argmax(1) if scores.ndim == 2 else (scores > 0).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.estimator)
        return tags
