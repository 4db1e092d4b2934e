"""Bagging of regressors."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.params import NJobs, PositiveInt, Predictor, Verbose
from shallows._core.contract.rng import RandomState
from shallows.tree._bagged import Bagged, Share
from shallows.tree._decision_tree_regressor import DecisionTreeRegressor
from shallows.tree._members import float_type


class BaggingRegressor(Bagged, RegressorMixin, BaseEstimator):
    """Copies of a regressor, each trained on rows drawn with replacement, and their mean.

    Works where the estimator changes much when the data change a little, as trees do. A member
    sees about 63 % of the rows; the others judge it (`oob_score`). Members are trained by joblib,
    on `n_jobs` workers. For trees `RandomForestRegressor` is quicker.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Regressor; with None a decision tree.
    n_estimators : int, default=10
        Number of members.
    max_samples : int, float or None, default=None
        Rows drawn for a member, as a number or share; as many as there are with None.
    max_features : int or float, default=1.0
        Columns drawn for a member, as a number or share.
    bootstrap : bool, default=True
        Draw rows with replacement.
    bootstrap_features : bool, default=False
        Draw columns with replacement.
    oob_score : bool, default=False
        Judge each row by the members that have not seen it.
    warm_start : bool, default=False
        Keep the members of the last `fit`, on the same data, and train those that are lacking.
    n_jobs : int or None, default=None
        Workers of joblib; with None as many as ``joblib.parallel_config`` says.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the members.
    verbose : int, default=0
        How much joblib prints.

    Attributes
    ----------
    members_ : list of Member
        Fitted estimators, with the columns and rows that each has seen.
    estimators_ : list of estimator
        The fitted estimators alone.
    estimators_features_, estimators_samples_ : list of ndarray
        Columns and rows that each member has seen.
    thetas_ : ndarray of shape (n_estimators,)
        Seed of each member: the same seed gives the same member.
    oob_score_ : float
        Coefficient of determination on rows that members have not seen.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        What these members answer, NaN for a row that all have seen, with `oob_score`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] L. Breiman, "Bagging predictors", Machine Learning 24, 123-140, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from shallows.tree import BaggingRegressor, DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = DecisionTreeRegressor()
    >>> model = BaggingRegressor(tree, 50, oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.3
    True
    """

    def __init__(
        self,
        estimator: Predictor | None = None,
        n_estimators: PositiveInt = 10,
        *,
        max_samples: Share | None = None,
        max_features: Share = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: NJobs = None,
        random_state: RandomState = None,
        verbose: Verbose = 0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X):
        """Return the mean prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        """
        X = self._checked(X)
        answers = [member.ask("predict", X) for member in self.members_]
        return np.mean(answers, axis=0, dtype=float_type(X))

    @property
    def _learner(self):
        return DecisionTreeRegressor() if self.estimator is None else self.estimator
