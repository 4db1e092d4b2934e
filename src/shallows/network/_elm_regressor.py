"""Extreme learning machine as regressor."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows.network._elm import elm_outputs, fit_elm
from shallows.network._output_targets import check_numbers, in_shape_of_y


class ELMRegressor(RegressorMixin, BaseEstimator):
    """Regression on the outputs of random hidden units (extreme learning machine).

    The weights into the hidden units are drawn once and stay; only the linear outputs are
    fitted, by one least-squares solution. No descent, no epochs.

    Parameters
    ----------
    n_hidden : int, default=500
        Hidden units. With as many as samples, the training data are reproduced.
    activation : str, default="tanh"
        Activation of the hidden units, as for `MLPClassifier`.
    alpha : float, default=1e-3
        Strength of the penalty on the squared output weights. With 0 the weights of least norm
        among the best are taken.
    scale : float, default=1.0
        Spread of the net inputs of hidden units for features of unit variance.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the hidden weights.

    Attributes
    ----------
    hidden_coef_ : ndarray of shape (n_features, n_hidden)
        Random weights of the hidden units.
    hidden_intercept_ : ndarray of shape (n_hidden,)
        Random biases of the hidden units.
    coef_ : ndarray of shape (n_hidden, n_outputs)
        Weights of the outputs.
    intercept_ : ndarray of shape (n_outputs,)
        Biases of the outputs.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    G.-B. Huang, Q.-Y. Zhu and C.-K. Siew, "Extreme learning machine: theory and applications",
    Neurocomputing 70, 489-501, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import ELMRegressor
    >>> X = np.linspace(-3, 3, 100)[:, None]
    >>> model = ELMRegressor(50, random_state=0).fit(X, np.sin(X).ravel())
    >>> model.score(X, np.sin(X).ravel()) > 0.99
    True
    """

    def __init__(
        self,
        n_hidden: PositiveInt = 500,
        *,
        activation: str = "tanh",
        alpha: NonNegativeFloat = 1e-3,
        scale: PositiveFloat = 1.0,
        random_state: RandomState = None,
    ):
        self.n_hidden = n_hidden
        self.activation = activation
        self.alpha = alpha
        self.scale = scale
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Draw the hidden layer and fit the outputs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : ELMRegressor
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, flat = check_numbers(self, X, y, sample_weight, sparse=True)
        self._one_column = flat
        fit_elm(self, X, y.astype(np.float64), weights)
        return self

    def predict(self, X):
        """Return the prediction for each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted targets.
        """
        output = elm_outputs(self, check_new(self, X, sparse=True))
        return in_shape_of_y(output, self._one_column)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags
