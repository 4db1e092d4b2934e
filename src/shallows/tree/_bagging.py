"""Bagging: bootstrap aggregating of any estimator."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if

from shallows._core.contract.params import PositiveInt, Range, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows.tree._combined import Combined
from shallows.tree._decision_tree_classifier import DecisionTreeClassifier
from shallows.tree._members import (
    SEEDS,
    check_members_data,
    class_shares,
    float_type,
    shares_of,
    take,
    train_all,
)

Share = PositiveInt | Annotated[float, Range(0, 1, open="low")]


class Bagging(Combined, BaseEstimator):
    """Copies of an estimator, each trained on rows drawn with replacement, and their mean.

    Works where the estimator changes much when the data change a little, as trees do. A member
    sees about 63 % of the rows; the others judge it (`oob_score`). Members are trained by joblib,
    on as many workers as ``joblib.parallel_config`` says. For trees `RandomForestClassifier` is
    quicker.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Classifier or regressor; with None a decision tree for classes.
    n_estimators : int, default=10
        Number of members.
    max_samples : int or float, default=1.0
        Rows drawn for a member, as a number or share.
    max_features : int or float, default=1.0
        Columns drawn for a member, as a number or share, without replacement.
    bootstrap : bool, default=True
        Draw rows with replacement.
    oob_score : bool, default=False
        Judge each row by the members that have not seen it.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the members.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, of classifiers.
    members_ : list of Member
        Fitted estimators, with the columns and rows that each has seen.
    thetas_ : ndarray of shape (n_estimators,)
        Seed of each member: the same seed gives the same member.
    oob_score_ : float
        Accuracy or coefficient of determination on rows that members have not seen.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] L. Breiman, "Bagging predictors", Machine Learning 24, 123-140, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.tree import Bagging, DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Bagging(DecisionTreeClassifier(), 50, oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.9
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: PositiveInt = 10,
        *,
        max_samples: Share = 1.0,
        max_features: Share = 1.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.oob_score = oob_score
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
        self : Bagging
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_members_data(self, self._learner, X, y, sample_weight)
        self.thetas_ = as_generator(self.random_state).integers(SEEDS, size=self.n_estimators)
        everything = not self.bootstrap and self.max_samples == 1.0
        self.members_ = train_all(
            self._learner,
            X,
            y,
            self.thetas_,
            None if everything else self.max_samples,
            None if self.max_features == 1.0 else self.max_features,
            weights,
            self.bootstrap,
        )
        vars(self).pop("oob_score_", None)
        if self.oob_score:
            self.oob_score_ = self._judge_unseen(X, y)
        return self

    def predict(self, X):
        """Return the class with the largest mean probability, or the mean prediction.

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
            return self.classes_[shares_of(self.members_, X, self.classes_, True).argmax(axis=1)]
        return np.mean([member.ask("predict", X) for member in self.members_], axis=0)

    @available_if(is_classifier)
    def predict_proba(self, X):
        """Return the mean probability of each class, or vote shares where members give none.

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
        return shares_of(self.members_, X, self.classes_, True).astype(float_type(X))

    @property
    def _learner(self):
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _judge_unseen(self, X, y):
        classes = self.classes_ if is_classifier(self) else np.empty(0)
        width = len(classes) if is_classifier(self) else y.size // len(y)
        total, asked = np.zeros((len(y), width)), np.zeros(len(y))
        for member in self.members_:
            unseen = np.ones(len(y), dtype=bool)
            unseen[slice(None) if member.rows is None else member.rows] = False
            if not unseen.any():
                continue
            part = take(X, np.flatnonzero(unseen))
            if is_classifier(self):
                total[unseen] += class_shares(member, part, classes, True)
            else:
                total[unseen] += member.ask("predict", part).reshape(-1, width)
            asked[unseen] += 1
        judged = asked > 0
        if not judged.all():
            warnings.warn(
                f"Bagging: all members have seen {np.count_nonzero(~judged)} of {len(y)} rows, "
                "which the out-of-bag score leaves out. Raise n_estimators.",
                UserWarning,
                stacklevel=3,
            )
        if np.count_nonzero(judged) < 2:
            return float("nan")
        answers = total[judged] / asked[judged, None]
        if is_classifier(self):
            return float(accuracy_score(y[judged], classes[answers.argmax(axis=1)]))
        return float(r2_score(y[judged].reshape(-1, width), answers))
