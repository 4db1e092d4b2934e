"""Random forest for classes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows.tree._columns import CategoricalFeatures, learn_columns
from shallows.tree._decision_tree_classifier import DecisionTreeClassifier
from shallows.tree._forest import (
    MaxSamples,
    grow_forest,
    out_of_bag_answers,
    refuse_oob_without_bootstrap,
    warn_of_few_trees,
)
from shallows.tree._grown_forest import GrownForest
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
)
from shallows.tree._log_shares import LogSharesMixin
from shallows.tree._tree import mean_answers


class RandomForestClassifier(GrownForest, LogSharesMixin, ClassifierMixin, BaseEstimator):
    """Many trees that differ by chance, and the mean or the majority of their answers.

    Each tree grows on a bootstrap sample and looks, at every node, at a few features drawn at
    random [1]_. Trees that err on different rows outvote one another's errors; more trees do not
    overfit. `strength` and `correlation` measure what a forest lives on. Trees grow on threads;
    the result does not depend on their number.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "gain-ratio", "misclassification"}, default="gini"
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
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
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
    voting : {"soft", "hard"}, default="soft"
        The class with the largest mean share in the trees' leaves, or with most votes.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weight of each class; "balanced" weighs a class by one over its number of samples,
        "balanced_subsample" by one over that in the rows drawn for a tree.
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
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    trees_ : list of Tree
        The trees, as arrays.
    categories_ : list
        Categories of each column, None for numbers.
    oob_score_ : float
        Accuracy on rows that trees have not seen, with `oob_score`.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)
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
    >>> from sklearn.datasets import load_iris
    >>> from shallows.tree import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.93
    True
    """

    _member = DecisionTreeClassifier

    def __init__(
        self,
        n_estimators: PositiveInt = 100,
        *,
        criterion: Criterion = "gini",
        multiway: Multiway = True,
        max_depth: PositiveInt | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: Many = 1,
        min_weight_fraction_leaf: WeightFraction = 0.0,
        max_features: MaxFeatures = "sqrt",
        max_leaf_nodes: LeafNumber = None,
        min_impurity_decrease: NonNegativeFloat = 0.0,
        bootstrap: bool = True,
        max_samples: MaxSamples = None,
        oob_score: bool = False,
        voting: Literal["soft", "hard"] = "soft",
        class_weight: ClassWeight | Literal["balanced_subsample"] = None,
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
        self.voting = voting
        self.class_weight = class_weight
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
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : RandomForestClassifier
            The fitted estimator.
        """
        check_params(self)
        refuse_oob_without_bootstrap(self)
        X, y, weights = check_labelled(
            self, learn_columns(self, X), y, sample_weight, sparse=True, allow_nan=True
        )
        weights = weights * class_weights(self.class_weight, y, self.classes_)
        rng = as_generator(self.random_state)
        grow_forest(self, X, y.astype(np.int32), len(self.classes_), weights, rng)
        for name in ("oob_score_", "oob_decision_function_"):
            vars(self).pop(name, None)
        if self.oob_score:
            shares = out_of_bag_answers(self, X, *self._way)
            judged = ~np.isnan(shares[:, 0])
            warn_of_few_trees(self, judged)
            self.oob_decision_function_ = shares.astype(X.dtype)
            right = shares[judged].argmax(axis=1) == y[judged]
            self.oob_score_ = float(right.mean()) if judged.any() else float("nan")
        return self

    def predict(self, X):
        """Return the class that the trees choose together.

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
        return self.classes_[mean_answers(self.trees_, X, *self._way).argmax(axis=1)]

    def predict_proba(self, X):
        """Return the mean shares of the classes, or the shares of the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            Shares in the order of `classes_`.
        """
        X = self._checked(X)
        return mean_answers(self.trees_, X, *self._way).astype(X.dtype)

    def member_predictions(self, X):
        """Return the class that each tree chooses.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_estimators, n_samples)
            Class labels.
        """
        X = self._checked(X)
        answers = [tree.choices(X, self._way[0]) for tree in self.trees_]
        return self.classes_[np.array(answers)]

    @property
    def _way(self):
        return self.missing == "fractional", self.voting == "hard"
