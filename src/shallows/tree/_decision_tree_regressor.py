"""Decision tree for numbers."""

from __future__ import annotations

from sklearn import tree
from sklearn.base import BaseEstimator

from shallows._core.contract.params import NonNegativeFloat, PositiveInt
from shallows._core.contract.rng import RandomState
from shallows.tree._columns import CategoricalFeatures
from shallows.tree._growth import (
    LeafNumber,
    Many,
    MaxFeatures,
    Missing,
    Multiway,
    NumberCriterion,
    Signs,
    SplitSize,
    Splitter,
    WeightFraction,
)
from shallows.tree._number_tree import NumberTree


class DecisionTreeRegressor(NumberTree, BaseEstimator):
    """Questions about one property at a time that lead to a number.

    Grown like a tree for classes, with the squared error as impurity: a leaf answers with the mean
    of its training targets [1]_. Grown without limit, the tree repeats every training target.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, \
            default="squared_error"
        Impurity whose decrease is looked for; "friedman_mse" is "squared_error". With the absolute
        error leaves answer with the median. "poisson" is for counts, which are not negative.
    splitter : {"best", "random", "hist", "auto"}, default="best"
        How a number is cut: at the best of all places; at one drawn between a node's smallest and
        largest value, the best over the features [2]_; at the best of 255 places with equally many
        rows between them; or "best", and "hist" from 200,000 rows on. Categories are always
        asked in the best way.
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
    random_state : int, RandomState, Generator or None, default=None
        Seeds the drawn features and cuts.
    max_leaf_nodes : int or None, default=None
        Most leaves; then the question that gains most is asked first, wherever it is.
    min_impurity_decrease : float, default=0.0
        Least decrease of the whole tree's impurity by a question.
    ccp_alpha : float, default=0.0
        Penalty per leaf: questions that lower the impurity by less per leaf are pruned away.
    monotonic_cst : array-like of shape (n_features,) or None, default=None
        1 where the answer must not fall with a column, -1 where it must not rise, else 0.
        Needs one target, and columns of numbers without gaps.
    multiway : bool or "subset", default=True
        One branch per category; otherwise, with two branches, "is it this one?" or "is it one of
        these?", with the best subset of the categories.
    missing : {"fractional", "majority"}, default="fractional"
        Where a row goes whose value is missing: down all branches, with their shares of its
        weight, or down the heaviest. A question is judged by the other rows and counts by their
        share.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a frame that are no numbers, or given by
        places, names or as a mask. With None all columns are numbers.

    Attributes
    ----------
    n_outputs_ : int
        Number of targets.
    max_features_ : int
        Number of features that a node looks at.
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
    .. [2] P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63,
       3-42, 2006.

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
        criterion: NumberCriterion = "squared_error",
        *,
        splitter: Splitter = "best",
        max_depth: PositiveInt | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: Many = 1,
        min_weight_fraction_leaf: WeightFraction = 0.0,
        max_features: MaxFeatures = None,
        random_state: RandomState = None,
        max_leaf_nodes: LeafNumber = None,
        min_impurity_decrease: NonNegativeFloat = 0.0,
        ccp_alpha: NonNegativeFloat = 0.0,
        monotonic_cst: Signs = None,
        multiway: Multiway = True,
        missing: Missing = "fractional",
        categorical_features: CategoricalFeatures = "from_dtype",
    ):
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.multiway = multiway
        self.missing = missing
        self.categorical_features = categorical_features


# so that scikit-learn's `export_text` takes it
tree.DecisionTreeRegressor.register(DecisionTreeRegressor)
