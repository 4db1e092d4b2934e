"""Impute column by column, each from all others, until the values settle."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_table
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, Predictor, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.prepare._gaps import allow_nan
from shallows.prepare._mixed_columns import MixedColumns


class ChainedImputer(OneToOneFeatureMixin, TransformerMixin, IterativeMixin, BaseEstimator):
    """Impute every column by predicting it from all others, numbers and categories alike.

    Missing values start as the mean or the most frequent category. Then each incomplete column,
    the one with the fewest gaps first, is predicted from the others with their current values: a
    model learns from the rows that have the column, and predicts it for the other rows. Rounds
    repeat until the values settle. With linear models this is MICE [1]_, with random forests
    MissForest [2]_. For numbers only there is :class:`sklearn.impute.IterativeImputer`.

    In a data frame or an array of objects, a column is categorical if it contains anything but
    numbers. A data frame with categories is returned as a data frame.

    Parameters
    ----------
    regressor : estimator or None, default=None
        Predicts numbers; None means ridge regression with penalty 0.001. Its inputs are
        standardised numbers and one 0/1 column per category but the first.
    classifier : estimator or None, default=None
        Predicts categories; None means logistic regression.
    categorical : "auto" or list of int or str, default="auto"
        Indices or names of the categorical columns.
    sample : bool, default=False
        Whether to impute random draws: predictions plus noise with the variance of the residuals,
        and categories with their predicted probabilities. Several imputations with different seeds
        show how much results depend on the missing values.
    max_iter : int, default=20
        Largest number of rounds.
    tol : float, default=1e-3
        Rounds end when imputed values change by less than this, or by more than in the previous
        round. The change of numbers is their root mean square in units of the column's standard
        deviation, that of categories the share that changed. Draws never settle, so all rounds
        run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the models and the draws; every call makes the same draws.

    Attributes
    ----------
    order_ : ndarray of int
        Incomplete columns, in the order of imputation.
    categories_ : list
        Sorted categories of each column; None for numbers.
    history_ : dict of str to list of float
        Change of the imputed values in each round under ``"loss"``.
    n_iter_ : int
        Rounds run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] S. van Buuren and K. Groothuis-Oudshoorn, "mice: multivariate imputation by chained
       equations in R", Journal of Statistical Software 45(3), 2011.
    .. [2] D. J. Stekhoven and P. Bühlmann, "MissForest: non-parametric missing value
       imputation for mixed-type data", Bioinformatics 28, 112-118, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.prepare import ChainedImputer
    >>> X = np.array([[1, "a"], [2, "a"], [8, "b"], [9, "b"], [None, "b"], [1, None]], object)
    >>> filled = ChainedImputer().fit_transform(X)
    >>> filled[5, 1], round(filled[4, 0])
    ('a', 8)
    """

    def __init__(
        self,
        regressor: Predictor | None = None,
        classifier: Predictor | None = None,
        *,
        categorical: Literal["auto"] | list | tuple = "auto",
        sample: bool = False,
        max_iter: PositiveInt = 20,
        tol: NonNegativeFloat = 1e-3,
        random_state: RandomState = None,
    ):
        self.regressor = regressor
        self.classifier = classifier
        self.categorical = categorical
        self.sample = sample
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None):
        """Learn a model of every column.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training samples; None, NaN or the frame's own marker for missing values.
        y : None
            Ignored.

        Returns
        -------
        self : ChainedImputer
            The fitted imputer.
        """
        check_params(self)
        table = check_table(self, X, allow_nan=True)
        rng = as_generator(self.random_state)
        names = list(getattr(self, "feature_names_in_", []))
        self._columns = MixedColumns.learn(X, table, self.categorical, names)
        self.categories_ = self._columns.categories
        values = self._columns.encode(table)
        gaps = np.isnan(values)
        counts = gaps.sum(axis=0)
        self.order_ = np.argsort(counts, kind="stable")
        self.order_ = self.order_[counts[self.order_] > 0]
        # transform draws with this seed, so that every call fills in the same values.
        self._seed = int(rng.integers(2**63))

        filled = self._columns.start(values)
        self._models, self._noise = [None] * values.shape[1], np.zeros(values.shape[1])
        change = np.inf
        run = Training(self, self.max_iter, X=X)
        for _ in run:
            before, last = filled.copy(), change
            for j in self.order_:
                self._learn(j, filled, gaps, rng)
                filled[gaps[:, j], j] = self._predict(j, filled, gaps[:, j], rng)
            change = self._columns.change(before, filled, gaps)
            run.record(change)
            # A single incomplete column depends on nothing imputed: one round is enough.
            if len(self.order_) < 2 or (not self.sample and not self.tol < change < last):
                run.stop("settled")
        self.history_, self.n_iter_ = run.history, run.n_iter
        if run.stopped_by == "max_iter" and not self.sample:
            warnings.warn(
                f"ChainedImputer: after max_iter={self.max_iter} rounds the imputed values still "
                f"change by {change:.2g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

        # Columns without gaps in training may have gaps later.
        for j in np.flatnonzero(counts == 0):
            self._learn(j, filled, gaps, rng)
        return self

    def transform(self, X):
        """Impute with the models of the last round, in as many rounds as in fit.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Samples; None, NaN or the frame's own marker for missing values.

        Returns
        -------
        filled : ndarray or data frame of shape (n_samples, n_features)
            Samples without gaps.
        """
        check_is_fitted(self)
        table = check_table(self, X, allow_nan=True, reset=False)
        rng = np.random.default_rng(self._seed)
        values = self._columns.encode(table)
        gaps = np.isnan(values)
        filled = self._columns.start(values)
        gappy = np.flatnonzero(gaps.any(axis=0))
        first = [j for j in self.order_ if j in gappy]
        order = first + [j for j in gappy if j not in first]
        for _ in range(self.n_iter_ if len(order) > 1 else len(order)):
            for j in order:
                filled[gaps[:, j], j] = self._predict(j, filled, gaps[:, j], rng)
        return self._columns.decode(X, table, filled, gaps)

    def _learn(self, j, filled, gaps, rng):
        """Fit the model of column j to the rows that have it."""
        rows = ~gaps[:, j]
        inputs, targets = self._columns.inputs(filled[rows], j), filled[rows, j]
        self._models[j] = None
        if self.categories_[j] is None:
            model = clone(self.regressor) if self.regressor is not None else Ridge(1e-3)
            targets = self._columns.standardise(targets, j)
        elif len(np.unique(targets)) > 1:
            model = (
                clone(self.classifier)
                if self.classifier is not None
                else LogisticRegression(max_iter=1000)
            )
            targets = targets.astype(np.int64)
        else:
            return
        if inputs.shape[1] == 0:
            return
        if "random_state" in model.get_params():
            model.set_params(random_state=int(rng.integers(2**31)))
        self._models[j] = model.fit(inputs, targets)
        if self.sample and self.categories_[j] is None:
            self._noise[j] = np.std(targets - model.predict(inputs))

    def _predict(self, j, filled, rows, rng):
        """Return values for column j in the given rows."""
        model, n_rows = self._models[j], int(rows.sum())
        if model is None or n_rows == 0:
            return filled[rows, j]
        inputs = self._columns.inputs(filled[rows], j)
        if self.categories_[j] is None:
            noise = self._noise[j] * rng.standard_normal(n_rows) if self.sample else 0.0
            return self._columns.restore(model.predict(inputs) + noise, j)
        if not self.sample:
            return model.predict(inputs)
        # A draw from the cumulative probabilities; rounding must not reach beyond the last class.
        chances = model.predict_proba(inputs).cumsum(axis=1)
        drawn = (rng.random((n_rows, 1)) > chances).sum(axis=1)
        return model.classes_[np.minimum(drawn, len(model.classes_) - 1)]

    def __sklearn_tags__(self):
        tags = allow_nan(super().__sklearn_tags__())
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
