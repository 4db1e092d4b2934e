"""Hidden Markov model with Gaussian or categorical emissions."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_sequences
from shallows._core.contract.params import (
    NonNegativeFloat,
    NumberArray,
    PositiveFloat,
    PositiveInt,
    check_params,
    check_value,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import hold_threads
from shallows.graphical._baum_welch import baum_welch_step, smooth
from shallows.graphical._chain_starts import start_chain
from shallows.graphical._chain_steps import viterbi
from shallows.graphical._emissions import Categorical, Diagonal, Full


class HiddenMarkovModel(DensityMixin, IterativeMixin, BaseEstimator):
    """Sequence model with a hidden Markov chain of states that emit the observed values.

    The parameters are found by Baum and Welch's expectation-maximisation [1]_: the likelihood
    never falls, and ends in a local maximum that depends on the start. Some states may be known,
    and values may be missing (NaN).

    `X` is one sequence of shape (n_steps, n_features), or a list of sequences.

    Parameters
    ----------
    n_components : int, default=2
        Number of states.
    emission : {"gaussian", "categorical"}, default="gaussian"
        Emission of a state: numbers, or one of the symbols 0, 1, 2 ... in a single column.
    covariance_type : {"diag", "full"}, default="diag"
        Whether each state has variances of the features, or a full covariance matrix.
    alpha : float, default=0.0
        Pseudo-count added to the counts of first states, transitions and symbols.
    reg_covar : float, default=1e-6
        Smallest variance in any direction.
    startprob_init : array-like of shape (n_components,) or None, default=None
        Initial probabilities of the first state; a zero stays zero if `alpha` is 0.
    transmat_init : array-like of shape (n_components, n_components) or None, default=None
        Initial transition probabilities; a zero stays zero if `alpha` is 0.
    n_init : int, default=1
        Number of starts; the most likely result is kept. For numbers, the first start is a
        clustering by k-means.
    max_iter : int, default=100
        Largest number of steps per start.
    tol : float or None, default=1e-5
        A start has converged when the mean log-likelihood per step rises by at most this. With
        None all `max_iter` steps run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starts.

    Attributes
    ----------
    startprob_ : ndarray of shape (n_components,)
        Probabilities of the first state.
    transmat_ : ndarray of shape (n_components, n_components)
        Transition probabilities, one row for each state.
    means_ : ndarray of shape (n_components, n_features)
        Means of Gaussian emissions.
    covariances_ : ndarray
        Variances of shape (n_components, n_features) for "diag", covariances of shape
        (n_components, n_features, n_features) for "full".
    emissionprob_ : ndarray of shape (n_components, n_symbols)
        Probabilities of the symbols of categorical emissions.
    history_ : dict of str to list of float
        ``"loss"`` of each step of the kept start: minus the log-likelihood per step of the
        sequences, with the penalty of `alpha`.
    n_iter_ : int
        Number of steps of the kept start.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] L. R. Rabiner, "A tutorial on hidden Markov models and selected applications in
       speech recognition", Proceedings of the IEEE 77, 257-286, 1989.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.graphical import HiddenMarkovModel
    >>> rng = np.random.default_rng(0)
    >>> states = np.repeat([0, 1, 0, 1, 0], 40)
    >>> X = 3 * states[:, None] + rng.normal(size=(200, 1))
    >>> model = HiddenMarkovModel(2, random_state=0).fit(X)
    >>> same = model.predict(X) == states
    >>> bool(max(same.mean(), 1 - same.mean()) > 0.95)
    True
    """

    def __init__(
        self,
        n_components: PositiveInt = 2,
        *,
        emission: Literal["gaussian", "categorical"] = "gaussian",
        covariance_type: Literal["diag", "full"] = "diag",
        alpha: NonNegativeFloat = 0.0,
        reg_covar: PositiveFloat = 1e-6,
        startprob_init: NumberArray | None = None,
        transmat_init: NumberArray | None = None,
        n_init: PositiveInt = 1,
        max_iter: PositiveInt = 100,
        tol: NonNegativeFloat | None = 1e-5,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.emission = emission
        self.covariance_type = covariance_type
        self.alpha = alpha
        self.reg_covar = reg_covar
        self.startprob_init = startprob_init
        self.transmat_init = transmat_init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, states=None):
        """Estimate the parameters.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or list of such
            Sequences; NaN for missing values.
        y : None
            Ignored.
        states : array-like of shape (n_steps,), or list of such, default=None
            Known states, numbered from 0; -1 for unknown states.

        Returns
        -------
        self : HiddenMarkovModel
            The fitted model.
        """
        check_params(self)
        values, starts, dtype = self._values(X, reset=True)
        known = self._known(states, starts)
        if len(values) < self.n_components:
            raise ValueError(
                f"HiddenMarkovModel: n_components={self.n_components} states need as many steps, "
                f"got n_samples={len(values)}."
            )
        streams = as_generator(self.random_state).spawn(self.n_init)
        run = Training(self, self.max_iter, self.tol, X=X, y=y)
        with hold_threads():
            for number, stream in enumerate(run.starts(streams)):
                # Baum-Welch from one start; the best run counts.
                chain = start_chain(self, values, starts, known, stream, number)
                for _ in run.epochs():
                    loss, chain = baum_welch_step(values, starts, known, chain, float(self.alpha))
                    run.record(loss)
                run.keep(chain)
        self._keep(run.best(), dtype)
        return self

    def predict(self, X):
        """Return the most probable sequence of states (Viterbi's algorithm).

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or list of such
            Sequences; NaN for missing values.

        Returns
        -------
        states : ndarray of shape (n_steps,), or list of such
            State of each step.
        """
        values, starts, _ = self._values(X, reset=False)
        initial, moves, emission = self._chain()
        path = np.empty(len(values), dtype=np.intp)
        with np.errstate(divide="ignore"):
            viterbi(emission.logs(values), starts, np.log(initial), np.log(moves), path)
        return _like(X, path, starts)

    def predict_proba(self, X):
        """Return the probability of each state at each step, given the whole sequence.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or list of such
            Sequences; NaN for missing values.

        Returns
        -------
        probabilities : ndarray of shape (n_steps, n_components), or list of such
            They sum to one for each step.
        """
        values, starts, dtype = self._values(X, reset=False)
        found = smooth(values, starts, *self._chain())
        if (found.totals == -np.inf).any():
            raise ValueError(
                f"HiddenMarkovModel: sequence {int(np.argmin(found.totals))} is impossible in this "
                "model, so nothing can be inferred from it. Fit with alpha > 0."
            )
        return _like(X, found.posterior.astype(dtype), starts)

    def log_likelihood(self, X):
        """Return the log-likelihood of each sequence, by the forward recursion.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or list of such
            Sequences; NaN for missing values.

        Returns
        -------
        log_likelihoods : ndarray of shape (n_sequences,)
            Natural logarithms; minus infinity for an impossible sequence.
        """
        values, starts, _ = self._values(X, reset=False)
        return smooth(values, starts, *self._chain()).totals

    def score(self, X, y=None):
        """Return the mean log-likelihood per step.

        Parameters
        ----------
        X : array-like of shape (n_steps, n_features), or list of such
            Sequences; NaN for missing values.
        y : None
            Ignored.

        Returns
        -------
        score : float
            Log-likelihood of all sequences divided by their number of steps.
        """
        values, starts, _ = self._values(X, reset=False)
        return float(smooth(values, starts, *self._chain()).totals.sum() / len(values))

    def sample(self, n_samples: int = 1, random_state=None):
        """Draw a sequence and its states.

        Parameters
        ----------
        n_samples : int, default=1
            Number of steps.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws; None uses the `random_state` of the model.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The sequence.
        states : ndarray of shape (n_samples,)
            State of each step.
        """
        check_value("HiddenMarkovModel.sample", "n_samples", PositiveInt, n_samples)
        initial, moves, emission = self._chain()
        rng = as_generator(self.random_state if random_state is None else random_state)
        points = rng.random(n_samples)
        limits = np.vstack([initial, moves]).cumsum(axis=1)
        limits = limits[:, :-1] / limits[:, -1:]
        states = np.empty(n_samples, dtype=np.intp)
        last = -1
        for step, point in enumerate(points):
            last = int(np.searchsorted(limits[last + 1], point, side="right"))
            states[step] = last
        return emission.draw(states, rng), states

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _values(self, X, *, reset):
        values, starts = check_sequences(self, X, reset=reset, allow_nan=True)
        if self.emission == "categorical":
            self._check_symbols(values, None if reset else self.emissionprob_.shape[1])
        return np.asarray(values, dtype=np.float64), starts, values.dtype

    def _check_symbols(self, values, n_symbols):
        seen = values[~np.isnan(values)]
        whole = (seen >= 0).all() and (seen == np.floor(seen)).all() and len(seen)
        if values.shape[1] != 1 or not whole or (n_symbols and seen.max() >= n_symbols):
            limit = "" if n_symbols is None else f" below {n_symbols}"
            raise ValueError(
                "HiddenMarkovModel: categorical emissions are one column of whole numbers from 0"
                f"{limit}, got {values.shape[1]} feature(s) with values such as "
                f"{np.unique(seen)[-3:].tolist()}. Number the symbols, or use Gaussian emissions."
            )

    def _known(self, states, starts):
        """Return one state per step, -1 for unknown states."""
        if states is None:
            return np.full(starts[-1], -1, dtype=np.intp)
        nested = len(states) > 0 and np.ndim(states[0]) == 1
        parts = [np.asarray(part) for part in (states if nested else [states])]
        lengths, known = list(map(len, parts)), np.concatenate(parts)
        if lengths != np.diff(starts).tolist():
            raise ValueError(
                f"HiddenMarkovModel: states must have the lengths {np.diff(starts).tolist()} of "
                f"the sequences, got {lengths}."
            )
        if known.dtype.kind not in "iu" or known.min() < -1 or known.max() >= self.n_components:
            raise ValueError(
                f"HiddenMarkovModel: states must be whole numbers from 0 to "
                f"{self.n_components - 1}, or -1 where they are not known, got {np.unique(known)}."
            )
        return known.astype(np.intp)

    def _chain(self):
        check_is_fitted(self)
        initial, moves = (part.astype(np.float64) for part in (self.startprob_, self.transmat_))
        if self.emission == "categorical":
            return initial, moves, Categorical(self.emissionprob_.astype(np.float64), 0.0)
        kind = Diagonal if self.covariance_type == "diag" else Full
        means, covariances = (part.astype(np.float64) for part in (self.means_, self.covariances_))
        return initial, moves, kind(means, covariances, float(self.reg_covar))

    def _keep(self, best, dtype):
        initial, moves, emission = best.result
        self.startprob_, self.transmat_ = initial.astype(dtype), moves.astype(dtype)
        if self.emission == "categorical":
            self.emissionprob_ = emission.probabilities.astype(dtype)
        else:
            self.means_ = emission.means.astype(dtype)
            self.covariances_ = emission.covariances.astype(dtype)
        self.history_, self.n_iter_ = best.history, best.n_iter
        if self.tol is not None and not best.converged:
            warnings.warn(
                f"HiddenMarkovModel stopped after max_iter={self.max_iter} steps before it "
                "converged. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _like(X, values, starts):
    """Return one array for one sequence, a list of arrays for a list."""
    if isinstance(X, list | tuple) and len(X) and np.ndim(X[0]) == 2:
        return np.split(values, starts[1:-1])
    return values
