"""Gradient boosting of trees on binned columns, for classes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from shallows._core.contract.data import check_labelled
from shallows._core.contract.params import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows._core.contract.training import IterativeMixin
from shallows.tree._boosting_estimator import HistogramBoosting
from shallows.tree._boosting_fit import Samples
from shallows.tree._boosting_losses import BinaryLogLoss, MultinomialLogLoss
from shallows.tree._boosting_setup import (
    EarlyStopping,
    InteractionCst,
    MaxBins,
    MaxLeafNodes,
    MonotonicCst,
    ShareOfFeatures,
    ValidationFraction,
    refuse_half_validation,
)
from shallows.tree._columns import CategoricalFeatures, encode_columns, learn_columns
from shallows.tree._log_shares import LogSharesMixin


class HistGradientBoostingClassifier(
    HistogramBoosting, LogSharesMixin, ClassifierMixin, IterativeMixin, BaseEstimator
):
    """Class probabilities from a sum of small trees, each fitted to the errors of those before.

    Each tree descends the gradient of a loss [1]_. Columns are cut into at most 255 bins, so that
    a split is found from sums over bins instead of sorted rows, and the sums of one child give
    those of the other [2]_. It is the first learner to try on large tables: numbers and
    categories, gaps, no scaling. Names and meaning of the parameters are scikit-learn's.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
        What the trees descend: minus the logarithm of the probability of the class.
    learning_rate : float, default=0.1
        Factor on the values of the leaves; smaller ones need more trees and generalise better.
    max_iter : int, default=100
        Number of iterations; each grows one tree, with more than two classes one per class.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree; the split that gains most comes first.
    max_depth : int or None, default=None
        Most splits on a path.
    min_samples_leaf : int, default=20
        Fewest samples in a leaf. Lower it for a few hundred samples or fewer.
    l2_regularization : float, default=0.0
        What is added to the hessian of a leaf, so that small leaves have small values.
    max_features : float, default=1.0
        Share of the features that a node looks at, drawn at random.
    max_bins : int, default=255
        Most bins of a feature, from 2 to 255. Gaps have one more.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a frame that are no numbers, or given by
        places, names or as a mask. With None all columns are numbers. A split divides the
        categories into two subsets.
    monotonic_cst : dict, array-like or None, default=None
        Sign of the effect of each feature, by place or by name: 1 where predictions must not
        fall as it rises, -1 where they must not rise, 0 where they may do both.
    interaction_cst : "pairwise", "no_interactions", sequence of sets or None, default=None
        Sets of features that may be on one path; those in none form a further set.
    warm_start : bool, default=False
        Keep the trees of the last `fit`, on the same data, and grow those that are lacking.
    early_stopping : "auto" or bool, default="auto"
        Stop where the scores no longer improve; "auto" does with more than 10,000 samples, or
        where validation samples are given.
    scoring : str, callable or None, default="loss"
        What early stopping watches: the loss, a scorer, or the score of the estimator with None.
    validation_fraction : float, int or None, default=0.1
        Samples that are held out to watch, as share or number; None watches the training samples.
    n_iter_no_change : int, default=10
        Iterations without improvement that end the training.
    tol : float, default=1e-07
        Smallest change of the score that counts as improvement.
    verbose : int, default=0
        Checked and taken; use ``set_callbacks(ProgressBar())`` to see progress.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the held-out samples and the drawn features.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; "balanced" weighs a class by one over its number of samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_iter_ : int
        Number of iterations.
    history_ : dict of list
        Mean loss after each iteration, "loss", and on held-out samples, "val_loss".
    do_early_stopping_ : bool
        Whether training watched the scores.
    train_score_, validation_score_ : ndarray of shape (n_stages,)
        Scores before the first iteration and after each, empty without early stopping; of the
        loss its negative.
    n_trees_per_iteration_ : int
        1 for two classes, else one per class.
    is_categorical_ : ndarray of shape (n_features,) or None
        Which columns hold categories; None where none does.
    categories_ : list
        Categories of each column, None for numbers.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] J. H. Friedman, "Greedy function approximation: a gradient boosting machine", Annals
       of Statistics 29, 1189-1232, 2001.
    .. [2] G. Ke et al., "LightGBM: a highly efficient gradient boosting decision tree", Advances
       in Neural Information Processing Systems 30, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from shallows.tree import HistGradientBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = HistGradientBoostingClassifier().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    """

    def __init__(
        self,
        loss: Literal["log_loss"] = "log_loss",
        *,
        learning_rate: NonNegativeFloat = 0.1,
        max_iter: PositiveInt = 100,
        max_leaf_nodes: MaxLeafNodes = 31,
        max_depth: PositiveInt | None = None,
        min_samples_leaf: PositiveInt = 20,
        l2_regularization: NonNegativeFloat = 0.0,
        max_features: ShareOfFeatures = 1.0,
        max_bins: MaxBins = 255,
        categorical_features: CategoricalFeatures = "from_dtype",
        monotonic_cst: MonotonicCst = None,
        interaction_cst: InteractionCst = None,
        warm_start: bool = False,
        early_stopping: EarlyStopping = "auto",
        scoring: Any = "loss",
        validation_fraction: ValidationFraction = 0.1,
        n_iter_no_change: PositiveInt = 10,
        tol: NonNegativeFloat = 1e-7,
        verbose: NonNegativeInt = 0,
        random_state: RandomState = None,
        class_weight: dict | Literal["balanced"] | None = None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, numbers or categories; NaN or None where a value is missing.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.
        X_val : array-like of shape (n_val, n_features), default=None
            Samples that early stopping watches.
        y_val : array-like of shape (n_val,), default=None
            Their labels.
        sample_weight_val : array-like of shape (n_val,), default=None
            Their weights.

        Returns
        -------
        self : HistGradientBoostingClassifier
            The fitted estimator.
        """
        check_params(self)
        refuse_half_validation(self, X_val, y_val)
        train = self._samples(learn_columns(self, X), y, sample_weight)
        held = None
        if X_val is not None:
            held = self._samples(encode_columns(self, X_val), y_val, sample_weight_val, reset=False)
        self._seeded()
        self._learn(self._loss(), train, held, lambda y: self.classes_[y])
        return self

    def predict(self, X):
        """Return the most probable class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; a category that was not seen in training counts as missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Class labels.
        """
        return self._labels(self._raw(self._checked(X)))

    def predict_proba(self, X):
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`.
        """
        X = self._checked(X)
        return self._loss().answer(self._raw(X)).astype(X.dtype)

    def decision_function(self, X):
        """Return the sums of the trees: of two classes the log-odds of the second.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number per sample for two classes, else one per class.
        """
        X = self._checked(X)
        return self._in_shape(self._raw(X)).astype(X.dtype)

    def staged_predict(self, X):
        """Yield the most probable classes after each iteration.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        labels : ndarray of shape (n_samples,)
            Class labels.
        """
        for raw in self._staged_raw(self._checked(X)):
            yield self._labels(raw)

    def staged_predict_proba(self, X):
        """Yield the probabilities of the classes after each iteration.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        shares : ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        X = self._checked(X)
        for raw in self._staged_raw(X):
            yield self._loss().answer(raw).astype(X.dtype)

    def staged_decision_function(self, X):
        """Yield the sums of the trees after each iteration.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            As `decision_function` returns it.
        """
        X = self._checked(X)
        for raw in self._staged_raw(X):
            yield self._in_shape(raw).astype(X.dtype)

    def _loss(self):
        n_classes = len(self.classes_)
        return BinaryLogLoss() if n_classes == 2 else MultinomialLogLoss(n_classes)

    def _in_shape(self, raw):
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def _labels(self, raw):
        best = raw[:, 0] > 0 if raw.shape[1] == 1 else raw.argmax(axis=1)
        return self.classes_[best.astype(np.intp)]

    def _samples(self, X, y, sample_weight, reset=True) -> Samples:
        X, y, weights = check_labelled(self, X, y, sample_weight, allow_nan=True, reset=reset)
        if self.class_weight is not None and reset:
            weights = weights * compute_sample_weight(self.class_weight, self.classes_[y])
        return Samples(X, y, weights)
