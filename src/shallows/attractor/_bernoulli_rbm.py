"""Restricted Boltzmann machine of binary units."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_rows
from shallows._core.contract.params import PositiveFloat, PositiveInt, Verbose, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import block_slices


class BernoulliRBM(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, IterativeMixin, BaseEstimator
):
    r"""Binary hidden units that model the data, coupled to the features and not to one another.

    Under scikit-learn's name and parameters. States have the energy
    :math:`-h'Wv - b'v - c'h`. Each batch moves the parameters along the difference of the
    correlations in the data and in Markov chains that run on from batch to batch [1]_.

    Parameters
    ----------
    n_components : int, default=256
        Number of hidden units.
    learning_rate : float, default=0.1
        Step size.
    batch_size : int, default=10
        Samples in a batch, and number of Markov chains.
    n_iter : int, default=10
        Number of passes over the data.
    verbose : int or bool, default=0
        Whether to report the loss of each pass.
    random_state : int, RandomState, Generator or None, default=None
        Seeds weights, chains and draws.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Weights :math:`W`.
    intercept_hidden_ : ndarray of shape (n_components,)
        Biases of the hidden units.
    intercept_visible_ : ndarray of shape (n_features,)
        Biases of the features.
    h_samples_ : ndarray of shape (batch_size, n_components)
        Hidden states of the chains.
    history_ : dict of str to list of float
        Minus the mean pseudo-log-likelihood after each pass, one feature per sample drawn for it,
        under ``"loss"``; `partial_fit` adds nothing.
    n_iter_ : int
        Passes made by `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Tieleman, "Training restricted Boltzmann machines using approximations to the
       likelihood gradient", ICML, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.attractor import BernoulliRBM
    >>> X = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> BernoulliRBM(2, random_state=0).fit_transform(X).shape
    (4, 2)
    """

    def __init__(
        self,
        n_components: PositiveInt = 256,
        *,
        learning_rate: PositiveFloat = 0.1,
        batch_size: PositiveInt = 10,
        n_iter: PositiveInt = 10,
        verbose: Verbose = 0,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_iter = n_iter
        self.verbose = verbose
        self.random_state = random_state

    def fit(self, X, y=None):
        """Learn weights and biases.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, values between 0 and 1.
        y : None
            Ignored.

        Returns
        -------
        self : BernoulliRBM
            The fitted machine.
        """
        check_params(self)
        X = check_rows(self, X, sparse=True)
        rng = as_generator(self.random_state)
        self._start(X, rng)
        state = "components_", "intercept_hidden_", "intercept_visible_"
        run = Training(self, self.n_iter, state=state, X=X)
        for _ in run:
            for rows in block_slices(X.shape[0], self.batch_size):
                self._step(X[rows], rng)
            run.record(-float(self._pseudo_likelihood(X, rng).mean()))
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def partial_fit(self, X, y=None):
        """Learn from one batch.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, values between 0 and 1.
        y : None
            Ignored.

        Returns
        -------
        self : BernoulliRBM
            The machine after this batch.
        """
        check_params(self)
        first = not hasattr(self, "components_")
        X = check_rows(self, X, sparse=True, reset=first)
        if first:
            self._rng = as_generator(self.random_state)
            self._start(X, self._rng)
            self.history_, self.n_iter_ = {"loss": []}, 0
        elif not hasattr(self, "_rng"):
            self._rng = as_generator(self.random_state)
        self._step(X, self._rng)
        return self

    def transform(self, X):
        """Return the probabilities of the hidden units.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, values between 0 and 1.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_components)
            Mean hidden states given the samples.
        """
        return self._hidden(check_new(self, X, sparse=True))

    def gibbs(self, v):
        """Draw hidden states given visible ones, and visible states given these.

        Parameters
        ----------
        v : array-like of shape (n_samples, n_features)
            Visible states.

        Returns
        -------
        v_new : ndarray of bool of shape (n_samples, n_features)
            Visible states one step later.
        """
        check_is_fitted(self)
        if not hasattr(self, "_rng"):
            self._rng = as_generator(self.random_state)
        hidden = self._hidden(v if issparse(v) else np.asarray(v))
        hidden = self._rng.random(hidden.shape) < hidden
        return self._draw_visible(hidden, self._rng)

    def score_samples(self, X):
        """Return the pseudo-log-likelihood of each sample: that of each feature given the others.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, values between 0 and 1.

        Returns
        -------
        values : ndarray of shape (n_samples,)
            Natural logarithms.
        """
        X = check_new(self, X, sparse=True)
        X = X.toarray() if issparse(X) else X
        energies = self._free_energy(X)
        total = np.zeros_like(energies)
        for place in range(X.shape[1]):
            flipped = X.copy()
            flipped[:, place] = 1 - flipped[:, place]
            total -= np.logaddexp(0, energies - self._free_energy(flipped))
        return total

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self):
        return len(self.components_)

    def _start(self, X, rng):
        shape = self.n_components, X.shape[1]
        self.components_ = rng.normal(0, 0.01, shape).astype(X.dtype)
        self.intercept_hidden_ = np.zeros(self.n_components, X.dtype)
        self.intercept_visible_ = np.zeros(X.shape[1], X.dtype)
        self.h_samples_ = np.zeros((self.batch_size, self.n_components), X.dtype)

    def _step(self, v, rng):
        """Move along the correlations in a batch less those in the chains."""
        dtype = self.components_.dtype
        hidden = self._hidden(v)
        chain = self._draw_visible(self.h_samples_, rng).astype(dtype)
        chain_hidden = self._hidden(chain)
        rate, n = dtype.type(self.learning_rate), v.shape[0]
        here = np.asarray((v.T @ hidden).T) / n  # means, since a batch may have fewer rows
        self.components_ += rate * (here - chain_hidden.T @ chain / len(chain))
        self.intercept_hidden_ += rate * (hidden.mean(axis=0) - chain_hidden.mean(axis=0))
        visible = np.asarray(v.sum(axis=0)).ravel() / n
        self.intercept_visible_ += rate * (visible - chain.mean(axis=0))
        self.h_samples_ = (rng.random(chain_hidden.shape) < chain_hidden).astype(dtype)

    def _hidden(self, v):
        return expit(v @ self.components_.T + self.intercept_hidden_)

    def _draw_visible(self, h, rng):
        chances = expit(h @ self.components_ + self.intercept_visible_)
        return rng.random(chances.shape) < chances

    def _free_energy(self, v):
        inner = np.logaddexp(0, v @ self.components_.T + self.intercept_hidden_)
        return -(v @ self.intercept_visible_) - inner.sum(axis=1)

    def _pseudo_likelihood(self, X, rng):
        """Return an estimate of `score_samples`: one feature of each sample stands for all."""
        rows = np.arange(X.shape[0])
        places = rng.integers(X.shape[1], size=X.shape[0])
        flipped = X.toarray() if issparse(X) else X.copy()
        flipped[rows, places] = 1 - flipped[rows, places]
        gap = self._free_energy(flipped) - self._free_energy(X)
        return -X.shape[1] * np.logaddexp(0, -gap)
