"""Ensembles of a stochastic learner: a source of diversity and a rule of combination."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.metaestimators import available_if

from shallows._core.contract.params import PositiveInt, Predictor, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows.tree._combined import Combined
from shallows.tree._decision_tree_classifier import DecisionTreeClassifier
from shallows.tree._members import (
    SEEDS,
    Diversity,
    check_members_data,
    drawn_for,
    float_type,
    shares_of,
    train_all,
)


class Ensemble(Combined, BaseEstimator):
    """Members h(., theta) of one learner under independent random vectors theta, combined.

    Three choices make an ensemble: the learner, what makes its members differ, and how their
    answers become one. It pays where members are cheap and err on different rows. More members,
    and more chance in each, make it smoother.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Classifier or regressor; with None a decision tree that looks at a few random features.
    n_estimators : int, default=10
        Number of members.
    diversity : {"seed", "bootstrap", "features"}, default="seed"
        What is random: the learner's own choices alone, or with them the rows, drawn with
        replacement, or the columns, half of which are drawn.
    combine : {"auto", "vote", "mean", "median"}, default="auto"
        The class with most votes; the mean of probabilities or of numbers; the median of numbers.
        "auto" is the vote for classes and the mean for numbers.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the members.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, of classifiers.
    members_ : list of Member
        Fitted estimators, with the columns and rows that each has seen.
    thetas_ : ndarray of shape (n_estimators,)
        Random vector of each member, as a seed: `stochastic_learner` makes the same member of it.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.perceptron import Perceptron
    >>> from shallows.tree import Ensemble
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Ensemble(Perceptron(max_iter=20), 25, diversity="bootstrap", random_state=0)
    >>> model.fit(X, y == 0).score(X, y == 0)
    1.0
    """

    def __init__(
        self,
        estimator: Predictor | None = None,
        n_estimators: PositiveInt = 10,
        *,
        diversity: Diversity = "seed",
        combine: Literal["auto", "vote", "mean", "median"] = "auto",
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.diversity = diversity
        self.combine = combine
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Train the members.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : Ensemble
            The fitted estimator.
        """
        check_params(self)
        wrong = "median" if is_classifier(self) else "vote"
        if self.combine == wrong:
            kind = "classes" if is_classifier(self) else "numbers"
            raise ValueError(f"Ensemble: combine={wrong!r} does not work for {kind}.")
        X, y, weights = check_members_data(self, self._learner, X, y, sample_weight)
        self.thetas_ = as_generator(self.random_state).integers(SEEDS, size=self.n_estimators)
        draw = drawn_for(self.diversity)
        self.members_ = train_all(self._learner, X, y, self.thetas_, draw, weights)
        return self

    def predict(self, X):
        """Combine what the members predict.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels or targets.
        """
        X = self._checked(X)
        if is_classifier(self):
            shares = shares_of(self.members_, X, self.classes_, self.combine == "mean")
            return self.classes_[shares.argmax(axis=1)]
        middle = np.median if self.combine == "median" else np.mean
        return middle([member.ask("predict", X) for member in self.members_], axis=0)

    @available_if(is_classifier)
    def predict_proba(self, X):
        """Return the shares of the votes, or with ``combine="mean"`` the mean probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            Shares in the order of `classes_`.
        """
        X = self._checked(X)
        shares = shares_of(self.members_, X, self.classes_, self.combine == "mean")
        return shares.astype(float_type(X))

    @property
    def _learner(self):
        few = DecisionTreeClassifier(max_features="sqrt")
        return few if self.estimator is None else self.estimator
