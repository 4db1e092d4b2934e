"""Layered network as classifier."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from shallows._core.data import FLOATS, check_labelled, check_new, check_weights
from shallows._core.params import (
    Fraction,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Range,
    check_params,
)
from shallows._core.rng import RandomState
from shallows.network._dropout import KeepProbability
from shallows.network._initialize import Init
from shallows.network._mlp import (
    BatchSize,
    Decay,
    Drop,
    LayeredMixin,
    LearningRate,
    Momentum,
    Norm,
    Solver,
    fit_network,
    learns_in_steps,
    partial_fit_network,
)
from shallows.network._network import predict_outputs
from shallows.network._penalties import Penalty

MULTILABEL = "multilabel-indicator"
OUTPUTS = {"log_loss": "softmax", "squared_error": "logistic", "sign_squared": "tanh"}


class MLPClassifier(ClassifierMixin, LayeredMixin, BaseEstimator):
    r"""Classifier by a network of layers, trained by backpropagation.

    Units of a layer form weighted sums of the outputs of the layer below and bend them,
    :math:`Z_m = g(Z_{m-1} W_m + b_m)`. The outputs are probabilities of the classes, and
    training descends the mean cross-entropy, or another loss. With several columns of zeros
    and ones as y, each column is a label of its own.

    Features should have comparable scales: put a scaler before it.

    Parameters
    ----------
    hidden_layer_sizes : int or array-like of int, default=(100,)
        Units of each hidden layer; an empty tuple gives a network without hidden layer.
    activation : str or sequence of str, default="relu"
        Activation of the hidden units, one for all layers or one per layer: "identity",
        "logistic", "tanh", "relu", "leaky_relu", "softplus", "elu", "swish", "erf", "gaussian",
        "piecewise_linear", "tanh_like", "threshold".
    solver : str, default="adam"
        How the loss is minimised: "adam", "sgd", "rmsprop", "adagrad", "averaged_momentum",
        "lbfgs", "rprop" or "quickprop"; the last three use all data in each step.
    alpha : float, default=0.0001
        Strength of the penalty, which is divided by the number of samples in a batch.
    batch_size : int, "auto" or None, default="auto"
        Samples in a batch; "auto" takes up to 200, None all of them.
    learning_rate : {"constant", "invscaling", "adaptive"} or callable, default="constant"
        Constant; ``learning_rate_init / n ** power_t`` after n samples; for "sgd" divided by 5
        when two epochs in a row bring nothing; or a function of the number of the epoch.
    learning_rate_init : float, default=0.001
        First step size.
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default=200
        Largest number of passes over the data.
    shuffle : bool, default=True
        Whether each epoch has an order of its own.
    random_state : int, RandomState, Generator or None, default=None
        Seeds weights, orders, held-out samples, masks and noise.
    tol : float or None, default=1e-4
        Smallest change of the watched value that counts. With None all `max_iter` epochs run.
    warm_start : bool, default=False
        Whether `fit` goes on from the network found before; new classes get a new last layer.
    momentum : float, default=0.9
        Share of the last step that "sgd" keeps.
    nesterovs_momentum : bool, default=True
        Whether "sgd" takes the gradient where the momentum leads.
    early_stopping : bool, default=False
        Whether to hold data out, stop when the score on them stays behind its best, and return
        the weights of the best epoch.
    validation_fraction : float, default=0.1
        Share of the data held out by `early_stopping`.
    beta_1 : float, default=0.9
        Memory of the average of gradients of "adam".
    beta_2 : float, default=0.999
        Memory of the average of their squares of "adam".
    epsilon : float, default=1e-8
        Against division by zero in "adam".
    n_iter_no_change : int, default=10
        Epochs in a row without improvement that end the training.
    loss : {"log_loss", "squared_error", "sign_squared"}, default="log_loss"
        Cross-entropy; half the squared error of logistic outputs; the squared error of outputs
        between -1 and 1 where those of the right sign count with a weight that rises from 0 in
        the first epoch to 1 in the last.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the loss; "balanced" gives all classes the same total.
    init : {"glorot", "fan_in", "lecun", "he", "uniform", "orthogonal"}, default="glorot"
        How first weights are drawn, see `initialize`.
    penalty : {"l2", "lp", "elimination", "mixture"}, default="l2"
        What `alpha` multiplies, see `weight_penalty`: weight decay, the sum of
        :math:`|w|^p / p`, weight elimination, or soft weight sharing. Biases are free.
    p : float, default=1.0
        Exponent of "lp".
    n_components : int, default=4
        Values that "mixture" draws the weights to, one of them zero.
    decay : {"gradient", "shrink", "outside-momentum"}, default="gradient"
        Where the penalty acts: in the gradient, so that momentum and adaptive rates treat it
        alike; or weights shrink apart from the step, by 1 - rate `alpha` or by 1 - `alpha`.
    max_norm : float or None, default=None
        Largest squared length of weight vectors; longer ones are cut after each step.
    norm_of : {"unit", "network"}, default="unit"
        Whether `max_norm` bounds the weights into each unit, or all weights together.
    keep_probability : float, default=1.0
        Probability to keep a hidden unit in a step (dropout); 0.5 is usual.
    keep_input : float, default=1.0
        Probability to keep an input in a step; 0.8 is usual with dropout.
    drop : {"units", "weights"}, default="units"
        Whether units or single weights (DropConnect) are dropped.
    jitter : float, default=0.0
        Standard deviation of noise added to all parameters after each step.
    frozen_layers : sequence of int, default=()
        Layers that keep their weights, from 0; -1 is the output layer.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coefs_ : list of ndarray of shape (n_in, n_out)
        Weights of each layer.
    intercepts_ : list of ndarray of shape (n_out,)
        Biases of each layer.
    activations_ : tuple of str
        Activation of each layer.
    network_ : Network
        These together, as the functions of the family take it.
    history_ : dict of str to list of float
        The mean loss of each epoch under ``"loss"``; ``"val_score"`` and ``"val_loss"`` with
        `early_stopping`.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by
    back-propagating errors", Nature 323, 533-536, 1986.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from shallows.network import MLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MLPClassifier(20, solver="lbfgs", random_state=0).fit(scale(X), y)
    >>> model.score(scale(X), y) > 0.9
    True
    """

    def __init__(
        self,
        hidden_layer_sizes: int | tuple | list | np.ndarray = (100,),
        activation: str | tuple | list = "relu",
        *,
        solver: Solver = "adam",
        alpha: NonNegativeFloat = 0.0001,
        batch_size: BatchSize = "auto",
        learning_rate: LearningRate = "constant",
        learning_rate_init: PositiveFloat = 0.001,
        power_t: NonNegativeFloat = 0.5,
        max_iter: PositiveInt = 200,
        shuffle: bool = True,
        random_state: RandomState = None,
        tol: NonNegativeFloat | None = 1e-4,
        warm_start: bool = False,
        momentum: Momentum = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: Fraction = 0.1,
        beta_1: Momentum = 0.9,
        beta_2: Momentum = 0.999,
        epsilon: PositiveFloat = 1e-8,
        n_iter_no_change: PositiveInt = 10,
        loss: Literal["log_loss", "squared_error", "sign_squared"] = "log_loss",
        class_weight: dict | Literal["balanced"] | None = None,
        init: Init = "glorot",
        penalty: Penalty = "l2",
        p: Annotated[float, Range(1)] = 1.0,
        n_components: PositiveInt = 4,
        decay: Decay = "gradient",
        max_norm: PositiveFloat | None = None,
        norm_of: Norm = "unit",
        keep_probability: KeepProbability = 1.0,
        keep_input: KeepProbability = 1.0,
        drop: Drop = "units",
        jitter: NonNegativeFloat = 0.0,
        frozen_layers: tuple | list = (),
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.loss = loss
        self.class_weight = class_weight
        self.init = init
        self.penalty = penalty
        self.p = p
        self.n_components = n_components
        self.decay = decay
        self.max_norm = max_norm
        self.norm_of = norm_of
        self.keep_probability = keep_probability
        self.keep_input = keep_input
        self.drop = drop
        self.jitter = jitter
        self.frozen_layers = frozen_layers

    def fit(self, X, y, sample_weight=None):
        """Train the network.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or zeros and ones for several labels at once.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss.

        Returns
        -------
        self : MLPClassifier
            The fitted estimator.
        """
        check_params(self)
        data = self._check(X, y, sample_weight)
        fit_network(self, data, self._encode, self._output(), self._accuracy, self._decode)
        return self

    @available_if(learns_in_steps)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Visit the given samples once, in batches.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or zeros and ones for several labels at once.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever come; needed in the first call only.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss.

        Returns
        -------
        self : MLPClassifier
            The estimator after these samples.
        """
        check_params(self)
        if self.class_weight == "balanced":
            raise ValueError(
                "MLPClassifier: partial_fit can't balance classes it has not seen; give "
                "class_weight as a dict."
            )
        data = self._check(X, y, sample_weight, classes, reset=not hasattr(self, "classes_"))
        partial_fit_network(self, data, self._encode, self._output())
        return self

    def predict(self, X):
        """Return the most probable class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_labels)
            Class labels.
        """
        probability = self.predict_proba(X)
        if self._multilabel:
            return (probability > 0.5).astype(int)
        return self.classes_[probability.argmax(axis=1)]

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probability : ndarray of shape (n_samples, n_classes)
            Outputs of the network, scaled to sum 1 where they don't; for several labels the
            probability of each.
        """
        return self._probabilities(check_new(self, X, sparse=True))

    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probability : ndarray of shape (n_samples, n_classes)
            Logarithms.
        """
        probability = self.predict_proba(X)
        return np.log(np.maximum(probability, np.finfo(probability.dtype).tiny))

    def _check(self, X, y, sample_weight, classes=None, reset=True):
        self._loss = self.loss
        shape = y.shape if issparse(y) else np.asarray(y).shape
        if len(shape) == 2 and shape[1] > 1 and type_of_target(y) == MULTILABEL:
            X, y = validate_data(
                self,
                X,
                y,
                dtype=FLOATS,
                order="C",
                accept_sparse="csr",
                multi_output=True,
                reset=reset,
            )
            y = y.toarray() if issparse(y) else y
            self._multilabel, self.classes_ = True, np.arange(y.shape[1])
            return X, y, check_weights(sample_weight, len(y))
        before = getattr(self, "classes_", None)
        X, y, weights = check_labelled(
            self, X, y, sample_weight, sparse=True, classes=classes, reset=reset
        )
        self._multilabel = False
        self._new_classes = not np.array_equal(before, self.classes_)
        return X, y, weights * self._class_weights(y, weights)[y]

    def _class_weights(self, y, weights):
        if self.class_weight is None:
            return np.ones(len(self.classes_))
        if self.class_weight == "balanced":
            mass = np.bincount(y, weights, minlength=len(self.classes_))
            return mass.sum() / (len(self.classes_) * np.maximum(mass, 1e-300))
        unknown = set(self.class_weight) - set(self.classes_.tolist())
        if unknown:
            raise ValueError(
                f"MLPClassifier: class_weight names {sorted(map(str, unknown))}, which are not "
                f"among the classes {self.classes_.tolist()}."
            )
        return np.array([self.class_weight.get(label, 1.0) for label in self.classes_.tolist()])

    def _output(self):
        binary = self._multilabel or len(self.classes_) == 2
        return "logistic" if self.loss == "log_loss" and binary else OUTPUTS[self.loss]

    def _encode(self, y):
        """Return targets: one column for two classes, else one per class or label."""
        target = y
        if not self._multilabel:
            target = np.eye(len(self.classes_))[y]
            target = target[:, 1:] if target.shape[1] == 2 else target
        return 2 * target - 1 if self.loss == "sign_squared" else target

    def _decode(self, y):
        return y if self._multilabel else self.classes_[y]

    def _probabilities(self, X):
        output = predict_outputs(self.network_, X)
        if self.out_activation_ == "tanh":
            output = (output + 1) / 2
        if self._multilabel or self.out_activation_ == "softmax":
            return output
        if output.shape[1] == 1:
            return np.hstack([1 - output, output])
        total = output.sum(axis=1, keepdims=True)
        return output / np.maximum(total, np.finfo(output.dtype).tiny)

    def _accuracy(self, X, y, weights):
        probability = self._probabilities(X)
        if self._multilabel:
            right = ((probability > 0.5) == y).all(axis=1)
        else:
            right = probability.argmax(axis=1) == y
        return float(np.average(right, weights=weights))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags
