"""Reservoir computing: a fixed recurrent network with a trained read-out."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from scipy import sparse
from scipy.linalg import eigvals, lstsq, solve
from scipy.sparse.linalg import ArpackError, eigs
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted

from shallows._core.contract.data import check_sequences
from shallows._core.contract.magnitude import refuse_too_large
from shallows._core.contract.params import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Range,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.targets import check_target, naming
from shallows._core.numerics.compile import compiled

FULL_SPECTRUM = 60  # units; up to here all eigenvalues are computed


class EchoStateNetwork(MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Regression of signals from the states of a fixed random recurrent network.

    The states of the reservoir, :math:`x(t) = (1 - a) x(t-1) + a \tanh(W x(t-1) + W_{in} u(t) +
    b)`, are mixtures of past inputs [1]_. Only the linear read-out of states and inputs is
    trained, by ridge regression.

    Parameters
    ----------
    n_reservoir : int, default=200
        Number of units.
    spectral_radius : float, default=0.9
        Largest absolute eigenvalue of :math:`W`. Below 1 the state usually forgets its start; near
        1 it has a long memory.
    input_scaling : float, default=1.0
        Largest absolute weight of inputs and biases.
    leak_rate : float, default=1.0
        Share :math:`a` of the new value in the state; small for slow signals.
    density : float, default=0.1
        Share of non-zero connections between units.
    alpha : float, default=1e-6
        Penalty on the squared weights of the read-out.
    washout : int, default=100
        Steps at the beginning of each signal that are not used for learning, at most half of it.
        Before the signal, the reservoir runs for as many steps with the first input held constant.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the reservoir.

    Attributes
    ----------
    reservoir_ : ndarray of shape (n_reservoir, n_reservoir)
        Weights :math:`W`, most of them zero.
    input_weights_ : ndarray of shape (n_reservoir, n_features + 1)
        Weights of the inputs; the last column contains the biases.
    coef_ : ndarray of shape (n_outputs, n_reservoir + n_features)
        Weights of the read-out.
    intercept_ : ndarray of shape (n_outputs,)
        Constants of the read-out.
    n_features_in_ : int
        Number of input signals.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] H. Jaeger, "The 'echo state' approach to analysing and training recurrent neural
       networks", GMD Report 148, 2001.

    Examples
    --------
    >>> from shallows.data import mackey_glass
    >>> from shallows.signal import EchoStateNetwork
    >>> series = mackey_glass(3000, random_state=0)[:, None]
    >>> model = EchoStateNetwork(random_state=0).fit(series[:1999], series[1:2000, 0])
    >>> model.score(series[2000:-1], series[2001:, 0]) > 0.999
    True
    """

    def __init__(
        self,
        n_reservoir: PositiveInt = 200,
        *,
        spectral_radius: NonNegativeFloat = 0.9,
        input_scaling: PositiveFloat = 1.0,
        leak_rate: Annotated[float, Range(0, 1, open="low")] = 1.0,
        density: Annotated[float, Range(0, 1, open="low")] = 0.1,
        alpha: NonNegativeFloat = 1e-6,
        washout: NonNegativeInt = 100,
        random_state: RandomState = None,
    ):
        self.n_reservoir = n_reservoir
        self.spectral_radius = spectral_radius
        self.input_scaling = input_scaling
        self.leak_rate = leak_rate
        self.density = density
        self.alpha = alpha
        self.washout = washout
        self.random_state = random_state

    def fit(self, X, y):
        """Train the read-out.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or a list of such
            Input signals, in the order of time.
        y : array-like of shape (n_steps,) or (n_steps, n_outputs), or a list of such
            Desired outputs.

        Returns
        -------
        self : EchoStateNetwork
            The fitted network.
        """
        check_params(self)
        if y is None:
            raise ValueError("EchoStateNetwork: requires y to be passed, but the target y is None.")
        X, starts = check_sequences(self, X)
        several = isinstance(y, list | tuple) and len(y) and np.ndim(y[0])
        y = np.concatenate(y) if several else y
        check_target("EchoStateNetwork", y)
        try:
            y = check_array(y, ensure_2d=False, dtype=X.dtype, input_name="y", estimator=self)
        except (TypeError, ValueError) as error:
            raise naming("EchoStateNetwork: y", error) from None
        if len(y) != len(X):
            raise ValueError(
                f"EchoStateNetwork: y must have one row for each of {len(X)} steps, got {len(y)}."
            )
        self._flat = y.ndim == 1
        self._make(X.shape[1], as_generator(self.random_state))
        states = self._states(X, starts)

        # The first states of each sequence still remember the start and are left out.
        used = np.concatenate(
            [
                np.arange(first + min(self.washout, (last - first) // 2), last)
                for first, last in pairwise(starts)
            ]
        )
        self._read_out(states[used], y.reshape(len(y), -1)[used].astype(np.float64))

        # Only the readout has been learned; all weights take the dtype of the data.
        for name in ("reservoir_", "input_weights_", "coef_", "intercept_"):
            setattr(self, name, getattr(self, name).astype(X.dtype))
        return self

    def predict(self, X):
        """Return the outputs along a signal.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or a list of such
            Input signals, in the order of time.

        Returns
        -------
        y : ndarray of shape (n_steps,) or (n_steps, n_outputs), or a list of such
            Outputs.
        """
        parts = isinstance(X, list | tuple) and len(X) > 0 and np.ndim(X[0]) == 2
        values, starts = check_sequences(self, X, reset=False)
        outputs = self._states(values, starts) @ self.coef_.T.astype(np.float64) + self.intercept_
        outputs = (outputs[:, 0] if self._flat else outputs).astype(values.dtype)
        return np.split(outputs, starts[1:-1]) if parts else outputs

    def states(self, X):
        """Return the states of the reservoir along a signal, followed by the inputs.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or a list of such
            Input signals, in the order of time.

        Returns
        -------
        states : ndarray of shape (n_steps, n_reservoir + n_features)
            One row per step.
        """
        values, starts = check_sequences(self, X, reset=False)
        return self._states(values, starts).astype(values.dtype)

    def forecast(self, X, n_steps: int):
        """Continue a signal; each output is the next input.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features)
            The signal so far; the network must have been fitted to predict its next step.
        n_steps : int
            Number of steps to add.

        Returns
        -------
        future : ndarray of shape (n_steps, n_features)
            The steps after the last of `X`.
        """
        check_is_fitted(self)
        if len(self.intercept_) != self.n_features_in_:
            raise ValueError(
                f"EchoStateNetwork: forecast needs as many outputs as inputs, got "
                f"{len(self.intercept_)} and {self.n_features_in_}."
            )
        values, starts = check_sequences(self, X, reset=False)
        features, wires = self._states(values, starts)[-1], self._wires()
        future = np.empty((n_steps, self.n_features_in_))
        for t in range(n_steps):
            # The prediction of one step is the input of the next.
            future[t] = self.coef_ @ features + self.intercept_
            driven = self._driven(future[t : t + 1])
            echo(driven, features, self.leak_rate, *wires)
            features = driven[0]
        return future.astype(values.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # samples that are no signal leave no echo
        return tags

    def _make(self, n_inputs, rng):
        n = self.n_reservoir
        refuse_too_large("EchoStateNetwork", f"n_reservoir={n}", n, n)
        there = rng.random((n, n)) < self.density
        weights = np.where(there, rng.uniform(-1, 1, size=(n, n)), 0.0)
        radius = _spectral_radius(weights, rng)
        factor = self.spectral_radius / radius if radius > 0 else 0.0
        self.reservoir_ = weights * factor
        self.input_weights_ = self.input_scaling * rng.uniform(-1, 1, size=(n, n_inputs + 1))

    def _states(self, X, starts):
        """Return states and inputs; the state starts at the fixed point of the first input."""
        states, wires = self._driven(np.asarray(X, dtype=np.float64)), self._wires()
        for begin, end in pairwise(starts):
            first = np.zeros(states.shape[1])
            # Run the reservoir with the first input held, so that the start is no transient.
            if self.washout:
                held = np.tile(states[begin], (self.washout, 1))
                echo(held, first, self.leak_rate, *wires)
                first = held[-1]
            echo(states[begin:end], first, self.leak_rate, *wires)
        return states

    def _driven(self, X):
        """Return the input current of each unit, followed by the inputs."""
        driven = np.empty((len(X), self.n_reservoir + X.shape[1]))
        weights = self.input_weights_.astype(np.float64)
        driven[:, : self.n_reservoir] = X @ weights[:, :-1].T
        driven[:, : self.n_reservoir] += weights[:, -1]
        driven[:, self.n_reservoir :] = X
        return driven

    def _wires(self):
        """Return weights, columns and row starts of the non-zero connections."""
        W = sparse.csr_array(self.reservoir_.astype(np.float64))
        return W.data, W.indices.astype(np.uint32), W.indptr.astype(np.uint32)

    def _read_out(self, states, targets):
        centre, mean = states.mean(axis=0), targets.mean(axis=0)
        states -= centre
        targets = targets - mean
        # Solve in the smaller of both spaces, units or steps.
        if self.alpha > 0 and len(states) >= states.shape[1]:
            # Ridge in the primal: as many equations as states.
            gram = states.T @ states
            gram[np.diag_indices(len(gram))] += self.alpha
            found = solve(gram, states.T @ targets, assume_a="pos")
        elif self.alpha > 0:
            # In the dual: as many equations as steps.
            gram = states @ states.T
            gram[np.diag_indices(len(gram))] += self.alpha
            found = states.T @ solve(gram, targets, assume_a="pos")
        else:
            found = lstsq(states, targets)[0]
        self.coef_, self.intercept_ = found.T, mean - centre @ found


def _spectral_radius(weights, rng):
    if len(weights) > FULL_SPECTRUM:
        try:
            start = rng.standard_normal(len(weights))
            return abs(eigs(sparse.csr_array(weights), 1, v0=start, return_eigenvectors=False)[0])
        except ArpackError:
            pass
    return np.abs(eigvals(weights)).max(initial=0.0)


@compiled
def echo(rows, first, leak, data, columns, starts):
    """Replace each row of input currents by the states of the units."""
    before = first
    for t in range(len(rows)):
        now = rows[t]
        for i in range(len(starts) - 1):
            # Sum over the sparse row of W, then the leaky update.
            total = now[i]
            for k in range(starts[i], starts[i + 1]):
                total += data[k] * before[columns[k]]
            now[i] = (1.0 - leak) * before[i] + leak * np.tanh(total)
        before = now
