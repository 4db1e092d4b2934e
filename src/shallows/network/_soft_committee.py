"""Soft committee machine."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.magnitude import refuse_too_wide
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.network._backprop import Workspace, loss_and_gradient
from shallows.network._initialize import initialize
from shallows.network._lbfgs import few_threads, minimise
from shallows.network._network import Network, flatten, predict_outputs, views
from shallows.network._samples import Samples


class SoftCommitteeMachine(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Regression by a sum of sigmoids.

    :math:`\sigma(x) = \sum_{k=1}^K v_k \, g(w_k \cdot x - \theta_k)`, with :math:`K N + 2 K`
    parameters for :math:`N` features, fitted by L-BFGS on the mean of half the squared error.
    With enough units such sums come as near as you like to any continuous function on a cube
    [1]_. A committee whose members all count alike has all :math:`v_k = 1`.

    Parameters
    ----------
    n_units : int, default=10
        Number of sigmoids.
    activation : {"erf", "tanh", "logistic"}, default="erf"
        The sigmoid :math:`g`.
    output : {"free", "ones"}, default="free"
        Whether the :math:`v_k` are fitted, or all one.
    alpha : float, default=0.0
        Strength of weight decay, divided by the number of samples.
    max_iter : int, default=500
        Largest number of iterations.
    tol : float or None, default=1e-7
        Training stops when the loss falls by less than this in ten iterations in a row. With
        None all `max_iter` iterations run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the first weights.

    Attributes
    ----------
    coef_ : ndarray of shape (n_units, n_features)
        Weight vectors :math:`w_k`.
    thresholds_ : ndarray of shape (n_units,)
        Thresholds :math:`\theta_k`.
    output_weights_ : ndarray of shape (n_units,)
        Weights :math:`v_k`.
    network_ : Network
        These as a network.
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
    .. [1] G. Cybenko, "Approximation by superpositions of a sigmoidal function", Mathematics of
       Control, Signals, and Systems 2, 303-314, 1989.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import SoftCommitteeMachine
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> y = np.sin(2 * np.pi * X).ravel()
    >>> SoftCommitteeMachine(5, random_state=0).fit(X, y).score(X, y) > 0.99
    True
    """

    def __init__(
        self,
        n_units: PositiveInt = 10,
        *,
        activation: Literal["erf", "tanh", "logistic"] = "erf",
        output: Literal["free", "ones"] = "free",
        alpha: NonNegativeFloat = 0.0,
        max_iter: PositiveInt = 500,
        tol: NonNegativeFloat | None = 1e-7,
        random_state: RandomState = None,
    ):
        self.n_units = n_units
        self.activation = activation
        self.output = output
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Fit the sum.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss.

        Returns
        -------
        self : SoftCommitteeMachine
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        samples = Samples.of(X, y[:, None], weights)
        vector, net = self._start(X, weights)
        run = Training(
            self, self.max_iter, self.tol, patience=10, X=X, y=y, sample_weight=weights,
            state=("coef_", "thresholds_", "output_weights_"),
        )  # fmt: skip
        work = Workspace(net, len(X))
        shares, strength = samples.shares(samples.mass), self.alpha / samples.mass

        def cost():
            loss = loss_and_gradient(net, X, samples.target, shares, work)
            work.biases[1][:] = 0
            for part in (0, 1):
                loss += 0.5 * strength * float(np.sum(net.weights[part] ** 2))
                work.weights[part] += X.dtype.type(strength) * net.weights[part]
            if self.output == "ones":
                work.weights[1][:] = 0
            return loss, work.gradient

        def record(loss):
            self._store(net)
            run.record(loss)

        with few_threads(X.size * self.n_units):
            minimise(vector, cost, run, record)
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def predict(self, X):
        """Return the prediction for each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted targets.
        """
        X = check_new(self, X)
        return predict_outputs(self.network_, X).ravel()

    @property
    def network_(self):
        """The fitted network, with an output bias of zero."""
        return Network(
            [np.ascontiguousarray(self.coef_.T), self.output_weights_[:, None]],
            [-self.thresholds_, np.zeros(1, self.coef_.dtype)],
            (self.activation, "identity"),
        )

    def _start(self, X, sample_weight):
        """Draw weights such that net inputs of standardised features spread over about one."""
        rng, n_features = as_generator(self.random_state), X.shape[1]
        sizes = [n_features, self.n_units, 1]
        refuse_too_wide("SoftCommitteeMachine", f"n_units={self.n_units}", sizes)
        weights, biases = initialize(sizes, "lecun", scale=1.5, random_state=rng)
        mean = np.average(X, axis=0, weights=sample_weight)
        spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=sample_weight))
        weights[0] /= np.maximum(spread, 1e-12)[:, None]
        biases[0] = rng.uniform(-1.5, 1.5, self.n_units) - mean @ weights[0]
        if self.output == "ones":
            weights[1][:] = 1
        vector = flatten(weights, biases).astype(X.dtype)
        return vector, Network(*views(vector, sizes), (self.activation, "identity"))

    def _store(self, net):
        self.coef_ = net.weights[0].T.copy()
        self.thresholds_ = -net.biases[0]
        self.output_weights_ = net.weights[1].ravel().copy()
