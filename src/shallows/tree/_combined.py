"""What ensembles of any estimator share, whatever makes their members differ."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import check_is_fitted

from shallows.tree._log_shares import LogSharesMixin
from shallows.tree._members import Member, check_members_data, inherit_tags


class Combined(LogSharesMixin):
    """Methods of estimators with `members_`, trained as copies of `_learner`."""

    members_: list[Member]

    def member_predictions(self, X):
        """Return what each member predicts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_estimators, n_samples)
            Labels or targets.
        """
        X = self._checked(X)
        return np.array([member.ask("predict", X) for member in self.members_])

    def score(self, X, y, sample_weight=None):
        """Return the accuracy, or the coefficient of determination of regressors.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        score : float
            1 is best.
        """
        judge = accuracy_score if is_classifier(self) else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))

    def _checked(self, X):
        check_is_fitted(self)
        return check_members_data(self, self._learner, X, reset=False)

    def __sklearn_tags__(self):
        return inherit_tags(super().__sklearn_tags__(), self._learner)
