"""Decision tree for classes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Bunch

from shallows._core.contract.data import check_labelled, hold_out
from shallows._core.contract.params import Fraction, NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows.tree._columns import CategoricalFeatures, learn_columns
from shallows.tree._grown_tree import GrownTree
from shallows.tree._growth import (
    ClassWeight,
    Criterion,
    LeafNumber,
    Many,
    MaxFeatures,
    Missing,
    Multiway,
    SplitSize,
    WeightFraction,
    class_weights,
    rules_of,
)
from shallows.tree._log_shares import LogSharesMixin
from shallows.tree._plant import SEEDS, plant
from shallows.tree._prune import prune_by_cost, pruning_path
from shallows.tree._ranks import Ranks
from shallows.tree._stopping import stop_by_chi2, stop_by_validation


class DecisionTreeClassifier(GrownTree, LogSharesMixin, ClassifierMixin, BaseEstimator):
    """Questions about one property at a time that lead to a class.

    Grown from the root downwards: each node takes the question that lowers the impurity most, and
    hands its samples to the branches, until a node is pure or nothing is left to ask [1]_. A
    property with categories gets one branch per category and is asked once on a path; a number is
    cut in two, half-way between two values, and may be cut again below. A branch without samples
    answers as its parent. Grown without limit, the tree repeats every training label, unless equal
    rows have different ones: limit, stop or prune it.

    Parameters
    ----------
    criterion : {"gini", "entropy", "gain-ratio", "misclassification"}, default="gini"
        Impurity whose decrease is looked for. "gain-ratio" divides the decrease of entropy by the
        entropy of the branches' sizes, against the lure of properties with many categories; the
        cut of a number is still the one with the largest decrease [2]_.
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
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; "balanced" weighs a class by one over its number of samples.
    ccp_alpha : float, default=0.0
        Penalty per leaf: questions that lower the impurity by less per leaf are pruned away.
    missing : {"fractional", "majority"}, default="fractional"
        Where a row goes whose value is missing: down all branches, with their shares of its
        weight, as in C4.5 [2]_, or down the heaviest. A question is judged by the other rows and
        counts by their share. Parts of a row count as parts in `min_samples_split`, and are not
        divided below a hundredth.
    stop : {"chi2", "validation"} or None, default=None
        End growth early where branch and class are not significantly dependent, or where a
        question does not lower the error on held-out samples. It misses a question that gains
        only together with those below it: `prune` does not.
    significance : float, default=0.05
        Level of the test of ``stop="chi2"``.
    validation_fraction : float, default=0.2
        Share of the samples held out for ``stop="validation"``.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a frame that are no numbers, or given by
        places, names or as a mask. With None all columns are numbers.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the drawn features and the held-out samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
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
    .. [2] J. R. Quinlan, "C4.5: Programs for machine learning", Morgan Kaufmann, 1993.

    Examples
    --------
    >>> from shallows.data import fruit_table
    >>> from shallows.tree import DecisionTreeClassifier
    >>> X, y, names = fruit_table(3000, missing=0, odd=0, random_state=0)
    >>> model = DecisionTreeClassifier("entropy").fit(X, y)
    >>> print(model.predict([["yellow", "small", "sour", "medium", "round"]])[0])
    Lemon
    """

    def __init__(
        self,
        criterion: Criterion = "gini",
        *,
        multiway: Multiway = True,
        max_depth: PositiveInt | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: Many = 1,
        min_weight_fraction_leaf: WeightFraction = 0.0,
        max_features: MaxFeatures = None,
        max_leaf_nodes: LeafNumber = None,
        min_impurity_decrease: NonNegativeFloat = 0.0,
        class_weight: ClassWeight = None,
        ccp_alpha: NonNegativeFloat = 0.0,
        missing: Missing = "fractional",
        stop: Literal["chi2", "validation"] | None = None,
        significance: Fraction = 0.05,
        validation_fraction: Fraction = 0.2,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.missing = missing
        self.stop = stop
        self.significance = significance
        self.validation_fraction = validation_fraction
        self.categorical_features = categorical_features
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Grow the tree, and stop or prune it as asked for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, numbers or categories; NaN or None where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : DecisionTreeClassifier
            The fitted estimator.
        """
        grown, held_out = self._grow(X, y, sample_weight)
        if self.stop == "chi2":
            grown = stop_by_chi2(grown, self.significance)
        if held_out is not None:
            grown = stop_by_validation(grown, *held_out)
        self.tree_ = prune_by_cost(grown, self.ccp_alpha) if self.ccp_alpha > 0 else grown
        return self

    def predict(self, X):
        """Return the most frequent class of the leaf that each row comes to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; a category that was not seen in training counts as missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Class labels.
        """
        X = self._checked(X)
        return self.classes_[self.tree_.choices(X, self.missing == "fractional")]

    def predict_proba(self, X):
        """Return the shares of the classes in the leaf that each row comes to.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            Shares in the order of `classes_`; where a value is missing and ``missing`` is
            "fractional", a mean over leaves.
        """
        X = self._checked(X)
        return self.tree_.answers(X, self.missing == "fractional").astype(X.dtype, copy=False)

    def cost_complexity_pruning_path(self, X, y, sample_weight=None) -> Bunch:
        """Return the penalties at which questions of the full tree fall, for `ccp_alpha`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        path : Bunch
            `ccp_alphas`, and the `impurities` of the leaves that are left.
        """
        grown, _ = type(self)(**self.get_params())._grow(X, y, sample_weight)
        return pruning_path(grown)

    def _grow(self, X, y, sample_weight):
        """Return the full tree, and the samples held out, if any."""
        check_params(self)
        X, y, weights = check_labelled(
            self, learn_columns(self, X), y, sample_weight, sparse=True, allow_nan=True
        )
        rng, held_out = as_generator(self.random_state), None
        weights = weights * class_weights(self.class_weight, y, self.classes_)
        if self.stop == "validation":
            (X, y, weights), held_out = hold_out(
                X, y, weights, self.validation_fraction, rng, stratify=True
            )
        samples = np.flatnonzero(weights > 0).astype(np.int32)
        ranks, n_classes = Ranks.of(X, self.categories_), len(self.classes_)
        rules = rules_of(self, X.shape[0], weights[samples], 1, ranks.any_missing)
        root = samples, weights[samples], rng.integers(SEEDS)
        (grown,) = plant(ranks, y.astype(np.int32), n_classes, rules, [root])
        return grown, held_out
