"""Boltzmann machine: stochastic binary units that learn a distribution of states."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.linalg import solve
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, DensityMixin

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.attractor._energy import energy
from shallows.attractor._sweeps import sweep_rows

NEWTON_LIMIT = 10  # units; the size of the Hessian grows with their fourth power
COUNTING_LIMIT = 20  # units; above, enumerating all states takes too long
STATES_AT_ONCE = 2**14
WARM_UP = 200  # sweeps before a state is drawn


class BoltzmannMachine(IterativeMixin, DensityMixin, BaseEstimator):
    r"""Probability distribution of binary states, with a coupling for every pair of units.

    States :math:`S_i = \pm 1` have the probability :math:`\exp(-H(S) / T) / Z` with the energy
    :math:`H = -\sum_{i<j} w_{ij} S_i S_j - \sum_i b_i S_i` [1]_. `fit` maximises the likelihood of
    the data: means and correlations of the model become those of the data. Positive entries count
    as +1, others as -1.

    Parameters
    ----------
    temperature : float, default=1.0
        Temperature :math:`T`; it scales weights and biases.
    alpha : float, default=1e-3
        Penalty on the squares of weights and biases. Without it, the coupling of units that always
        agree would grow without bound.
    solver : {"auto", "newton", "persistent"}, default="auto"
        ``"newton"``: Newton's method with moments summed over all states, for up to 10 units.
        ``"persistent"``: gradient steps with moments from Markov chains that continue from step to
        step. ``"auto"``: Newton's method if possible.
    learning_rate : float, default=0.1
        Size of the first step of ``"persistent"``; the last step is a tenth of it.
    n_chains : int, default=500
        Number of Markov chains of ``"persistent"``.
    max_iter : int, default=500
        Largest number of steps.
    tol : float, default=1e-9
        Change of the loss at which ``"newton"`` stops.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the chains.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features, n_features)
        Symmetric couplings with zeros on the diagonal.
    biases_ : ndarray of shape (n_features,)
        Biases.
    history_ : dict of str to list of float
        ``"loss"`` of each step, in nats per sample: minus the log-likelihood, or for
        ``"persistent"`` minus the pseudo-log-likelihood, in which each unit is given the others.
    n_iter_ : int
        Number of steps.
    n_features_in_ : int
        Number of units.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] D. H. Ackley, G. E. Hinton, T. J. Sejnowski, "A learning algorithm for Boltzmann
       machines", Cognitive Science 9, 147-169, 1985.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.attractor import BoltzmannMachine
    >>> X = np.array([[1, 1], [1, 1], [1, 1], [-1, -1], [-1, -1], [-1, -1], [1, -1], [-1, 1]])
    >>> model = BoltzmannMachine(alpha=0).fit(X)
    >>> np.exp(model.score_samples([[1, 1], [1, -1]])).round(3)
    array([0.375, 0.125])
    """

    def __init__(
        self,
        temperature: PositiveFloat = 1.0,
        *,
        alpha: NonNegativeFloat = 1e-3,
        solver: Literal["auto", "newton", "persistent"] = "auto",
        learning_rate: PositiveFloat = 0.1,
        n_chains: PositiveInt = 500,
        max_iter: PositiveInt = 500,
        tol: NonNegativeFloat = 1e-9,
        random_state: RandomState = None,
    ):
        self.temperature = temperature
        self.alpha = alpha
        self.solver = solver
        self.learning_rate = learning_rate
        self.n_chains = n_chains
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Maximise the likelihood of the data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            States, one per row.
        y : Ignored
            Not used.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : BoltzmannMachine
            The fitted machine.
        """
        check_params(self)
        X, weights = check_unlabelled(self, X, sample_weight)
        n, states = X.shape[1], np.where(X > 0, 1.0, -1.0)
        if self.solver == "newton" and n > NEWTON_LIMIT:
            raise ValueError(
                f'BoltzmannMachine: solver="newton" takes up to {NEWTON_LIMIT} units, got {n}. '
                'Use solver="persistent".'
            )
        self._set(np.zeros(n * (n + 1) // 2), n)
        if self.solver == "newton" or (self.solver == "auto" and n <= NEWTON_LIMIT):
            self._by_newton(states, weights / weights.sum())
        else:
            self._by_chains(states, weights / weights.sum())
        self.weights_ = self.weights_.astype(X.dtype, copy=False)
        self.biases_ = self.biases_.astype(X.dtype, copy=False)
        return self

    def score_samples(self, X):
        """Return the log-probability of each state.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            States, one per row.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples,)
            Natural logarithms, for up to 20 units.
        """
        X = check_new(self, X)
        log_probabilities = -self.energy(X) / self.temperature - self._log_partition()
        return log_probabilities.astype(X.dtype, copy=False)

    def score(self, X, y=None):
        """Return the mean log-probability of the states.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            States, one per row.
        y : Ignored
            Not used.

        Returns
        -------
        score : float
            Mean of `score_samples`.
        """
        return float(self.score_samples(X).mean())

    def energy(self, X):
        """Return the energy of each state.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            States, one per row.

        Returns
        -------
        energies : ndarray of shape (n_samples,)
            Energies.
        """
        states = np.where(check_new(self, X) > 0, 1.0, -1.0)
        return energy(self.weights_, states, self.biases_)

    def sample(self, n_samples: int = 1, random_state=None):
        """Draw states, each from its own Markov chain.

        Parameters
        ----------
        n_samples : int, default=1
            Number of states.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the chains; None uses the machine's random state.

        Returns
        -------
        states : ndarray of shape (n_samples, n_features)
            States +1 or -1.
        """
        seed = self.random_state if random_state is None else random_state
        rng = as_generator(seed)
        states = rng.choice([-1.0, 1.0], size=(n_samples, len(self.biases_)))
        self._sweep(states, rng, WARM_UP)
        return states

    def _by_newton(self, states, shares):
        """Maximise the concave likelihood; its Hessian is the covariance of the moments."""
        n = states.shape[1]
        every = all_states(n)
        statistics = pair_statistics(every)
        observed = shares @ pair_statistics(states)
        place = np.zeros(len(observed))

        def evaluate(place):
            exponents = statistics @ place
            total = logsumexp(exponents)
            loss = total - observed @ place + self.alpha / 2 * place @ place
            return loss, np.exp(exponents - total)

        loss, chances = evaluate(place)
        run = Training(self, self.max_iter, self.tol, state=("weights_", "biases_"))
        for _ in run:
            # Gradient: moments of the model minus moments of the data, plus the penalty.
            expected = chances @ statistics
            gradient = expected - observed + self.alpha * place
            centred = statistics - expected
            hessian = (centred * chances[:, None]).T @ centred
            hessian[np.diag_indices(len(place))] += self.alpha + 1e-12
            step = solve(hessian, gradient, assume_a="pos", check_finite=False)
            # Halve the step until the loss does not increase.
            rate, found = 1.0, evaluate(place - step)
            while not found[0] <= loss and rate > 1e-9:
                rate /= 2
                found = evaluate(place - rate * step)
            place, (loss, chances) = place - rate * step, found
            self._set(self.temperature * place, n)
            run.record(loss)
        self.history_, self.n_iter_ = run.history, run.n_iter

    def _by_chains(self, states, shares):
        """Follow the difference of data and model moments, with persistent Markov chains."""
        n, rng = states.shape[1], as_generator(self.random_state)
        pairs = (states * shares[:, None]).T @ states
        means = shares @ states
        chains = rng.choice([-1.0, 1.0], size=(self.n_chains, n))
        run = Training(self, self.max_iter, state=("weights_", "biases_"))
        for epoch in run:
            self._sweep(chains, rng, 1)
            rate = self.learning_rate * 0.1 ** (epoch / self.max_iter)
            penalty = self.alpha / self.temperature
            self.weights_ += rate * (
                pairs - chains.T @ chains / len(chains) - penalty * self.weights_
            )
            np.fill_diagonal(self.weights_, 0.0)
            self.biases_ += rate * (means - chains.mean(axis=0) - penalty * self.biases_)
            # Pseudo-likelihood: every unit given all others, -ln P = ln(1 + exp(-2 S h / T)).
            fields = states @ self.weights_ + self.biases_
            surprise = np.logaddexp(0, -2 * states * fields / self.temperature)
            run.record(shares @ surprise.sum(axis=1))
        self.history_, self.n_iter_ = run.history, run.n_iter

    def _sweep(self, states, rng, n_sweeps):
        weights = self.weights_.astype(np.float64, copy=False)
        options = {"temperature": self.temperature, "n_sweeps": n_sweeps}
        sweep_rows(states, weights, self.biases_, rng, **options)

    def _set(self, parameters, n):
        """Set weights of pairs, then biases, from one vector."""
        pairs = np.zeros((n, n))
        pairs[np.triu_indices(n, 1)] = parameters[:-n]
        self.weights_, self.biases_ = pairs + pairs.T, parameters[-n:].copy()

    def _log_partition(self):
        n = len(self.biases_)
        if n > COUNTING_LIMIT:
            raise ValueError(
                f"BoltzmannMachine: probabilities need a sum over all states, possible for up "
                f"to {COUNTING_LIMIT} units, got {n}. Compare energies instead."
            )
        parts = []
        for first in range(0, 2**n, STATES_AT_ONCE):
            states = all_states(n, first, min(first + STATES_AT_ONCE, 2**n))
            parts.append(logsumexp(-energy(self.weights_, states, self.biases_) / self.temperature))
        return logsumexp(parts)


def all_states(n, first=0, last=None):
    """Return states number `first` to `last` of n units, one per row; bit i is unit i."""
    numbers = np.arange(first, 2**n if last is None else last)
    return 2.0 * (numbers[:, None] >> np.arange(n) & 1) - 1.0


def pair_statistics(states):
    """Return the products of all pairs of units, then the units themselves."""
    i, j = np.triu_indices(states.shape[1], 1)
    return np.hstack([states[:, i] * states[:, j], states])
