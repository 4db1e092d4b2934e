"""Hebb's rule: neurons that fire together wire together."""

from __future__ import annotations

import numpy as np


def hebb_update(weights, pre, post, eta: float = 1.0) -> np.ndarray:
    r"""Return the weights after :math:`\Delta w_{ij} = \eta S_i S_j`.

    The change of a synapse depends only on the activities on its two sides. With states +1 and -1
    two silent neurons also strengthen their synapse, and opposite states weaken it.

    Parameters
    ----------
    weights : array-like of shape (n_post, n_pre) or (n_pre,)
        Weights; one row per postsynaptic neuron.
    pre : array-like of shape (n_pre,) or (n_samples, n_pre)
        Presynaptic activities; changes of several samples are added.
    post : array-like of shape (n_post,) or (n_samples, n_post); a float or (n_samples,)
        Postsynaptic activities, with one dimension less for a single neuron.
    eta : float, default=1.0
        Learning rate.

    Returns
    -------
    weights : ndarray
        The new weights; the input is not modified.

    Examples
    --------
    >>> from shallows.neuron import hebb_update
    >>> hebb_update([[0.0, 0.0]], pre=[1, -1], post=[1], eta=0.5)
    array([[ 0.5, -0.5]])
    """
    weights = np.asarray(weights, dtype=np.float64)
    pre, post = np.asarray(pre, dtype=np.float64), np.asarray(post, dtype=np.float64)
    rows = np.atleast_2d(pre)
    outputs = post.reshape(len(rows), -1)
    change = outputs.T @ rows
    if change.size != weights.size or change.shape[-1] != weights.shape[-1]:
        raise ValueError(
            f"hebb_update: weights of shape {weights.shape} do not connect {rows.shape[1]} inputs "
            f"with {outputs.shape[1]} outputs."
        )
    return weights + eta * change.reshape(weights.shape)
