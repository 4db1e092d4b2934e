"""Network of Gaussian units as regressor."""

from __future__ import annotations

from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState
from shallows._core.contract.training import IterativeMixin
from shallows.network._output_targets import check_numbers, in_shape_of_y
from shallows.network._rbf import Covariance, rbf_outputs
from shallows.network._rbf_fit import fit_rbf


class RBFRegressor(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Regression by a weighted sum of Gaussian units (radial basis functions).

    Units respond with :math:`\phi_j = \exp(-\frac12 |A_j (x - c_j)|^2)`, highest at their centre
    :math:`c_j`; the outputs are linear. Centres start where k-means puts
    them. Then centres and widths descend the penalised squared error that the best outputs leave;
    those have a closed form (variable projection).

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    n_units : int, default=20
        Number of Gaussian units; at most one per sample is used.
    covariance : {"isotropic", "diagonal", "full", "pooled"}, default="diagonal"
        Form of the units: one width each, one per feature, a full matrix each, or one full
        matrix for all. One width each has the fewest parameters, for few and noisy samples.
    normalized : bool, default=False
        Whether the responses are divided by their sum, so that far samples belong to the
        nearest unit.
    alpha : float, default=2.0
        Strength of the penalty on squared output weights, divided by the number of samples.
    max_iter : int, default=300
        Largest number of iterations of L-BFGS.
    tol : float or None, default=1e-5
        Training stops when the loss falls by less than this, times the variance of y, in ten
        iterations in a row. With None all `max_iter` iterations run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the first centres.

    Attributes
    ----------
    centers_ : ndarray of shape (n_units, n_features)
        Centres of the units.
    shapes_ : ndarray
        The numbers or matrices :math:`A`: shape (n_units, 1), (n_units, n_features), (n_units,
        n_features, n_features) or (n_features, n_features).
    coef_ : ndarray of shape (n_units, n_outputs)
        Weights of the outputs.
    intercept_ : ndarray of shape (n_outputs,)
        Biases of the outputs.
    history_ : dict of str to list of float
        The mean loss of each iteration under ``"loss"``.
    n_iter_ : int
        Iterations run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    J. Moody and C. J. Darken, "Fast learning in networks of locally-tuned processing units",
    Neural Computation 1, 281-294, 1989.

    G. H. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares
    problems whose variables separate", SIAM Journal on Numerical Analysis 10, 413-432, 1973.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import RBFRegressor
    >>> X = np.linspace(-3, 3, 100)[:, None]
    >>> model = RBFRegressor(6, random_state=0).fit(X, np.sin(X).ravel())
    >>> model.score(X, np.sin(X).ravel()) > 0.99
    True
    """

    def __init__(
        self,
        n_units: PositiveInt = 20,
        *,
        covariance: Covariance = "diagonal",
        normalized: bool = False,
        alpha: NonNegativeFloat = 2.0,
        max_iter: PositiveInt = 300,
        tol: NonNegativeFloat | None = 1e-5,
        random_state: RandomState = None,
    ):
        self.n_units = n_units
        self.covariance = covariance
        self.normalized = normalized
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Place the units and fit all parameters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss.

        Returns
        -------
        self : RBFRegressor
            The fitted estimator.
        """
        check_params(self)
        X, y, weights, self._one_column = check_numbers(self, X, y, sample_weight)
        given = in_shape_of_y(y, self._one_column)
        fit_rbf(self, X, given, y, weights, classify=False)
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
        output = rbf_outputs(self, check_new(self, X))
        return in_shape_of_y(output, self._one_column)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
