"""Bagging: bootstrap aggregating of any estimator."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score

from shallows._core.contract.params import PositiveInt, Range, check_params
from shallows._core.contract.rng import as_generator
from shallows.tree._combined import Combined
from shallows.tree._members import (
    SEEDS,
    Draw,
    check_members_data,
    class_shares,
    take,
    train_all,
)

Share = PositiveInt | Annotated[float, Range(0, 1, open="low")]


class Bagged(Combined):
    """Methods of bagging, of classifiers or of regressors."""

    classes_: Any
    n_features_in_: int
    n_estimators: int
    random_state: Any
    max_samples: Any
    max_features: Any
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    warm_start: bool

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
        self : object
            The fitted estimator.
        """
        check_params(self)
        if self.oob_score and not self.bootstrap:
            raise ValueError(
                f"{type(self).__name__}: oob_score needs rows that a member has not seen. Set "
                "bootstrap=True."
            )
        earlier = getattr(self, "members_", []) if self.warm_start else []
        X, y, weights = check_members_data(self, self._learner, X, y, sample_weight)
        thetas = as_generator(self.random_state).integers(SEEDS, size=self.n_estimators)
        if len(earlier) > self.n_estimators:
            raise ValueError(
                f"{type(self).__name__}: with warm_start, n_estimators must be at least the "
                f"{len(earlier)} members that are there, got {self.n_estimators}."
            )
        few_rows = self.bootstrap or self.max_samples not in (None, 1.0)
        few_columns = self.bootstrap_features or self.max_features != 1.0
        draw = Draw(
            rows=(self.max_samples or 1.0) if few_rows else None,
            columns=self.max_features if few_columns else None,
            rows_again=self.bootstrap,
            columns_again=self.bootstrap_features,
        )
        new = thetas[len(earlier) :]
        workers = {"n_jobs": self.n_jobs, "verbose": self.verbose}
        self.members_ = earlier + train_all(self._learner, X, y, new, draw, weights, **workers)
        self.thetas_, self._n_rows = thetas, len(y)
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            vars(self).pop(name, None)
        if self.oob_score:
            self._judge_unseen(X, y)
        return self

    @property
    def estimator_(self):
        """The estimator of which members are copies."""
        return self._learner

    @property
    def estimators_(self) -> list:
        """The fitted estimators."""
        return [member.estimator for member in self.members_]

    @property
    def estimators_features_(self) -> list:
        """Columns that each member looks at."""
        every = np.arange(self.n_features_in_)
        return [every if one.columns is None else one.columns for one in self.members_]

    @property
    def estimators_samples_(self) -> list:
        """Rows that each member has learned from, with repetitions."""
        every = np.arange(self._n_rows)
        return [every if one.rows is None else one.rows for one in self.members_]

    def _judge_unseen(self, X, y) -> None:
        """Set the answers of members to rows that they have not seen, and their score."""
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
                f"{type(self).__name__}: all members have seen {np.count_nonzero(~judged)} of "
                f"{len(y)} rows, which the out-of-bag score leaves out. Raise n_estimators.",
                UserWarning,
                stacklevel=3,
            )
        answers = total / np.where(judged, asked, np.nan)[:, None]
        enough, told = np.count_nonzero(judged) > 1, answers[judged]
        if is_classifier(self):
            self.oob_decision_function_ = answers
            found = classes[told.argmax(axis=1)]
            score = accuracy_score(y[judged], found) if enough else np.nan
        else:
            self.oob_prediction_ = answers.reshape(y.shape)
            score = r2_score(y[judged].reshape(-1, width), told) if enough else np.nan
        self.oob_score_ = float(score)
