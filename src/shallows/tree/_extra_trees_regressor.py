"""Extremely randomised trees for numbers."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.base import BaseEstimator

from shallows._core.contract.params import NJobs, NonNegativeFloat, PositiveInt, Verbose
from shallows._core.contract.rng import RandomState
from shallows.tree._columns import CategoricalFeatures
from shallows.tree._extra_tree_regressor import ExtraTreeRegressor
from shallows.tree._forest import MaxSamples
from shallows.tree._growth import (
    LeafNumber,
    Many,
    MaxFeatures,
    Missing,
    Multiway,
    NumberCriterion,
    Signs,
    SplitSize,
    WeightFraction,
)
from shallows.tree._number_forest import NumberForest


class ExtraTreesRegressor(NumberForest, BaseEstimator):
    """Many trees for numbers that cut columns at places drawn by chance.

    At each node every drawn feature gets one cut, at a place drawn between the smallest and the
    largest value there, and the best of these cuts is asked [1]_. The mean is smoother than that of
    a random forest; by default each tree sees all rows.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, \
            default="squared_error"
        Impurity whose decrease is looked for; "friedman_mse" is "squared_error". With the absolute
        error leaves answer with the median. "poisson" is for counts, which are not negative.
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
    bootstrap : bool, default=False
        Give each tree rows drawn with replacement; otherwise all rows.
    oob_score : bool or callable, default=False
        Judge each row by the trees that have not seen it, by accuracy or R2, or by a function of
        targets and predictions such as those in `sklearn.metrics`.
    n_jobs : int or None, default=None
        Most threads; -1 for all cores. With None those that the process may use.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the bootstrap samples and the drawn features.
    verbose : int, default=0
        Print how many trees have been grown.
    warm_start : bool, default=False
        Keep the trees of the last `fit`, on the same data, and grow those that are lacking.
    ccp_alpha : float, default=0.0
        Price of a leaf: each tree is cut back to where a question lowers its impurity by more.
    max_samples : int, float or None, default=None
        Rows drawn for a tree, as a number or share; as many as there are with None.
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
    estimators_ : list of ExtraTreeRegressor
        The trees as estimators.
    trees_ : list of Tree
        The trees, as arrays.
    categories_ : list
        Categories of each column, None for numbers.
    oob_score_ : float
        Score on rows that trees have not seen, with `oob_score`.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        What these trees answer, NaN for a row that all have seen, with `oob_score`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63,
       3-42, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from shallows.tree import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ExtraTreesRegressor(bootstrap=True, oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.35
    True
    """

    _member = ExtraTreeRegressor
    splitter = "random"

    def __init__(
        self,
        n_estimators: PositiveInt = 100,
        *,
        criterion: NumberCriterion = "squared_error",
        max_depth: PositiveInt | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: Many = 1,
        min_weight_fraction_leaf: WeightFraction = 0.0,
        max_features: MaxFeatures = 1.0,
        max_leaf_nodes: LeafNumber = None,
        min_impurity_decrease: NonNegativeFloat = 0.0,
        bootstrap: bool = False,
        oob_score: bool | Callable = False,
        n_jobs: NJobs = None,
        random_state: RandomState = None,
        verbose: Verbose = 0,
        warm_start: bool = False,
        ccp_alpha: NonNegativeFloat = 0.0,
        max_samples: MaxSamples = None,
        monotonic_cst: Signs = None,
        multiway: Multiway = True,
        missing: Missing = "fractional",
        categorical_features: CategoricalFeatures = "from_dtype",
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.multiway = multiway
        self.missing = missing
        self.categorical_features = categorical_features
