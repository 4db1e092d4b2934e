"""Decision tree for classes."""

from __future__ import annotations

from typing import Literal

from sklearn import tree
from sklearn.base import BaseEstimator

from shallows._core.contract.params import Fraction, NonNegativeFloat, PositiveInt
from shallows._core.contract.rng import RandomState
from shallows.tree._class_tree import ClassTree
from shallows.tree._columns import CategoricalFeatures
from shallows.tree._growth import (
    ClassWeight,
    Criterion,
    LeafNumber,
    Many,
    MaxFeatures,
    Missing,
    Multiway,
    Signs,
    SplitSize,
    Splitter,
    WeightFraction,
)


class DecisionTreeClassifier(ClassTree, BaseEstimator):
    """Questions about one property at a time that lead to a class.

    Grown from the root downwards: each node takes the question that lowers the impurity most, and
    hands its samples to the branches, until a node is pure or nothing is left to ask [1]_. A
    property with categories gets one branch per category and is asked once on a path; a number is
    cut in two, half-way between two values, and may be cut again below. A branch without samples
    answers as its parent. Grown without limit, the tree repeats every training label, unless equal
    rows have different ones: limit, stop or prune it.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain-ratio", "misclassification"}, default="gini"
        Impurity whose decrease is looked for; "log_loss" is "entropy". "gain-ratio" divides the
        decrease of entropy by the entropy of the branches' sizes, against the lure of properties
        with many categories; the cut of a number is still the one with the largest decrease [2]_.
    splitter : {"best", "random", "hist", "auto"}, default="best"
        How a number is cut: at the best of all places; at one drawn between a node's smallest and
        largest value, the best over the features [3]_; at the best of 255 places with equally many
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
        Seeds the drawn features and cuts, and the held-out samples.
    max_leaf_nodes : int or None, default=None
        Most leaves; then the question that gains most is asked first, wherever it is.
    min_impurity_decrease : float, default=0.0
        Least decrease of the whole tree's impurity by a question.
    class_weight : dict, list of dict, "balanced" or None, default=None
        Weight of each class, of several targets one dict each; "balanced" weighs a class by one
        over its number of samples.
    ccp_alpha : float, default=0.0
        Penalty per leaf: questions that lower the impurity by less per leaf are pruned away.
    monotonic_cst : array-like of shape (n_features,) or None, default=None
        1 where the answer must not fall with a column, -1 where it must not rise, else 0: the
        share of the second of two classes. Needs columns of numbers without gaps.
    multiway : bool or "subset", default=True
        One branch per category; otherwise, with two branches, "is it this one?" or "is it one of
        these?", with the best subset of the categories.
    missing : {"fractional", "majority"}, default="fractional"
        Where a row goes whose value is missing: down all branches, with their shares of its
        weight, as in C4.5 [2]_, or down the heaviest. A question is judged by the other rows and
        counts by their share. Parts of a row count as parts in `min_samples_split`, with
        "gain-ratio" also in `min_samples_leaf`, and are not divided below a hundredth.
    stop : {"chi2", "validation", "pessimistic"} or None, default=None
        End growth early where branch and class are not significantly dependent, or where a
        question does not lower the error on held-out samples. Both miss a question that gains
        only together with those below it; `prune` does not, nor does "pessimistic", C4.5's
        pruning: a node becomes a leaf where an upper bound of its error is not above that of
        what hangs below [2]_.
    significance : float, default=0.05
        Level of the test of ``stop="chi2"``, or chance of errors beyond the bound of
        "pessimistic", 0.25 in C4.5.
    validation_fraction : float, default=0.2
        Share of the samples held out for ``stop="validation"``.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a frame that are no numbers, or given by
        places, names or as a mask. With None all columns are numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,) or list of ndarray
        Class labels, of several targets a list.
    n_classes_ : int or list of int
        Number of classes.
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
    .. [2] J. R. Quinlan, "C4.5: Programs for machine learning", Morgan Kaufmann, 1993.
    .. [3] P. Geurts, D. Ernst, L. Wehenkel, "Extremely randomized trees", Machine Learning 63,
       3-42, 2006.

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
        splitter: Splitter = "best",
        max_depth: PositiveInt | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: Many = 1,
        min_weight_fraction_leaf: WeightFraction = 0.0,
        max_features: MaxFeatures = None,
        random_state: RandomState = None,
        max_leaf_nodes: LeafNumber = None,
        min_impurity_decrease: NonNegativeFloat = 0.0,
        class_weight: ClassWeight = None,
        ccp_alpha: NonNegativeFloat = 0.0,
        monotonic_cst: Signs = None,
        multiway: Multiway = True,
        missing: Missing = "fractional",
        stop: Literal["chi2", "validation", "pessimistic"] | None = None,
        significance: Fraction = 0.05,
        validation_fraction: Fraction = 0.2,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.multiway = multiway
        self.missing = missing
        self.stop = stop
        self.significance = significance
        self.validation_fraction = validation_fraction
        self.categorical_features = categorical_features


# so that scikit-learn's `export_text` takes it
tree.DecisionTreeClassifier.register(DecisionTreeClassifier)
