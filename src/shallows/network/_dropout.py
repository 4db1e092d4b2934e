"""Dropout of units, DropConnect of weights, and the spread of outputs they cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.contract.params import PositiveInt, Range, check_arguments
from shallows._core.contract.rng import RandomState, as_generator
from shallows.network._backprop import Workspace, propagate
from shallows.network._checked import Checked
from shallows.network._network import Array, Network, activate, as_network, forward

KeepProbability = Annotated[float, Range(0, 1, open="low")]


Drop = Literal["units", "weights"]


@dataclass(frozen=True)
class Dropout(Checked):
    """What is left out at random in each step of training, for `dropout` of a network.

    Parameters
    ----------
    keep_probability : float, default=0.5
        Probability to keep a hidden unit, or a weight between hidden units.
    keep_input : float, default=1.0
        Probability to keep an input, or a weight of an input; 0.8 is usual.
    drop : {"units", "weights"}, default="units"
        Whether units or single weights (DropConnect) are dropped.

    References
    ----------
    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting",
    Journal of Machine Learning Research 15, 1929-1958, 2014.

    Examples
    --------
    >>> from shallows.network import Dropout, MLPClassifier
    >>> MLPClassifier(50, dropout=Dropout(0.5, keep_input=0.8)).dropout.drop
    'units'
    """

    keep_probability: KeepProbability = 0.5
    keep_input: KeepProbability = 1.0
    drop: Drop = "units"


class Masks:
    """Random masks for a batch; what is kept is divided by the probability to keep it.

    So the mean over masks of what a layer receives is what it receives without them, and a
    prediction uses the network as it is. A sample that loses a whole layer sees the biases
    above it.

    Parameters
    ----------
    rule : Dropout
        What is dropped, and how often.
    """

    def __init__(self, rule: Dropout):
        self.rule = rule
        self.units: list[Any] = []
        self.weights: list[Any] = []

    def draw(self, net: Network, n_rows: int, rng: np.random.Generator) -> Masks:
        """Draw new masks for a batch."""
        n_layers = len(net.weights)
        self.units, self.weights = [None] * n_layers, [None] * n_layers
        for layer, weights in enumerate(net.weights):
            keep = self.rule.keep_input if layer == 0 else self.rule.keep_probability
            if keep >= 1:
                continue
            if self.rule.drop == "weights":
                self.weights[layer] = _mask(weights.shape, keep, weights.dtype, rng)
            else:
                self.units[layer] = _mask((n_rows, len(weights)), keep, weights.dtype, rng)
        return self

    def drop_units(self, layer: int, signal: Any) -> Any:
        """Return what a layer receives of the signal."""
        mask = self.units[layer]
        if mask is None:
            return signal
        return signal.multiply(mask).tocsr() if issparse(signal) else signal * mask

    def drop_weights(self, layer: int, weights: Array) -> Array:
        """Return the weights that stay."""
        mask = self.weights[layer]
        return weights if mask is None else weights * mask


class OutputSample(NamedTuple):
    """Mean and spread of the outputs of a network over random masks.

    Parameters
    ----------
    mean, std : ndarray of shape (n_samples, n_outputs)
        Mean and standard deviation over the draws.

    Examples
    --------
    >>> from shallows.network import OutputSample
    >>> OutputSample(1.0, 0.1).std
    0.1
    """

    mean: Array
    std: Array


def monte_carlo_dropout(
    net: Any,
    X: Any,
    *,
    keep_probability: KeepProbability = 0.5,
    keep_input: KeepProbability = 1.0,
    drop: Drop = "units",
    n_draws: PositiveInt = 100,
    random_state: RandomState = None,
) -> OutputSample:
    """Return mean and spread of the outputs when units or weights are dropped at random.

    The spread tells how unsure a network that was trained with dropout is.

    Parameters
    ----------
    net : Network or fitted estimator
        The network.
    X : array-like of shape (n_samples, n_features)
        Inputs.
    keep_probability : float, default=0.5
        Probability to keep a hidden unit, or a weight between hidden units.
    keep_input : float, default=1.0
        Probability to keep an input, or a weight of an input.
    drop : {"units", "weights"}, default="units"
        What is dropped.
    n_draws : int, default=100
        Number of masks.
    random_state : int, RandomState, Generator or None, default=None
        Source of the masks.

    Returns
    -------
    sample : OutputSample
        Mean and standard deviation over the masks.

    References
    ----------
    Y. Gal and Z. Ghahramani, "Dropout as a Bayesian approximation", ICML, 1050-1059, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, monte_carlo_dropout
    >>> net = Network([np.ones((1, 2)), np.ones((2, 1))], [np.zeros(2), np.zeros(1)],
    ...               ("relu", "identity"))
    >>> found = monte_carlo_dropout(net, [[1.0]], n_draws=2000, random_state=0)
    >>> bool(abs(found.mean[0, 0] - 2) < 0.15), bool(abs(found.std[0, 0] - 2**0.5) < 0.1)
    (True, True)
    """
    check_arguments(monte_carlo_dropout, locals())
    net = as_network(net)
    X = X if issparse(X) else np.ascontiguousarray(X, dtype=net.weights[0].dtype)
    rng, masks = as_generator(random_state), Masks(Dropout(keep_probability, keep_input, drop))
    work = Workspace(net, X.shape[0])
    plain = forward(net, X).astype(np.float64)  # so that squares of differences lose no digits
    total, square = np.zeros_like(plain), np.zeros_like(plain)
    for _ in range(n_draws):
        net_input = propagate(net, X, work, masks.draw(net, X.shape[0], rng))
        gap = activate(net.activations[-1], net_input) - plain
        total += gap
        square += gap * gap
    mean = total / n_draws
    return OutputSample(plain + mean, np.sqrt(np.maximum(square / n_draws - mean**2, 0)))


def _mask(shape: tuple[int, ...], keep: float, dtype: Any, rng: np.random.Generator) -> Array:
    kept = rng.random(shape, dtype=np.float32) < keep
    return kept.astype(dtype) * dtype.type(1 / keep)
