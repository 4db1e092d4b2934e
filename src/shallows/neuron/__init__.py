"""Model neurons: spiking membranes, firing rates, activations and Hebb's rule."""

from shallows.descent._activations import softmax
from shallows.descent._rectifiers import elu, identity, leaky_relu, relu, softplus, swish
from shallows.descent._sigmoids import (
    erf,
    logistic,
    piecewise_linear,
    tanh,
    tanh_like,
    threshold,
)
from shallows.neuron import hodgkin_huxley, integrate_and_fire
from shallows.neuron._hebb_update import hebb_update
from shallows.neuron._mean_firing_rate import mean_firing_rate
from shallows.neuron._rate_neuron import rate_neuron
from shallows.neuron._rbf_unit import rbf_unit
from shallows.neuron._stochastic_neuron import stochastic_neuron

__all__ = [
    "elu",
    "erf",
    "hebb_update",
    "hodgkin_huxley",
    "identity",
    "integrate_and_fire",
    "leaky_relu",
    "logistic",
    "mean_firing_rate",
    "piecewise_linear",
    "rate_neuron",
    "rbf_unit",
    "relu",
    "softmax",
    "softplus",
    "stochastic_neuron",
    "swish",
    "tanh",
    "tanh_like",
    "threshold",
]
