"""Networks of layers: perceptrons with hidden units and their relatives, trained by descent."""

from shallows.network._adversarial import adversarial_example
from shallows.network._autoencoder import Autoencoder
from shallows.network._backprop import Gradient, backpropagate
from shallows.network._cascade import candidate_scores
from shallows.network._cascade_classifier import CascadeCorrelationClassifier
from shallows.network._cascade_regressor import CascadeCorrelationRegressor
from shallows.network._constructive import (
    PiecewiseConstantApproximator,
    interval_selector,
    roi_network,
)
from shallows.network._convnet import ConvNet, LeNet
from shallows.network._convolution import Conv, Pool, convolve, pool
from shallows.network._diagnosis import Complexity, ComplexityMonitor, complexity, gradient_norms
from shallows.network._dropout import Dropout, OutputSample, monte_carlo_dropout
from shallows.network._elm_classifier import ELMClassifier
from shallows.network._elm_regressor import ELMRegressor
from shallows.network._initialize import count_parameters, initialize
from shallows.network._max_norm import MaxNorm
from shallows.network._mlp_classifier import MLPClassifier
from shallows.network._mlp_regressor import MLPRegressor
from shallows.network._network import Network, forward, layer_outputs
from shallows.network._output_errors import (
    cross_entropy,
    kullback_leibler,
    minkowski_error,
    quadratic_error,
    sign_quadratic_error,
)
from shallows.network._output_loss import Huber, Minkowski
from shallows.network._penalties import (
    LpPenalty,
    Mixture,
    SoftWeightSharing,
    mixture_penalty,
    weight_penalty,
)
from shallows.network._prune import Pruned, prune, saliencies
from shallows.network._quantize import Quantized, quantize_weights
from shallows.network._rbf_classifier import RBFClassifier
from shallows.network._rbf_regressor import RBFRegressor
from shallows.network._restarts import Restarts
from shallows.network._soft_committee import SoftCommitteeMachine
from shallows.network._steps import SGD, Adam

__all__ = [
    "SGD",
    "Adam",
    "Autoencoder",
    "CascadeCorrelationClassifier",
    "CascadeCorrelationRegressor",
    "Complexity",
    "ComplexityMonitor",
    "Conv",
    "ConvNet",
    "Dropout",
    "ELMClassifier",
    "ELMRegressor",
    "Gradient",
    "Huber",
    "LeNet",
    "LpPenalty",
    "MLPClassifier",
    "MLPRegressor",
    "MaxNorm",
    "Minkowski",
    "Mixture",
    "Network",
    "OutputSample",
    "PiecewiseConstantApproximator",
    "Pool",
    "Pruned",
    "Quantized",
    "RBFClassifier",
    "RBFRegressor",
    "Restarts",
    "SoftCommitteeMachine",
    "SoftWeightSharing",
    "adversarial_example",
    "backpropagate",
    "candidate_scores",
    "complexity",
    "convolve",
    "count_parameters",
    "cross_entropy",
    "forward",
    "gradient_norms",
    "initialize",
    "interval_selector",
    "kullback_leibler",
    "layer_outputs",
    "minkowski_error",
    "mixture_penalty",
    "monte_carlo_dropout",
    "pool",
    "prune",
    "quadratic_error",
    "quantize_weights",
    "roi_network",
    "saliencies",
    "sign_quadratic_error",
    "weight_penalty",
]
