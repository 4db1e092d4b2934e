"""Curvature of the loss of a network near a minimum, after Gauss and Newton."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shallows.network._network import (
    activate,
    needs_net_input,
    sizes_of,
    slope,
)

BLOCK_VALUES = 2**22


def traced_outputs(net, X):
    """Return the outputs of all layers, inputs first, and net inputs where slopes need them."""
    outputs, net_inputs = [X], []
    for weights, bias, name in zip(net.weights, net.biases, net.activations, strict=True):
        before = outputs[-1] @ weights + bias
        net_inputs.append(before.copy() if needs_net_input(name) else None)
        outputs.append(activate(name, before))
    return outputs, net_inputs


def _deltas(net, outputs, net_inputs, delta):
    """Return the deltas of all layers, given those of the output layer."""
    deltas = [delta]
    for layer in range(len(net.weights) - 1, 0, -1):
        below = slope(net.activations[layer - 1], net_inputs[layer - 1], outputs[layer])
        deltas.insert(0, (deltas[0] @ net.weights[layer].T) * below)
    return deltas


def gauss_newton(net, X, diagonal=False):
    """Return the Hessian of the mean loss by all parameters, without the part of the errors.

    That part vanishes where the network fits; what is left is never negative. Parameters stand
    in the order of `flatten`. With `diagonal` only the diagonal is computed, in little memory.
    """
    sizes = sizes_of(net.weights)
    count = sum((n_in + 1) * n_out for n_in, n_out in pairwise(sizes))
    total = np.zeros(count if diagonal else (count, count))
    n_rows = max(1, BLOCK_VALUES // count)
    for start in range(0, len(X), n_rows):
        outputs, net_inputs = traced_outputs(net, X[start : start + n_rows])
        # Gauss-Newton matrix: the mean of J' H J, with the root of the output's curvature H sent
        # back.
        for seed in _root_of_curvature(net, outputs[-1], net_inputs[-1]):
            deltas = _deltas(net, outputs, net_inputs, seed)
            if diagonal:
                parts = [
                    part.ravel()
                    for Z, delta in zip(outputs, deltas, strict=False)
                    for part in ((Z**2).T @ delta**2, (delta**2).sum(axis=0))
                ]
                total += np.concatenate(parts)
                continue
            jacobian = np.concatenate(
                [
                    part.reshape(len(seed), -1)
                    for Z, delta in zip(outputs, deltas, strict=False)
                    for part in (Z[:, :, None] * delta[:, None, :], delta)
                ],
                axis=1,
            )
            total += jacobian.T @ jacobian
    return total / len(X)


def _root_of_curvature(net, output, net_input):
    """Yield deltas whose squares sum to the curvature of the loss by the net inputs."""
    name, n_outputs = net.activations[-1], output.shape[1]
    if net.loss == "log_loss" and name == "softmax":
        # diag(p) - p p' = A A' with the columns A_k = root(p_k) (e_k - p).
        root = np.sqrt(output)
        for k in range(n_outputs):
            seed = -output * root[:, [k]]
            seed[:, k] += root[:, k]
            yield seed
        return
    if net.loss == "log_loss":
        size = np.sqrt(output * (1 - output))
    elif net.loss == "poisson":
        size = np.sqrt(output)
    elif net.loss in ("squared_error", "huber"):
        size = slope(name, net_input, output)
    else:
        raise ValueError(
            "curvature is known for the losses 'squared_error', 'huber', 'log_loss' and "
            f"'poisson', got {net.loss!r}."
        )
    for k in range(n_outputs):
        yield size * (np.arange(n_outputs) == k)
