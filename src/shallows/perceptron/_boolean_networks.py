"""Boolean functions as threshold units, and as networks of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import check_value
from shallows.perceptron._finite_array import finite_array

Coding = Literal["0/1", "-1/+1"]
# Bias of a unit with weights 1/2, for inputs 0 and 1 and for inputs -1 and +1
_BIASES = {"and": (-0.8, -0.8), "or": (-0.3, 0.3)}


class ThresholdUnit(NamedTuple):
    """A unit that fires where ``weights @ x + bias > 0``.

    Parameters
    ----------
    weights : ndarray of shape (n_inputs,)
        Weights.
    bias : float
        Bias, minus the threshold.

    Examples
    --------
    >>> from shallows.perceptron import ThresholdUnit
    >>> ThresholdUnit([1, 1], -1.5).fires([[1, 0], [1, 1]])
    array([False,  True])
    """

    weights: np.ndarray
    bias: float

    def fires(self, X):
        """Tell where the unit fires.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            Inputs.

        Returns
        -------
        fires : ndarray of bool of shape (n_samples,)
            A field of exactly zero does not fire.
        """
        weights = finite_array("ThresholdUnit", "weights", self.weights, "n_inputs")
        X = finite_array("ThresholdUnit", "X", X, "n_samples", len(weights))
        return X @ weights + self.bias > 0


class BooleanNetwork(NamedTuple):
    """Two layers of threshold units for inputs 0 and 1.

    Parameters
    ----------
    hidden_weights : ndarray of shape (n_hidden, n_inputs)
        Weights of the hidden units, one conjunction each.
    hidden_biases : ndarray of shape (n_hidden,)
        Their biases.
    output : ThresholdUnit
        The output, a disjunction.

    Examples
    --------
    >>> from shallows.perceptron import boolean_network
    >>> boolean_network([0, 1, 1, 0]).hidden_weights
    array([[-1.,  1.],
           [ 1., -1.]])
    """

    hidden_weights: np.ndarray
    hidden_biases: np.ndarray
    output: ThresholdUnit

    def predict(self, X):
        """Return the value of the function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_inputs)
            Rows of 0 and 1.

        Returns
        -------
        values : ndarray of int of shape (n_samples,)
            0 or 1.
        """
        n_inputs = self.hidden_weights.shape[1]
        X = finite_array("BooleanNetwork", "X", X, "n_samples", n_inputs)
        hidden = X @ self.hidden_weights.T + self.hidden_biases > 0
        return self.output.fires(hidden).astype(int)


def gate(name: Literal["and", "or", "nand", "nor"], coding: Coding = "0/1") -> ThresholdUnit:
    """Return a threshold unit of two inputs that computes a Boolean gate.

    Parameters
    ----------
    name : {"and", "or", "nand", "nor"}
        The gate. XOR is not linearly separable; `boolean_network` builds it from two layers.
    coding : {"0/1", "-1/+1"}, default="0/1"
        Values of false and true.

    Returns
    -------
    unit : ThresholdUnit
        It fires where the gate is true.

    Examples
    --------
    >>> from shallows.perceptron import gate
    >>> gate("or", "-1/+1").fires([[-1, -1], [-1, 1], [1, -1], [1, 1]])
    array([False,  True,  True,  True])
    """
    if name in ("xor", "xnor"):
        raise ValueError(
            f"gate: {name} is not linearly separable, so no single unit computes it. Use "
            "boolean_network."
        )
    check_value("gate", "name", Literal["and", "or", "nand", "nor"], name)
    check_value("gate", "coding", Coding, coding)
    sign = -1.0 if name.startswith("n") else 1.0
    bias = _BIASES[name.removeprefix("n")][coding == "-1/+1"]
    return ThresholdUnit(sign * np.array([0.5, 0.5]), sign * bias)


def conjunction_unit(literals) -> ThresholdUnit:
    """Return a threshold unit for a conjunction of literals over inputs 0 and 1.

    A positive literal has weight 1, a negated one -1; the sum exceeds the number of positive
    literals less 1/2 only where all of them hold.

    Parameters
    ----------
    literals : array-like of shape (n_inputs,)
        1 for an input that must be true, -1 for one that must be false, 0 for one that is free.

    Returns
    -------
    unit : ThresholdUnit
        It fires where the conjunction holds.

    Examples
    --------
    >>> from shallows.perceptron import conjunction_unit
    >>> conjunction_unit([1, 1, 0, 1])
    ThresholdUnit(weights=array([1., 1., 0., 1.]), bias=-2.5)
    """
    weights = np.asarray(literals, dtype=float)
    if weights.ndim != 1 or not np.isin(weights, (-1, 0, 1)).all():
        raise ValueError(f"conjunction_unit: literals must be -1, 0 or 1, got {literals!r}.")
    return ThresholdUnit(weights, 0.5 - float(np.sum(weights > 0)))


def boolean_network(truth_table) -> BooleanNetwork:
    """Return a two-layer network of threshold units for any Boolean function.

    One hidden unit per row where the function is true, a conjunction of all its literals; the
    output fires where one of them does.

    Parameters
    ----------
    truth_table : array-like of shape (2**n_inputs,)
        Values 0 and 1, for the rows in the order of binary numbers, the first input the most
        significant digit.

    Returns
    -------
    network : BooleanNetwork
        The units.

    Examples
    --------
    >>> from shallows.perceptron import boolean_network
    >>> boolean_network([0, 1, 1, 0]).predict([[0, 0], [0, 1], [1, 0], [1, 1]])
    array([0, 1, 1, 0])
    """
    table = np.asarray(truth_table)
    n_inputs = max(table.size, 1).bit_length() - 1
    if table.ndim != 1 or table.size != 2**n_inputs or not np.isin(table, (0, 1)).all():
        raise ValueError(
            "boolean_network: truth_table must hold 2**n values 0 or 1, got "
            f"{table.size} values {truth_table!r}."
        )
    rows = np.flatnonzero(table)[:, None] >> np.arange(n_inputs)[::-1] & 1
    units = [conjunction_unit(2 * row - 1) for row in rows]
    weights = np.array([unit.weights for unit in units]).reshape(len(units), n_inputs)
    biases = np.array([unit.bias for unit in units])
    return BooleanNetwork(weights, biases, ThresholdUnit(np.ones(len(units)), -0.5))
