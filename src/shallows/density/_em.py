"""The general scheme of expectation-maximisation."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import Has, NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.log_sums import log_sums
from shallows.density._family import mean_score
from shallows.density._mixture_model import MixtureModel

Latent = Annotated[
    Any,
    Has(
        "a model with start, log_joint and maximise, as MixtureModel has",
        ("start", "log_joint", "maximise"),
    ),
]


class ExpectationMaximization(DensityMixin, IterativeMixin, BaseEstimator):
    r"""Maximum likelihood with hidden variables.

    The E step takes the posterior q of the hidden variables, which lifts the lower bound
    :math:`F(q, \theta)` to the log-likelihood; the M step takes the parameters with the largest
    :math:`E_q[\ln p(D, Y|\theta)]`. The log-likelihood never falls [1]_.

    Parameters
    ----------
    model : object or None, default=None
        Has the methods ``start(X, weights, rng)`` and ``maximise(X, weights, shares)``, which
        return parameters, and ``log_joint(X, parameters)``, which returns
        :math:`\ln p(x_i, Y_i = j|\theta)` for each sample and state; for draws also
        ``sample(n_samples, parameters, rng)``. None is a `MixtureModel` of two Gaussians.
    tol : float or None, default=1e-6
        Training ends when the mean log-likelihood rises by less than this. With None all
        `max_iter` steps run.
    max_iter : int, default=200
        Largest number of steps.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the start.

    Attributes
    ----------
    parameters_ : object
        What the model's `maximise` returned last.
    lower_bound_ : float
        Mean log-likelihood under the parameters before the last step.
    history_ : dict of str to list of float
        Minus the mean log-likelihood before each step under ``"loss"``.
    n_iter_ : int
        Steps run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] A. P. Dempster, N. M. Laird and D. B. Rubin, "Maximum likelihood from incomplete
       data via the EM algorithm", Journal of the Royal Statistical Society B 39, 1-38, 1977.

    Examples
    --------
    >>> from shallows.density import Exponential, ExpectationMaximization, MixtureModel
    >>> waits = [[0.1], [0.2], [0.3], [20.0], [30.0]]
    >>> model = ExpectationMaximization(MixtureModel(Exponential()), random_state=0).fit(waits)
    >>> bool(model.predict(waits)[0] != model.predict(waits)[-1])
    True
    """

    def __init__(
        self,
        model: Latent | None = None,
        *,
        tol: NonNegativeFloat | None = 1e-6,
        max_iter: PositiveInt = 200,
        random_state: RandomState = None,
    ):
        self.model = model
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Run expectation-maximisation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Not used to find the parameters; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the likelihood.

        Returns
        -------
        self : ExpectationMaximization
            The fitted estimator.
        """
        check_params(self)
        data, weights = check_unlabelled(self, X, sample_weight)
        if len(data) < 2:
            raise ValueError("ExpectationMaximization needs 2 samples or more, got n_samples=1.")
        model, rng = self._model(), as_generator(self.random_state)
        self.parameters_ = model.start(data, weights, rng)
        training = Training(
            self,
            self.max_iter,
            self.tol,
            state=("parameters_",),
            X=X,
            y=y,
            sample_weight=sample_weight,
        )
        for _ in training:
            # E-step: posteriors of the hidden states; M-step: parameters that fit these best.
            joint = model.log_joint(data, self.parameters_)
            logs = log_sums(joint)
            self.parameters_ = model.maximise(data, weights, np.exp(joint - logs[:, None]))
            self.lower_bound_ = float(np.average(logs, weights=weights))
            training.record(-self.lower_bound_)
        self.history_, self.n_iter_ = training.history, training.n_iter
        return self

    def score_samples(self, X):
        """Return the log density of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Hidden variables are summed out.
        """
        X = check_new(self, X)
        return log_sums(self._model().log_joint(X, self.parameters_)).astype(X.dtype)

    def score(self, X, y=None, sample_weight=None):
        """Return the mean log density of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the mean.

        Returns
        -------
        score : float
            Mean log-likelihood per sample.
        """
        return mean_score(self, X, sample_weight)

    def predict_proba(self, X):
        """Return the posterior of the hidden variables.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_states)
            Probabilities that sum to one for each sample.
        """
        X = check_new(self, X)
        joint = self._model().log_joint(X, self.parameters_)
        return np.exp(joint - log_sums(joint)[:, None]).astype(X.dtype)

    def predict(self, X):
        """Return the likeliest state of each hidden variable.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        states : ndarray of shape (n_samples,)
            Index of a state.
        """
        X = check_new(self, X)
        return self._model().log_joint(X, self.parameters_).argmax(axis=1)

    def sample(self, n_samples=1, random_state=None):
        """Draw samples with their hidden states, if the model has a `sample` method.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples.
        states : ndarray of shape (n_samples,)
            The hidden state of each.
        """
        check_is_fitted(self)
        rng = as_generator(random_state)
        return self._model().sample(n_samples, self.parameters_, rng)

    def _model(self):
        return MixtureModel() if self.model is None else self.model
