"""Gradient boosting of trees on binned columns, for numbers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_regression
from shallows._core.contract.params import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    Probability,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows._core.contract.training import IterativeMixin
from shallows.tree._boosting_estimator import HistogramBoosting
from shallows.tree._boosting_fit import Samples
from shallows.tree._boosting_losses import AbsoluteError, Gamma, Poisson, Quantile, SquaredError
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

LOSSES = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "gamma": Gamma,
    "poisson": Poisson,
}


class HistGradientBoostingRegressor(
    HistogramBoosting, RegressorMixin, IterativeMixin, BaseEstimator
):
    """Sum of many small trees, each fitted to the errors of those before.

    Each tree descends the gradient of a loss [1]_. Columns are cut into at most 255 bins, so that
    a split is found from sums over bins instead of sorted rows, and the sums of one child give
    those of the other [2]_. It is the first learner to try on large tables: numbers and
    categories, gaps, no scaling. Names and meaning of the parameters are scikit-learn's.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, \
default="squared_error"
        What the trees descend. "poisson" and "gamma" model the logarithm of the mean, for counts
        and for positive numbers.
    quantile : float or None, default=None
        Which quantile "quantile" estimates, from 0 to 1.
    learning_rate : float, default=0.1
        Factor on the values of the leaves; smaller ones need more trees and generalise better.
    max_iter : int, default=100
        Number of trees.
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

    Attributes
    ----------
    n_iter_ : int
        Number of trees.
    history_ : dict of list
        Mean loss after each iteration, "loss", and on held-out samples, "val_loss".
    do_early_stopping_ : bool
        Whether training watched the scores.
    train_score_, validation_score_ : ndarray of shape (n_stages,)
        Scores before the first iteration and after each, empty without early stopping; of the
        loss its negative.
    n_trees_per_iteration_ : int
        Always 1.
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
    >>> from sklearn.datasets import load_diabetes
    >>> from shallows.tree import HistGradientBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = HistGradientBoostingRegressor().fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        loss: Literal[
            "squared_error", "absolute_error", "gamma", "poisson", "quantile"
        ] = "squared_error",
        *,
        quantile: Probability | None = None,
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
    ):
        self.loss = loss
        self.quantile = quantile
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

    def fit(self, X, y, sample_weight=None, *, X_val=None, y_val=None, sample_weight_val=None):
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, numbers or categories; NaN or None where a value is missing.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.
        X_val : array-like of shape (n_val, n_features), default=None
            Samples that early stopping watches.
        y_val : array-like of shape (n_val,), default=None
            Their targets.
        sample_weight_val : array-like of shape (n_val,), default=None
            Their weights.

        Returns
        -------
        self : HistGradientBoostingRegressor
            The fitted estimator.
        """
        check_params(self)
        refuse_half_validation(self, X_val, y_val)
        loss = self._loss()
        train = self._samples(loss, learn_columns(self, X), y, sample_weight)
        held = None
        if X_val is not None:
            rows = encode_columns(self, X_val)
            held = self._samples(loss, rows, y_val, sample_weight_val, reset=False)
        self._seeded()
        self._learn(loss, train, held, lambda y: y)
        return self

    def predict(self, X):
        """Return the mean, or the median or quantile with their losses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples; a category that was not seen in training counts as missing.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        X = self._checked(X)
        return self._loss().answer(self._raw(X)).astype(X.dtype)

    def staged_predict(self, X):
        """Yield the predictions after each iteration.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        y : ndarray of shape (n_samples,)
            Predictions of the trees so far.
        """
        X = self._checked(X)
        for raw in self._staged_raw(X):
            yield self._loss().answer(raw).astype(X.dtype)

    def _loss(self):
        if self.loss != "quantile":
            return LOSSES[self.loss]()
        if self.quantile is None:
            raise ValueError(
                f"{type(self).__name__}: loss='quantile' needs quantile, the share of targets "
                "that lie below the prediction, got None. Set it, such as quantile=0.9."
            )
        return Quantile(self.quantile)

    def _samples(self, loss, X, y, sample_weight, reset=True) -> Samples:
        X, y, weights = check_regression(
            self, X, y, sample_weight, multi_output=False, allow_nan=True, reset=reset
        )
        if isinstance(loss, Poisson) and not loss.allows(y):
            raise ValueError(
                f"{type(self).__name__}: loss={self.loss!r} needs {loss.allowed}, got values "
                f"from {y.min():g} to {y.max():g}. Choose another loss."
            )
        return Samples(X, y.astype(np.float64), weights)
