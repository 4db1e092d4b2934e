"""Fill gaps column by column, each from all the others, round after round."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_table
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.prepare._gaps import allow_nan
from shallows.prepare._mixed_columns import MixedColumns


class ChainedImputer(OneToOneFeatureMixin, TransformerMixin, IterativeMixin, BaseEstimator):
    """Predict the gaps of every column from all other columns, numbers and categories alike.

    Gaps start as the mean or the most frequent category. Then each column with gaps, the one
    with fewest first, is learned from the rows that have it, with the current guesses in the
    other columns, and its gaps are predicted anew; rounds repeat until the guesses settle.
    With linear models this is the scheme of MICE [1]_, with random forests that of
    MissForest [2]_. For numbers alone there is :class:`sklearn.impute.IterativeImputer`.

    In a data frame or an array of objects, columns that hold anything but numbers are
    categories; a frame with categories comes back as a frame.

    Parameters
    ----------
    regressor : estimator or None, default=None
        Predicts numbers; with None ridge regression with a penalty of 0.001. It sees
        standardised numbers and one column per category.
    classifier : estimator or None, default=None
        Predicts categories; with None logistic regression.
    categorical : "auto" or list of int or str, default="auto"
        Places or names of the columns that hold categories.
    sample : bool, default=False
        Whether gaps are filled with draws: predictions plus noise of the size of the
        residuals, categories by their predicted probability. Several imputations with
        different seeds show how much results depend on what is missing.
    max_iter : int, default=20
        Largest number of rounds.
    tol : float, default=1e-3
        Rounds end when guesses change by less than this, or by more than in the round before:
        numbers by their root mean square in units of the column's standard deviation,
        categories by their changed share. Draws never settle: then all rounds run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the models and the draws; draws are the same in every call.

    Attributes
    ----------
    order_ : ndarray of int
        Columns that had gaps, in the order they are filled.
    categories_ : list
        Sorted categories of each column; None for numbers.
    history_ : dict of str to list of float
        Change of the guesses in each round under ``"loss"``.
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
        regressor: Any = None,
        classifier: Any = None,
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
            Training samples; None, NaN or a frame's own mark for gaps.
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
            if len(self.order_) < 2 or (not self.sample and not self.tol < change < last):
                run.stop("settled")
        self.history_, self.n_iter_ = run.history, run.n_iter
        if run.stopped_by == "max_iter" and not self.sample:
            warnings.warn(
                f"ChainedImputer: after max_iter={self.max_iter} rounds the guesses still change "
                f"by {change:.2g}. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

        for j in np.flatnonzero(counts == 0):
            self._learn(j, filled, gaps, rng)
        return self

    def transform(self, X):
        """Fill the gaps with the models of the last round, as many rounds as in fit.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Samples; None, NaN or a frame's own mark for gaps.

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
        chances = model.predict_proba(inputs).cumsum(axis=1)
        drawn = (rng.random((n_rows, 1)) > chances).sum(axis=1)
        return model.classes_[np.minimum(drawn, len(model.classes_) - 1)]

    def __sklearn_tags__(self):
        tags = allow_nan(super().__sklearn_tags__())
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
