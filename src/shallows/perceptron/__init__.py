"""Perceptrons: threshold units that learn from single examples."""

from shallows.perceptron._adaline import Adaline
from shallows.perceptron._adatron import AdaTron
from shallows.perceptron._association import AssociationPerceptron
from shallows.perceptron._bayes_point import BayesPoint
from shallows.perceptron._boolean_networks import (
    BooleanNetwork,
    ThresholdUnit,
    boolean_network,
    conjunction_unit,
    gate,
)
from shallows.perceptron._committee import CommitteeMachine
from shallows.perceptron._cone import VersionSpaceSample
from shallows.perceptron._duality_gap import DualityGap, duality_gap, kuhn_tucker_residuals
from shallows.perceptron._hebbian import HebbianPerceptron
from shallows.perceptron._minover import MinOver
from shallows.perceptron._parity import ParityMachine
from shallows.perceptron._perceptron import Perceptron
from shallows.perceptron._pocket import Pocket
from shallows.perceptron._power_cost import PowerCostPerceptron, power_cost
from shallows.perceptron._separability import (
    Separability,
    gordan_certificate,
    separability,
    strict_separation,
)
from shallows.perceptron._storage import (
    LinearThreshold,
    augment,
    fold_classes,
    local_potentials,
    recode_labels,
    solves_storage,
    split_bias,
    stability,
)
from shallows.perceptron._threshold_machine import machine_output
from shallows.perceptron._tiling import TilingParityMachine, grandmother_unit
from shallows.perceptron._version_space import VersionSpace, sample_version_space

__all__ = [
    "AdaTron",
    "Adaline",
    "AssociationPerceptron",
    "BayesPoint",
    "BooleanNetwork",
    "CommitteeMachine",
    "DualityGap",
    "HebbianPerceptron",
    "LinearThreshold",
    "MinOver",
    "ParityMachine",
    "Perceptron",
    "Pocket",
    "PowerCostPerceptron",
    "Separability",
    "ThresholdUnit",
    "TilingParityMachine",
    "VersionSpace",
    "VersionSpaceSample",
    "augment",
    "boolean_network",
    "conjunction_unit",
    "duality_gap",
    "fold_classes",
    "gate",
    "gordan_certificate",
    "grandmother_unit",
    "kuhn_tucker_residuals",
    "local_potentials",
    "machine_output",
    "power_cost",
    "recode_labels",
    "sample_version_space",
    "separability",
    "solves_storage",
    "split_bias",
    "stability",
    "strict_separation",
]
