"""Cascade correlation as regressor."""

from __future__ import annotations

from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new
from shallows._core.contract.params import (
    Fraction,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows._core.contract.training import IterativeMixin
from shallows.network._cascade import cascade_outputs, grow
from shallows.network._output_targets import check_numbers, in_shape_of_y, r_squared


class CascadeCorrelationRegressor(RegressorMixin, IterativeMixin, BaseEstimator):
    """Regression by a network that grows unit by unit.

    It starts without hidden units. Then a pool of candidate units, which see all features and
    all units before them, is trained so that their output varies with the errors that remain;
    the best is frozen and joined, and the linear outputs are fitted anew by least squares. The
    error on the training data never rises.

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    max_units : int, default=20
        Largest number of hidden units.
    n_candidates : int, default=8
        Units in the pool of which the best is taken.
    candidate_iter : int, default=100
        Steps of R-prop for the pool.
    tol : float or None, default=1e-4
        Smallest fall of the loss (or rise of the validation score) that counts. With None all
        units are added, unless the fit becomes exact.
    n_iter_no_change : int, default=3
        Units in a row without such a change that end the growth.
    validation_fraction : float or None, default=None
        Share of the data held out to watch the score on; the network of the best is kept.
    random_state : int, RandomState, Generator or None, default=None
        Seeds candidates and held-out samples.

    Attributes
    ----------
    hidden_coef_ : list of ndarray
        Weights into each hidden unit: from the features, a constant, and all units before it.
    coef_ : ndarray of shape (n_features + n_units, n_outputs)
        Weights of the outputs.
    intercept_ : ndarray of shape (n_outputs,)
        Biases of the outputs.
    history_ : dict of str to list of float
        Mean of half the squared error after each unit under ``"loss"``, first without any;
        ``"val_score"`` where watched.
    n_iter_ : int
        Hidden units added, plus one.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    S. E. Fahlman and C. Lebiere, "The cascade-correlation learning architecture", NIPS 2,
    524-532, 1990.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import CascadeCorrelationRegressor
    >>> X = np.linspace(-3, 3, 100)[:, None]
    >>> model = CascadeCorrelationRegressor(5, tol=None, random_state=0)
    >>> model.fit(X, np.sin(X).ravel()).score(X, np.sin(X).ravel()) > 0.99
    True
    """

    def __init__(
        self,
        max_units: NonNegativeInt = 20,
        *,
        n_candidates: PositiveInt = 8,
        candidate_iter: PositiveInt = 100,
        tol: NonNegativeFloat | None = 1e-4,
        n_iter_no_change: PositiveInt = 3,
        validation_fraction: Fraction | None = None,
        random_state: RandomState = None,
    ):
        self.max_units = max_units
        self.n_candidates = n_candidates
        self.candidate_iter = candidate_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Grow the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : CascadeCorrelationRegressor
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, self._one_column = check_numbers(self, X, y, sample_weight)
        grow(self, X, in_shape_of_y(y, self._one_column), y, weights, self._r2)
        return self

    def predict(self, X):
        """Return the prediction for each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted targets.
        """
        output = cascade_outputs(self, check_new(self, X))
        return in_shape_of_y(output, self._one_column)

    def _r2(self, X, y, weights):
        output = in_shape_of_y(cascade_outputs(self, X), self._one_column)
        return r_squared(self, output, y, weights)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
