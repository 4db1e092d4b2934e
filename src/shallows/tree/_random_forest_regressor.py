"""Random forest for numbers."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows.tree._columns import CategoricalFeatures, learn_columns
from shallows.tree._decision_tree_regressor import DecisionTreeRegressor
from shallows.tree._forest import (
    MaxSamples,
    grow_forest,
    out_of_bag_answers,
    refuse_oob_without_bootstrap,
    warn_of_few_trees,
)
from shallows.tree._grown_forest import GrownForest
from shallows.tree._growth import (
    LeafNumber,
    Many,
    MaxFeatures,
    Missing,
    Multiway,
    SplitSize,
    WeightFraction,
)
from shallows.tree._tree import mean_answers


class RandomForestRegressor(GrownForest, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Many trees that differ by chance, and the mean of their answers.

    Each tree grows on a bootstrap sample and may look, at every node, at a few features drawn at
    random [1]_. The mean has less variance than one tree; more trees do not overfit. Trees grow on
    threads; the result does not depend on their number.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"squared_error"}, default="squared_error"
        Impurity whose decrease is looked for.
    multiway : bool, default=True
        One branch per category; otherwise "is it this one?", with two branches.
    max_depth : int or None, default=None
        Most questions on a path.
    min_samples_split : int or float, default=2
        Fewest samples of a node that asks; below 1, their share of all samples.
    min_samples_leaf : int or float, default=1
        Fewest samples in a branch that has any; below 1, their share of all samples.
    min_weight_fraction_leaf : float, default=0.0
        Least weight of a branch that has samples, as a share of the weight of all.
    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        How many randomly drawn features a node looks at, as a number or share; all with None.
    max_leaf_nodes : int or None, default=None
        Most leaves of a tree; then the question that gains most is asked first, wherever it is.
    min_impurity_decrease : float, default=0.0
        Least decrease of the whole tree's impurity by a question.
    bootstrap : bool, default=True
        Give each tree rows drawn with replacement; otherwise all rows.
    max_samples : int, float or None, default=None
        Rows drawn for a tree, as a number or share; as many as there are with None.
    oob_score : bool, default=False
        Judge each row by the trees that have not seen it.
    ccp_alpha : float, default=0.0
        Price of a leaf: each tree is cut back to where a question lowers its impurity by more.
    missing : {"fractional", "majority"}, default="fractional"
        Where a row goes whose value is missing: down all branches, with their shares of its
        weight, or down the heaviest. A question is judged by the other rows and counts by their
        share.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a frame that are no numbers, or given by
        places, names or as a mask. With None all columns are numbers.
    warm_start : bool, default=False
        Keep the trees of the last `fit`, on the same data, and grow those that are lacking.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the bootstrap samples and the drawn features.

    Attributes
    ----------
    trees_ : list of Tree
        The trees, as arrays.
    categories_ : list
        Categories of each column, None for numbers.
    oob_score_ : float
        Coefficient of determination on rows that trees have not seen, with `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        What these trees answer, NaN for a row that all have seen, with `oob_score`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] L. Breiman, "Random forests", Machine Learning 45, 5-32, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from shallows.tree import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomForestRegressor(oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.35
    True
    """

    _member = DecisionTreeRegressor

    def __init__(
        self,
        n_estimators: PositiveInt = 100,
        *,
        criterion: Literal["squared_error"] = "squared_error",
        multiway: Multiway = True,
        max_depth: PositiveInt | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: Many = 1,
        min_weight_fraction_leaf: WeightFraction = 0.0,
        max_features: MaxFeatures = 1.0,
        max_leaf_nodes: LeafNumber = None,
        min_impurity_decrease: NonNegativeFloat = 0.0,
        bootstrap: bool = True,
        max_samples: MaxSamples = None,
        oob_score: bool = False,
        ccp_alpha: NonNegativeFloat = 0.0,
        missing: Missing = "fractional",
        categorical_features: CategoricalFeatures = "from_dtype",
        warm_start: bool = False,
        random_state: RandomState = None,
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.multiway = multiway
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.ccp_alpha = ccp_alpha
        self.missing = missing
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.random_state = random_state

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
        self : RandomForestRegressor
            The fitted estimator.
        """
        check_params(self)
        refuse_oob_without_bootstrap(self)
        X, y, weights = check_regression(
            self, learn_columns(self, X), y, sample_weight, sparse=True, allow_nan=True
        )
        self._one_output = y.ndim == 1
        y = y.reshape(len(y), -1).astype(np.float64)
        grow_forest(self, X, y, 0, weights, as_generator(self.random_state))
        for name in ("oob_score_", "oob_prediction_"):
            vars(self).pop(name, None)
        if self.oob_score:
            means = out_of_bag_answers(self, X, self.missing == "fractional")
            judged = ~np.isnan(means[:, 0])
            warn_of_few_trees(self, judged)
            self.oob_prediction_ = self._shaped(means, X.dtype)
            enough = np.count_nonzero(judged) > 1
            self.oob_score_ = float(r2_score(y[judged], means[judged])) if enough else float("nan")
        return self

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
