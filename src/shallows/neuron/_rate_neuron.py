"""Rate neurons: described by their firing rate only."""

from __future__ import annotations

import numpy as np

from shallows.descent._activations import ACTIVATIONS


def rate_neuron(states, weights, activation="logistic", **options) -> np.ndarray:
    r"""Return the rates :math:`S_i = h(\sum_j w_{ij} S_j)` for given input rates.

    A positive weight excites, a negative one inhibits.

    Parameters
    ----------
    states : array-like of shape (..., n_inputs)
        Rates :math:`S_j` of the input neurons.
    weights : array-like of shape (n_inputs,) or (n_neurons, n_inputs)
        Weights of one neuron, or of several.
    activation : str or callable, default="logistic"
        The function :math:`h`, or its name: identity, logistic, tanh, erf, threshold,
        piecewise_linear, tanh_like, relu, leaky_relu, softplus, elu or swish.
    **options : float
        Parameters of the activation, such as `gain` and `threshold`.

    Returns
    -------
    rates : ndarray of shape (...) or (..., n_neurons)
        Rates of the neurons.

    Examples
    --------
    >>> from shallows.neuron import rate_neuron
    >>> rate_neuron([0.5, 1.0], [[2.0, -1.0], [4.0, 1.0]], gain=2.0).round(3)
    array([0.5  , 0.998])
    """
    if not callable(activation):
        if activation not in ACTIVATIONS:
            raise ValueError(
                f"rate_neuron: activation must be callable or one of {', '.join(ACTIVATIONS)}, "
                f"got {activation!r}."
            )
        activation = ACTIVATIONS[activation].value
    states, weights = np.asarray(states, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    return activation(states @ weights.T, **options)
