"""Adversarial examples: small steps that raise the loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from shallows._core.contract.params import PositiveFloat, check_arguments
from shallows.network._backprop import backpropagate
from shallows.network._network import Array, as_network


def adversarial_example(
    net: Any, X: Any, y: Any, eps: PositiveFloat = 0.007, *, bounds: tuple | None = None
) -> Array:
    r"""Move samples a little so that the loss of a network rises most.

    The gradient-sign step :math:`x + \epsilon \, \mathrm{sign}(\partial e / \partial x)`: no
    component changes by more than :math:`\epsilon`, yet all of them work together.

    Parameters
    ----------
    net : Network or fitted estimator
        The network.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples, n_outputs)
        Targets of the outputs; one-hot for classes.
    eps : float, default=0.007
        Largest change of a component.
    bounds : tuple of float or None, default=None
        Smallest and largest value that a component may have, such as (0, 1) for pixels.

    Returns
    -------
    moved : ndarray of shape (n_samples, n_features)
        The samples after the step.

    References
    ----------
    I. J. Goodfellow, J. Shlens and C. Szegedy, "Explaining and harnessing adversarial
    examples", ICLR, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, adversarial_example
    >>> net = Network([np.array([[3.0], [-1.0]])], [np.zeros(1)], ("identity",))
    >>> adversarial_example(net, [[1.0, 1.0]], [[0.0]], eps=0.1)
    array([[1.1, 0.9]])
    """
    check_arguments(adversarial_example, locals())
    net = as_network(net)
    X = np.asarray(X, dtype=net.weights[0].dtype)
    delta = backpropagate(net, X, y).deltas[0]
    moved = X + X.dtype.type(eps) * np.sign(delta @ net.weights[0].T)
    return moved if bounds is None else np.clip(moved, *bounds)
