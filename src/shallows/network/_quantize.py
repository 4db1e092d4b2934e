"""Quantisation of trained weights to a few values."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows.network._network import Array, Network, as_network, output_net_inputs
from shallows.network._output_loss import sample_losses


class Quantized(NamedTuple):
    """A network whose weights have few values.

    Parameters
    ----------
    network : Network
        The network with rounded weights; biases are as before.
    levels : ndarray
        The values, in rising order.
    loss_before, loss_after : float or None
        Mean loss on the given data.

    Examples
    --------
    >>> from shallows.network import Quantized
    >>> Quantized(None, [-1.0, 0.0, 1.0], 0.1, 0.2).levels
    [-1.0, 0.0, 1.0]
    """

    network: Network
    levels: Array
    loss_before: float | None
    loss_after: float | None


def quantize_weights(
    net: Any,
    n_levels: PositiveInt = 3,
    *,
    kind: Literal["nearest", "symmetric"] = "nearest",
    X: Any = None,
    y: Any = None,
) -> Quantized:
    """Round the weights of a network to a few common values.

    "nearest" lets the values move to where the squared change is least (k-means of the weights,
    started at their quantiles); "symmetric" takes evenly spaced ones around zero, such as -s, 0,
    s for three, with the best spacing.

    Parameters
    ----------
    net : Network or fitted estimator
        The trained network; it is not changed.
    n_levels : int, default=3
        Number of values.
    kind : {"nearest", "symmetric"}, default="nearest"
        Which values.
    X, y : array-like, default=None
        Samples and targets of the outputs on which to compare the loss.

    Returns
    -------
    quantized : Quantized
        Network, values, and losses where data are given.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, quantize_weights
    >>> net = Network([np.array([[1.1, 0.9], [0.1, -1.0]])], [np.zeros(2)], ("identity",))
    >>> quantize_weights(net, 3).levels.round(3)
    array([-1. ,  0.1,  1. ])
    """
    check_arguments(quantize_weights, locals())
    net = as_network(net)
    flat = np.concatenate([W.ravel() for W in net.weights]).astype(np.float64)
    levels = _even(flat, n_levels) if kind == "symmetric" else _nearest(flat, n_levels)
    rounded = net._replace(weights=[_round(W, levels) for W in net.weights])
    before = after = None
    if X is not None:
        before, after = (_mean_loss(part, X, y) for part in (net, rounded))
    return Quantized(rounded, levels, before, after)


def _round(weights: Array, levels: Array) -> Array:
    borders = (levels[1:] + levels[:-1]) / 2
    return levels[np.searchsorted(borders, weights)].astype(weights.dtype)


def _nearest(flat: Array, n_levels: int) -> Array:
    """Lloyd's rule on sorted numbers, from quantiles; sums of runs come from running sums."""
    ordered = np.sort(flat)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    levels = np.unique(np.quantile(ordered, (np.arange(n_levels) + 0.5) / n_levels))
    for _ in range(1000):
        cuts = np.searchsorted(ordered, (levels[1:] + levels[:-1]) / 2)
        ends = np.concatenate([[0], cuts, [len(ordered)]])
        counts = np.diff(ends)
        moved = np.diff(sums[ends])[counts > 0] / counts[counts > 0]
        if np.array_equal(moved, levels):
            break
        levels = moved
    return levels


def _even(flat: Array, n_levels: int) -> Array:
    steps = np.arange(n_levels) - (n_levels - 1) / 2
    widest = 2 * np.abs(flat).max() / max(n_levels - 1, 1)

    def change(spacing: float) -> float:
        return float(((flat - _round(flat, spacing * steps)) ** 2).sum())

    grid = np.linspace(0.02, 1.2, 120) * (widest or 1.0)
    return min(grid, key=change) * steps


def _mean_loss(net: Network, X: Any, y: Any) -> float:
    net_input = output_net_inputs(net, np.asarray(X, dtype=net.weights[0].dtype))
    target = np.asarray(y, dtype=net_input.dtype).reshape(net_input.shape)
    return float(sample_losses(net, net_input, target).mean(dtype=np.float64))
