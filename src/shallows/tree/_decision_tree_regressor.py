"""Decision tree for numbers."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Bunch

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows.tree._columns import CategoricalFeatures, learn_columns
from shallows.tree._grown_tree import GrownTree
from shallows.tree._growth import (
    LeafNumber,
    Many,
    MaxFeatures,
    Missing,
    Multiway,
    SplitSize,
    WeightFraction,
    rules_of,
)
from shallows.tree._plant import SEEDS, plant
from shallows.tree._prune import prune_by_cost, pruning_path
from shallows.tree._ranks import Ranks


class DecisionTreeRegressor(GrownTree, MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Questions about one property at a time that lead to a number.

    Grown like a tree for classes, with the squared error as impurity: a leaf answers with the mean
    of its training targets [1]_. Grown without limit, the tree repeats every training target.

    Parameters
    ----------
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
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        How many randomly drawn features a node looks at, as a number or share; all with None.
    max_leaf_nodes : int or None, default=None
        Most leaves; then the question that gains most is asked first, wherever it is.
    min_impurity_decrease : float, default=0.0
        Least decrease of the whole tree's impurity by a question.
    ccp_alpha : float, default=0.0
        Penalty per leaf: questions that lower the impurity by less per leaf are pruned away.
    missing : {"fractional", "majority"}, default="fractional"
        Where a row goes whose value is missing: down all branches, with their shares of its
        weight, or down the heaviest. A question is judged by the other rows and counts by their
        share.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a frame that are no numbers, or given by
        places, names or as a mask. With None all columns are numbers.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the drawn features.

    Attributes
    ----------
    tree_ : Tree
        The nodes, as arrays.
    categories_ : list
        Categories of each column, None for numbers.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and regression trees",
       Wadsworth, 1984.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.tree import DecisionTreeRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> model = DecisionTreeRegressor(max_depth=1).fit(X, [1, 1, 1, 5, 5, 5])
    >>> print(model.export_text())
    x0 <= 2.50: 1 (3)
    x0 > 2.50: 5 (3)
    """

    def __init__(
        self,
        criterion: Literal["squared_error"] = "squared_error",
        *,
        multiway: Multiway = True,
        max_depth: PositiveInt | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: Many = 1,
        min_weight_fraction_leaf: WeightFraction = 0.0,
        max_features: MaxFeatures = None,
        max_leaf_nodes: LeafNumber = None,
        min_impurity_decrease: NonNegativeFloat = 0.0,
        ccp_alpha: NonNegativeFloat = 0.0,
        missing: Missing = "fractional",
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: RandomState = None,
    ):
        self.criterion = criterion
        self.multiway = multiway
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.missing = missing
        self.categorical_features = categorical_features
        self.random_state = random_state

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
        self : DecisionTreeRegressor
            The fitted estimator.
        """
        grown = self._grow(X, y, sample_weight)
        self.tree_ = prune_by_cost(grown, self.ccp_alpha) if self.ccp_alpha > 0 else grown
        return self

    def predict(self, X):
        """Return the mean target of the leaf that each row comes to.

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
        check_params(self)
        X, y, weights = check_regression(
            self, learn_columns(self, X), y, sample_weight, sparse=True, allow_nan=True
        )
        self._one_output = y.ndim == 1
        y = y.reshape(len(y), -1).astype(np.float64)
        samples = np.flatnonzero(weights > 0).astype(np.int32)
        ranks = Ranks.of(X, self.categories_)
        rules = rules_of(self, X.shape[0], weights[samples], y.shape[1], ranks.any_missing)
        root = samples, weights[samples], as_generator(self.random_state).integers(SEEDS)
        return plant(ranks, y, 0, rules, [root])[0]
