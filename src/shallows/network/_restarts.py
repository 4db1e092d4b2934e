"""Random restarts of an estimator, and what to make of them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import (
    BaseEstimator,
    MetaEstimatorMixin,
    clone,
    is_classifier,
)
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.params import PositiveInt, Predictor, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.tags import inner_tags


def _gives_probabilities(model):
    member = model.estimators_[0] if hasattr(model, "estimators_") else model.estimator
    return hasattr(member, "predict_proba")


class Restarts(MetaEstimatorMixin, BaseEstimator):
    r"""The same estimator from several random starts: the best, a typical one, or all of them.

    Descent ends in different minima from different starts. The squared error of the mean of
    all members is never larger than the mean of their squared errors. Starts run in parallel
    inside ``joblib.parallel_config(n_jobs=...)``.

    Parameters
    ----------
    estimator : estimator
        Classifier or regressor with a `random_state`.
    n_init : int, default=10
        Number of starts.
    combine : {"best", "median", "mean", "vote"}, default="best"
        The member of the least training loss; that of the median loss; the mean of all
        predictions or probabilities; the class that most members name.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starts.

    Attributes
    ----------
    estimators_ : list of estimator
        The members.
    losses_ : list of float
        Last training loss of each member; where it keeps no history, minus its training score.
    chosen_ : int
        Index of the best or median member.
    classes_ : ndarray of shape (n_classes,)
        Class labels, for classifiers.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import MLPRegressor, Restarts
    >>> X = np.linspace(-3, 3, 50)[:, None]
    >>> options = {"hidden_layer_sizes": 5, "activation": "tanh", "solver": "lbfgs"}
    >>> net = MLPRegressor(**options, max_iter=50, tol=None)
    >>> model = Restarts(net, 4, combine="mean", random_state=0).fit(X, np.sin(X).ravel())
    >>> len(model.estimators_), len(model.losses_)
    (4, 4)
    """

    def __init__(
        self,
        estimator: Predictor,
        n_init: PositiveInt = 10,
        *,
        combine: Literal["best", "median", "mean", "vote"] = "best",
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_init = n_init
        self.combine = combine
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit a copy of the estimator from every start.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample, where the estimator takes weights.

        Returns
        -------
        self : Restarts
            The fitted estimator.
        """
        check_params(self)
        if "random_state" not in self.estimator.get_params():
            raise ValueError(
                "Restarts: estimator must have a random_state, "
                f"got {type(self.estimator).__name__}."
            )
        if self.combine == "vote" and not is_classifier(self.estimator):
            raise ValueError("Restarts: combine='vote' needs a classifier; use 'mean' or 'median'.")
        rng = as_generator(self.random_state)
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}

        # Members differ by their seed alone.
        seeds = rng.integers(2**31, size=self.n_init)
        members = [clone(self.estimator).set_params(random_state=int(seed)) for seed in seeds]
        self.estimators_ = Parallel()(delayed(_fit)(member, X, y, extra) for member in members)
        self.losses_ = [float(_loss(member, X, y)) for member in self.estimators_]
        order = np.argsort(self.losses_, kind="stable")
        self.chosen_ = int(order[0 if self.combine == "best" else (self.n_init - 1) // 2])
        self._multilabel = (
            is_classifier(self) and type_of_target(y, input_name="y") == "multilabel-indicator"
        )
        first = self.estimators_[0]
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        return self

    def predict(self, X):
        """Return the prediction for each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted targets.
        """
        check_is_fitted(self)
        if self.combine in ("best", "median"):
            return self.estimators_[self.chosen_].predict(X)
        if not is_classifier(self.estimator):
            return np.mean([member.predict(X) for member in self.estimators_], axis=0)
        probability = self._mean_probability(X) if self.combine == "mean" else self._votes(X)
        if self._multilabel:
            return (probability > 0.5).astype(int)
        return self.classes_[probability.argmax(axis=1)]

    @available_if(_gives_probabilities)
    def predict_proba(self, X):
        """Return the probability of each class: of the chosen member, the mean, or shares of votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        if self.combine in ("best", "median"):
            return self.estimators_[self.chosen_].predict_proba(X)
        return self._mean_probability(X) if self.combine == "mean" else self._votes(X)

    def score(self, X, y, sample_weight=None):
        """Return the accuracy of a classifier, or R² of a regressor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        score : float
            Larger is better.
        """
        measure = accuracy_score if is_classifier(self.estimator) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def _mean_probability(self, X):
        return np.mean([member.predict_proba(X) for member in self.estimators_], axis=0)

    def _votes(self, X):
        """Return the share of members that name each class, or each label."""
        found = np.array([member.predict(X) for member in self.estimators_])
        if self._multilabel:
            return found.mean(axis=0)
        return np.stack([(found == label).mean(axis=0) for label in self.classes_], axis=1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = inner_tags(self.estimator)
        tags.estimator_type, tags.target_tags = inner.estimator_type, inner.target_tags
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags = inner.input_tags
        return tags


def _fit(member, X, y, extra):
    return member.fit(X, y, **extra)


def _loss(member, X, y):
    if hasattr(member, "history_"):
        return member.history_["loss"][-1]
    return -member.score(X, y)
