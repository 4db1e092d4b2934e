"""Convolutional network for images."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.threads import block_slices, hold_threads
from shallows.descent._batches import batches
from shallows.network._convnet_steps import Stack, start_stack
from shallows.network._convolution import Conv, Pool
from shallows.network._layers import check_activation, hidden_sizes
from shallows.network._network import output_net_inputs
from shallows.network._samples import Batches, Samples
from shallows.network._settings import BatchSize, Settings
from shallows.network._steps import Stepper, named_solver

DEFAULT_LAYERS = (Conv(8, 3), Pool("max", 2))


class ConvNet(ClassifierMixin, IterativeMixin, BaseEstimator):
    """Classifier of images by local filters with shared weights, pooling, and dense layers.

    Filters look at every place of an image with the same weights, so their number does not
    depend on the size of the image; pooling makes what they find tolerant of small shifts. A
    network of dense layers reads the result. All of it is trained end to end, or only the dense
    part on top of fixed filters, as in the Neocognitron.

    Parameters
    ----------
    layers : sequence of Conv and Pool, default=(Conv(8, 3), Pool("max", 2))
        The filters and pools, from the image upwards.
    hidden_layer_sizes : int or array-like of int, default=()
        Units of dense hidden layers on top.
    activation : str, default="relu"
        Activation of the dense hidden units.
    image_shape : tuple of int or None, default=None
        Height and width of the images whose pixels are the features, and a third number for
        channels. None takes squares, or a single row where features are not a square number.
    trainable : bool, default=True
        Whether the filters are trained too, or only the dense layers.
    solver : {"adam", "sgd"}, default="adam"
        How the loss is minimised.
    alpha : float, default=0.0001
        Strength of weight decay, which is divided by the number of samples in a batch.
    batch_size : int, "auto" or None, default="auto"
        Samples in a batch; "auto" takes up to 200, None all of them.
    learning_rate_init : float, default=0.001
        Step size.
    max_iter : int, default=30
        Largest number of passes over the data.
    tol : float or None, default=1e-4
        Training stops when the loss falls by less than this in ten epochs in a row. With None
        all `max_iter` epochs run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds weights and orders.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    kernels_ : list of ndarray of shape (size, size, n_channels, n_kernels)
        Filters of each `Conv`.
    kernel_biases_ : list of ndarray of shape (n_kernels,)
        Their biases.
    coefs_ : list of ndarray of shape (n_in, n_out)
        Weights of the dense layers.
    intercepts_ : list of ndarray of shape (n_out,)
        Biases of the dense layers.
    image_shape_ : tuple of int
        Height, width and channels.
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
    Y. LeCun, L. Bottou, Y. Bengio and P. Haffner, "Gradient-based learning applied to document
    recognition", Proceedings of the IEEE 86, 2278-2324, 1998.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from shallows.network import Conv, ConvNet, Pool
    >>> X, y = load_digits(n_class=3, return_X_y=True)
    >>> model = ConvNet([Conv(4, 3), Pool()], max_iter=20, tol=None, random_state=0)
    >>> model.fit(X / 16, y).score(X / 16, y) > 0.9
    True
    """

    def __init__(
        self,
        layers: tuple | list = DEFAULT_LAYERS,
        *,
        hidden_layer_sizes: int | tuple | list | np.ndarray = (),
        activation: str = "relu",
        image_shape: tuple | list | None = None,
        trainable: bool = True,
        solver: Literal["adam", "sgd"] = "adam",
        alpha: NonNegativeFloat = 0.0001,
        batch_size: BatchSize = "auto",
        learning_rate_init: PositiveFloat = 0.001,
        max_iter: PositiveInt = 30,
        tol: NonNegativeFloat | None = 1e-4,
        random_state: RandomState = None,
    ):
        self.layers = layers
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.image_shape = image_shape
        self.trainable = trainable
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Train filters and dense layers.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images, one per row.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss.

        Returns
        -------
        self : ConvNet
            The fitted estimator.
        """
        check_params(self)
        check_activation(self)
        X, y, weights = check_labelled(self, X, y, sample_weight)
        self.image_shape_ = self._shape(X.shape[1])
        rng = as_generator(self.random_state)
        samples = Samples.of(X, np.eye(len(self.classes_))[y], weights)
        hidden = hidden_sizes(self)
        vector, stack = start_stack(
            tuple(self.layers), self.image_shape_, hidden, self.activation,
            len(self.classes_), X.dtype, rng,
        )  # fmt: skip
        self._store(stack)
        run = Training(
            self, self.max_iter, self.tol, patience=10, X=X, y=self.classes_[y],
            sample_weight=weights, state=("kernels_", "kernel_biases_", "coefs_", "intercepts_"),
        )  # fmt: skip
        stepper = Stepper(named_solver(self), vector)
        with hold_threads():
            for _ in run:
                run.record(self._epoch(stack, samples, stepper, rng))
        self.history_, self.n_iter_ = run.history, run.n_iter
        return self

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images, one per row.

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            Outputs of the network.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images, one per row.

        Returns
        -------
        log_probability : ndarray of shape (n_samples, n_classes)
            Logarithms, finite also where a probability rounds to zero.
        """
        X = check_new(self, X)
        dense = self._stack().dense
        parts = [output_net_inputs(dense, maps) for maps in self._maps(X)]
        return log_softmax(np.concatenate(parts), axis=1)

    def predict(self, X):
        """Return the most probable class of each image.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images, one per row.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def feature_maps(self, X):
        """Return what filters and pools make of images.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Images, one per row.

        Returns
        -------
        features : ndarray of shape (n_samples, n_maps)
            Inputs of the dense layers.
        """
        X = check_new(self, X)
        return np.concatenate(list(self._maps(X)))

    def _maps(self, X):
        """Yield the feature maps of blocks of images, whose patches need much memory."""
        stack = self._stack()
        for rows in block_slices(len(X), stack.block_images):
            yield stack.maps(X[rows])

    def _epoch(self, stack, samples, stepper, rng):
        size = Settings.of(self).batch_rows(len(samples))
        buffers = Batches(samples, size)
        total = mass = 0.0
        for rows in batches(len(samples), size, rng):
            batch = buffers.take(rows)
            weight = batch.mass
            loss = stack.cost(batch, self.alpha / weight, self.trainable)
            stepper.step(stack.gradient, self.learning_rate_init)
            total, mass = total + weight * loss, mass + weight
        return total / mass

    def _store(self, stack):
        self.kernels_, self.kernel_biases_ = stack.kernels, stack.biases
        self.coefs_, self.intercepts_ = stack.dense.weights, stack.dense.biases

    def _stack(self):
        activations = (self.activation,) * (len(self.coefs_) - 1)
        return Stack(
            tuple(self.layers), self.image_shape_, self.kernels_, self.kernel_biases_,
            self.coefs_, self.intercepts_, activations,
        )  # fmt: skip

    def _shape(self, n_features):
        given = self.image_shape
        if given is None:
            side = round(n_features**0.5)
            return (side, side, 1) if side * side == n_features else (1, n_features, 1)
        shape = (*map(int, given), 1)[:3]
        if len(given) not in (2, 3) or int(np.prod(shape)) != n_features:
            raise ValueError(
                f"ConvNet: image_shape {given!r} does not fit {n_features} features; give height, "
                "width and, for several channels, their number."
            )
        return shape


def LeNet(n_kernels: Any = (6, 16), hidden_layer_sizes: Any = (120, 84), **options: Any) -> ConvNet:
    """Return a `ConvNet` with the layers of LeNet-5.

    Two rounds of filters and pools, then two dense hidden layers, with tanh units and pools that
    average. Filters have size 5 and keep the size of the image, so that small images fit.

    Parameters
    ----------
    n_kernels : sequence of int, default=(6, 16)
        Filters of the first and second round.
    hidden_layer_sizes : sequence of int, default=(120, 84)
        Units of the dense hidden layers.
    **options : dict
        Other parameters of `ConvNet`.

    Returns
    -------
    model : ConvNet
        Not yet fitted.

    Examples
    --------
    >>> from shallows.network import LeNet
    >>> [type(layer).__name__ for layer in LeNet().layers]
    ['Conv', 'Pool', 'Conv', 'Pool']
    """
    first, second = n_kernels
    layers = (
        Conv(first, 5, activation="tanh"),
        Pool("mean", 2),
        Conv(second, 5, activation="tanh"),
        Pool("mean", 2),
    )
    return ConvNet(layers, hidden_layer_sizes=hidden_layer_sizes, activation="tanh", **options)
