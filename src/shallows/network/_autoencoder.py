"""Autoencoder: a network that repeats its input through a narrow layer."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.magnitude import refuse_too_wide
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows.network._initialize import initialize
from shallows.network._layers import check_activation
from shallows.network._network import Network, flatten, predict_outputs, views
from shallows.network._samples import Samples
from shallows.network._settings import BatchSize
from shallows.network._train import Trainer, train


class Autoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, IterativeMixin, BaseEstimator):
    r"""Few numbers per sample from which a network can rebuild it.

    The network is trained to give out what comes in, through a hidden layer that is too narrow
    to copy: its outputs are a code of the sample. Training descends the mean of half the
    squared error of reconstruction, summed over features. A linear autoencoder finds the
    subspace of the leading principal components.

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    hidden : int or sequence of int, default=2
        Units of the layers that encode; the last is the code. The decoder has the same layers
        in reverse order.
    activation : str, default="tanh"
        Activation of the hidden units, as for `MLPClassifier`; code and output are linear where
        there are several hidden layers, else only the output.
    linear : bool, default=False
        Whether all units are linear.
    noise : float, default=0.0
        Standard deviation of noise added to the inputs, not to the targets: a denoising
        autoencoder.
    solver : {"lbfgs", "adam", "sgd"}, default="lbfgs"
        How the loss is minimised; with `noise` it must go in batches.
    alpha : float, default=0.0
        Strength of weight decay, divided by the number of samples in a batch.
    batch_size : int, "auto" or None, default="auto"
        Samples in a batch; "auto" takes up to 200, None all of them.
    learning_rate_init : float, default=0.001
        Step size of "adam" and "sgd".
    max_iter : int, default=300
        Largest number of passes over the data.
    tol : float or None, default=1e-5
        Training stops when the loss falls by less than this in ten epochs in a row. With None
        all `max_iter` epochs run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds weights, orders and noise.

    Attributes
    ----------
    coefs_ : list of ndarray of shape (n_in, n_out)
        Weights of each layer.
    intercepts_ : list of ndarray of shape (n_out,)
        Biases of each layer.
    network_ : Network
        Encoder and decoder in one.
    history_ : dict of str to list of float
        The mean loss of each epoch under ``"loss"``.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    G. E. Hinton and R. R. Salakhutdinov, "Reducing the dimensionality of data with neural
    networks", Science 313, 504-507, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from shallows.network import Autoencoder
    >>> X = scale(load_iris().data)
    >>> model = Autoencoder(2, linear=True, random_state=0).fit(X)
    >>> model.transform(X).shape, bool(model.score(X) > -0.18)
    ((150, 2), True)
    """

    def __init__(
        self,
        hidden: PositiveInt | tuple | list = 2,
        *,
        activation: str = "tanh",
        linear: bool = False,
        noise: NonNegativeFloat = 0.0,
        solver: Literal["lbfgs", "adam", "sgd"] = "lbfgs",
        alpha: NonNegativeFloat = 0.0,
        batch_size: BatchSize = "auto",
        learning_rate_init: PositiveFloat = 0.001,
        max_iter: PositiveInt = 300,
        tol: NonNegativeFloat | None = 1e-5,
        random_state: RandomState = None,
    ):
        self.hidden = hidden
        self.activation = activation
        self.linear = linear
        self.noise = noise
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Train encoder and decoder.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss.

        Returns
        -------
        self : Autoencoder
            The fitted estimator.
        """
        check_params(self)
        X, weights = check_unlabelled(self, X, sample_weight)
        rng = as_generator(self.random_state)
        sizes = self._sizes(X.shape[1])
        refuse_too_wide("Autoencoder", f"hidden={self.hidden}", sizes)
        start = flatten(*initialize(sizes, "lecun", random_state=rng)).astype(X.dtype)
        self.coefs_, self.intercepts_ = views(start, sizes)
        trainer = Trainer(self, start, self.network_, rng)
        run = Training(
            self, self.max_iter, self.tol, patience=10, X=X, y=X, sample_weight=weights,
            state=("coefs_", "intercepts_"),
        )  # fmt: skip
        train(trainer, Samples.of(X, X, weights), run)
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def transform(self, X):
        """Return the codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        code : ndarray of shape (n_samples, n_code)
            Outputs of the narrowest layer.
        """
        X = check_new(self, X)
        return predict_outputs(self._half(encoder=True), X)

    def inverse_transform(self, X):
        """Rebuild samples from their codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_code)
            Codes.

        Returns
        -------
        samples : ndarray of shape (n_samples, n_features)
            What the decoder makes of them.
        """
        check_is_fitted(self)
        half = self._half(encoder=False)
        code = np.asarray(X, dtype=self.coefs_[0].dtype)
        if code.ndim != 2 or code.shape[1] != half.weights[0].shape[0]:
            raise ValueError(
                f"Autoencoder: codes must have shape (n_samples, {half.weights[0].shape[0]}), "
                f"got {code.shape}."
            )
        return predict_outputs(half, code)

    def score(self, X, y=None):
        """Return minus the mean of half the squared error of reconstruction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        score : float
            Larger is better; 0 is perfect.
        """
        X = check_new(self, X)
        gap = (predict_outputs(self.network_, X) - X).astype(np.float64)
        return -float((gap**2).sum() / (2 * len(X)))

    @property
    def network_(self):
        """Encoder and decoder in one network."""
        n_layers = len(self.coefs_)
        names = ["identity" if self.linear else self.activation] * n_layers
        names[-1] = "identity"
        if n_layers > 2:
            names[n_layers // 2 - 1] = "identity"
        return Network(self.coefs_, self.intercepts_, tuple(names))

    def _half(self, encoder):
        net, middle = self.network_, len(self.coefs_) // 2
        part = slice(0, middle) if encoder else slice(middle, None)
        return Network(net.weights[part], net.biases[part], net.activations[part])

    def _sizes(self, n_features):
        hidden = [self.hidden] if np.ndim(self.hidden) == 0 else list(self.hidden)
        if not hidden or any(int(size) != size or size < 1 for size in hidden):
            raise ValueError(f"Autoencoder: hidden must be whole numbers > 0, got {self.hidden!r}.")
        check_activation(self)
        sizes = [n_features, *(int(size) for size in hidden)]
        return [*sizes, *sizes[-2::-1]]

    @property
    def _n_features_out(self):
        return self.coefs_[len(self.coefs_) // 2 - 1].shape[1]
