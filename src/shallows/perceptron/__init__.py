"""Perceptrons: threshold units that learn from single examples."""

from shallows.perceptron._adatron import AdaTron
from shallows.perceptron._association import AssociationPerceptron
from shallows.perceptron._bayes_point import BayesPoint
from shallows.perceptron._boolean import (
    BooleanNetwork,
    ThresholdUnit,
    boolean_network,
    conjunction_unit,
    gate,
)
from shallows.perceptron._committee import CommitteeMachine
from shallows.perceptron._machine import machine_output
from shallows.perceptron._parity import ParityMachine
from shallows.perceptron._perceptron import Perceptron
from shallows.perceptron._tiling import (
    TilingParityMachine,
    grandmother_unit,
)
from shallows.perceptron._version_space import (
    VersionSpace,
    VersionSpaceSample,
    sample_version_space,
)

__all__ = [
    "AdaTron",
    "AssociationPerceptron",
    "BayesPoint",
    "BooleanNetwork",
    "CommitteeMachine",
    "ParityMachine",
    "Perceptron",
    "ThresholdUnit",
    "TilingParityMachine",
    "VersionSpace",
    "VersionSpaceSample",
    "boolean_network",
    "conjunction_unit",
    "gate",
    "grandmother_unit",
    "machine_output",
    "sample_version_space",
]
