"""Layered network as classifier."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import log_expit, log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from shallows._core.contract.params import (
    FiniteFloat,
    Fraction,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Probability,
    Verbose,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows.network._dropout import Dropout
from shallows.network._initialize import Init
from shallows.network._layered import LayeredNetwork, learns_in_steps
from shallows.network._max_norm import MaxNorm
from shallows.network._output_targets import (
    accuracy,
    check_labels,
    class_columns,
    class_weights,
    winners,
)
from shallows.network._penalties import Penalty
from shallows.network._settings import BatchSize, LearningRate
from shallows.network._steps import Share, Solver

OUTPUTS = {"log_loss": "softmax", "squared_error": "logistic", "sign_squared": "tanh"}


class MLPClassifier(ClassifierMixin, LayeredNetwork, BaseEstimator):
    r"""Classifier by a network of layers, trained by backpropagation.

    Units of a layer form weighted sums of the outputs of the layer below and bend them,
    :math:`Z_m = g(Z_{m-1} W_m + b_m)`. The outputs are probabilities of the classes, and
    training descends the mean cross-entropy, or another loss. With several columns of zeros
    and ones as y, each column is a label of its own.

    Features should have comparable scales: use a scaler first.

    Parameters
    ----------
    hidden_layer_sizes : int or array-like of int, default=(100,)
        Units of each hidden layer; an empty tuple gives a network without hidden layer.
    activation : str or sequence of str, default="relu"
        Activation of the hidden units, one for all layers or one per layer: "identity",
        "logistic", "tanh", "relu", "leaky_relu", "softplus", "elu", "swish", "erf", "gaussian",
        "piecewise_linear", "tanh_like", "threshold".
    solver : str, SGD or Adam, default="adam"
        How the loss is minimised: "adam", "sgd", "rmsprop", "adagrad", "averaged_momentum",
        "lbfgs", "rprop" or "quickprop"; the last three use all data in each step. `SGD` and
        `Adam` carry settings, such as ``SGD(momentum=0.5)``.
    alpha : float, default=0.0001
        Strength of the penalty, which is divided by the number of samples in a batch.
    batch_size : int, "auto" or None, default="auto"
        Samples in a batch; "auto" takes up to 200, None all of them.
    learning_rate : {"constant", "invscaling", "adaptive"} or callable, default="constant"
        Constant; divided by a power of the number of samples seen, see `power_t`; for "sgd" divided
        by 5 when two epochs in a row bring nothing; or a function of the number of the epoch.
    learning_rate_init : float, default=0.001
        First step size.
    power_t : float, default=0.5
        Exponent of "invscaling".
    max_iter : int, default=200
        Largest number of passes over the data.
    shuffle : bool, default=True
        Whether the samples of each epoch come in a new random order.
    random_state : int, RandomState, Generator or None, default=None
        Seeds weights, orders, held-out samples, masks and noise.
    tol : float or None, default=1e-4
        Smallest change of the watched value that counts. With None all `max_iter` epochs run.
    verbose : int or bool, default=False
        Whether to report the loss of each epoch.
    warm_start : bool, default=False
        Whether `fit` goes on from the network found before; new classes get a new
        last layer.
    momentum : float, default=0.9
        Share of the last step in each step of "sgd".
    nesterovs_momentum : bool, default=True
        Whether the momentum of "sgd" is Nesterov's.
    early_stopping : bool, default=False
        Whether to hold data out, stop when the score on them stays behind its best, and return
        the weights of the best epoch.
    validation_fraction : float, default=0.1
        Share of the data held out by `early_stopping`.
    beta_1 : float, default=0.9
        Decay of the mean of gradients of "adam".
    beta_2 : float, default=0.999
        Decay of the mean of squared gradients of "adam".
    epsilon : float, default=1e-8
        Added to the root of squared gradients of "adam".
    n_iter_no_change : int, default=10
        Epochs in a row without improvement that end the training.
    max_fun : int, default=15000
        Largest number of evaluations of the loss by "lbfgs".
    penalty : str, LpPenalty or SoftWeightSharing, default="l2"
        What `alpha` multiplies, see `weight_penalty`: weight decay "l2", "elimination", "lp" or
        soft weight sharing "mixture"; biases are free. With "shrink" or "outside-momentum"
        weights decay apart from the step, by the factor 1 - rate `alpha` or 1 - `alpha`, where
        "l2" is part of the gradient, and of momentum and adaptive rates.
    max_norm : float, MaxNorm or None, default=None
        Largest squared length of the weights into a unit; longer ones are cut after each step.
        ``MaxNorm(c, of="network")`` bounds all weights together.
    dropout : Dropout or None, default=None
        What is left out at random in each step: ``Dropout(0.5)`` keeps half of the hidden units.
    loss : {"log_loss", "squared_error", "sign_squared"}, default="log_loss"
        Cross-entropy; half the squared error of logistic outputs; the squared error of outputs
        between -1 and 1 where those of the right sign count with a weight that rises from 0 in
        the first epoch to 1 in the last.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes in the loss; "balanced" gives all classes the same total.
    init : {"glorot", "fan_in", "lecun", "he", "uniform", "orthogonal"}, default="glorot"
        How first weights are drawn, see `initialize`.
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
    loss_curve_, validation_scores_ : list of float
        Loss and, with `early_stopping`, validation score of each epoch.
    loss_, best_loss_, best_validation_score_ : float
        Last and least loss; best validation score.
    n_iter_ : int
        Epochs run.
    t_ : int
        Samples seen, counted in every epoch; 0 for "lbfgs".
    n_layers_, n_outputs_ : int
        Number of layers, inputs and outputs included, and of outputs.
    out_activation_ : str
        Activation of the outputs.
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
        power_t: FiniteFloat = 0.5,
        max_iter: PositiveInt = 200,
        shuffle: bool = True,
        random_state: RandomState = None,
        tol: NonNegativeFloat | None = 1e-4,
        verbose: Verbose = False,
        warm_start: bool = False,
        momentum: Probability = 0.9,
        nesterovs_momentum: bool = True,
        early_stopping: bool = False,
        validation_fraction: Fraction = 0.1,
        beta_1: Share = 0.9,
        beta_2: Share = 0.999,
        epsilon: PositiveFloat = 1e-8,
        n_iter_no_change: PositiveInt = 10,
        max_fun: PositiveInt = 15000,
        penalty: Penalty = "l2",
        max_norm: PositiveFloat | MaxNorm | None = None,
        dropout: Dropout | None = None,
        loss: Literal["log_loss", "squared_error", "sign_squared"] = "log_loss",
        class_weight: dict | Literal["balanced"] | None = None,
        init: Init = "glorot",
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
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.penalty = penalty
        self.max_norm = max_norm
        self.dropout = dropout
        self.loss = loss
        self.class_weight = class_weight
        self.init = init
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
        self._fit(*self._check(X, y, sample_weight))
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
        first = not hasattr(self, "classes_")
        self._partial_fit(*self._check(X, y, sample_weight, classes, reset=first))
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
        return self._as_given(self._answers(self._net_inputs(X)))

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
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probability : ndarray of shape (n_samples, n_classes)
            Logarithms, finite also where a probability rounds to zero.
        """
        net_input = self._net_inputs(X)
        if self.out_activation_ == "softmax":
            return log_softmax(net_input, axis=1)
        if self.out_activation_ == "tanh":  # (1 + tanh a) / 2 is the logistic function of 2 a
            net_input *= 2
        if self._multilabel:
            return log_expit(net_input)
        if net_input.shape[1] == 1:
            return log_expit(np.hstack([-net_input, net_input]))
        return log_softmax(log_expit(net_input), axis=1)

    def _check(self, X, y, sample_weight, classes=None, reset=True):
        """Return X, labels as numbers (or columns of zeros and ones) and weights."""
        before = getattr(self, "classes_", None)
        several = None if reset else self._multilabel
        X, y, weights, several = check_labels(self, X, y, sample_weight, classes, several)
        self._multilabel = several
        self._new_classes = not np.array_equal(before, self.classes_)
        return X, y, weights * class_weights(self, y, weights, several)

    def _output_activation(self):
        binary = self._multilabel or len(self.classes_) == 2
        return "logistic" if self.loss == "log_loss" and binary else OUTPUTS[self.loss]

    def _targets(self, y):
        """Return targets: one column for two classes, else one per class or label."""
        target = y if self._multilabel else class_columns(y, len(self.classes_))
        return 2 * target - 1 if self.loss == "sign_squared" else target

    def _answers(self, net_input):
        return net_input > 0 if self._multilabel else winners(net_input)

    def _as_given(self, y):
        return y.astype(int) if self._multilabel else self.classes_[y]

    def _score(self, answers, y, weights):
        return accuracy(answers, y, weights)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags
