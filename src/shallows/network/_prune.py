"""Pruning: remove weights or units that matter least."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import optimize

from shallows._core.contract.params import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    check_arguments,
)
from shallows.network._backprop import Workspace, loss_and_gradient
from shallows.network._curvature import gauss_newton, traced_outputs
from shallows.network._network import Array, Network, as_network, flatten, sizes_of, views


class Pruned(NamedTuple):
    """What is left of a network.

    Parameters
    ----------
    network : Network
        The network after pruning.
    kept : list of ndarray of bool
        Per layer which weights are left; for units, which units of each hidden layer.
    saliencies : list of ndarray
        Per layer how much each weight (or unit) mattered before.
    loss_before, loss_after : float
        Mean loss on the given data.

    Examples
    --------
    >>> from shallows.network import Pruned
    >>> Pruned(None, [], [], 0.1, 0.2).loss_after
    0.2
    """

    network: Network
    kept: list[Array]
    saliencies: list[Array]
    loss_before: float
    loss_after: float


def saliencies(weights: Any, hessian: Any, method: Literal["obd", "obs"] = "obd") -> Array:
    r"""Return how much a quadratic cost rises when single weights are removed.

    At a minimum with Hessian :math:`H`: "obd" is :math:`\frac12 H_{kk} w_k^2`, the rise when
    nothing else changes; "obs" is :math:`w_k^2 / (2 [H^{-1}]_{kk})`, the rise when all other
    weights adapt. They agree for a diagonal Hessian.

    Parameters
    ----------
    weights : array-like of shape (n_weights,)
        The minimum.
    hessian : array-like of shape (n_weights, n_weights)
        Second derivatives there.
    method : {"obd", "obs"}, default="obd"
        Optimal Brain Damage [1]_ or Optimal Brain Surgeon [2]_.

    Returns
    -------
    saliency : ndarray of shape (n_weights,)
        Rise of the cost.

    References
    ----------
    .. [1] Y. LeCun, J. S. Denker and S. A. Solla, "Optimal brain damage", NIPS 2, 598-605, 1990.
    .. [2] B. Hassibi and D. G. Stork, "Second order derivatives for network pruning: optimal
       brain surgeon", NIPS 5, 164-171, 1993.

    Examples
    --------
    >>> from shallows.network import saliencies
    >>> H = [[2.0, 1.0], [1.0, 2.0]]
    >>> saliencies([1.0, 2.0], H), saliencies([1.0, 2.0], H, "obs")
    (array([1., 4.]), array([0.75, 3.  ]))
    """
    w, H = np.asarray(weights, dtype=float), np.asarray(hessian, dtype=float)
    if method == "obd":
        return 0.5 * np.diag(H) * w**2
    return w**2 / (2 * np.diag(np.linalg.inv(H)))


def prune(
    net: Any,
    X: Any,
    y: Any,
    n: PositiveInt,
    *,
    method: Literal["obd", "obs", "magnitude", "unit"] = "obd",
    damping: NonNegativeFloat = 1e-6,
    max_iter: NonNegativeInt = 0,
) -> Pruned:
    r"""Remove the weights, or hidden units, that matter least.

    "obd" takes the weights of least :math:`\frac12 H_{kk} w_k^2`. "obs" takes one weight after
    the other, those of least :math:`w_k^2 / (2 [H^{-1}]_{kk})`, and each time moves all other
    parameters by :math:`-(w_k / [H^{-1}]_{kk}) H^{-1} e_k`. "magnitude" takes the smallest
    weights. "unit" removes whole hidden units whose outgoing weights matter least together, and
    gives their mean output to the biases above. The Hessian is that of Gauss and Newton;
    biases are never removed. The network should be at a minimum.

    Parameters
    ----------
    net : Network or fitted estimator
        The trained network; it is not changed.
    X : array-like of shape (n_samples, n_features)
        Training samples.
    y : array-like of shape (n_samples, n_outputs)
        Targets of the outputs; one-hot for classes.
    n : int
        How many weights or units to remove, apart from weights that are zero already.
    method : {"obd", "obs", "magnitude", "unit"}, default="obd"
        What matters least.
    damping : float, default=1e-6
        Added to the diagonal of the Hessian of "obs", as a share of its mean.
    max_iter : int, default=0
        Iterations of L-BFGS that train what is left.

    Returns
    -------
    pruned : Pruned
        The smaller network, what was kept, saliencies and losses.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Network, prune
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> net = Network([np.array([[2.0], [0.01], [-1.0]])], [np.zeros(1)], ("identity",))
    >>> prune(net, X, X @ net.weights[0], 1).kept[0].ravel()
    array([ True, False,  True])
    """
    check_arguments(prune, locals())
    net = as_network(net)
    X = np.asarray(X, dtype=np.float64)
    target = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
    net = net._replace(
        weights=[W.astype(np.float64) for W in net.weights],
        biases=[b.astype(np.float64) for b in net.biases],
    )
    before = _loss(net, X, target)
    if method == "unit":
        found, kept, importance = _remove_units(net, X, n)
        free = np.ones(
            sum(W.size + b.size for W, b in zip(found.weights, found.biases, strict=True))
        )
    else:
        found, kept, importance, free = _remove_weights(net, X, n, method, damping)
    if max_iter:
        found = _retrain(found, X, target, free, max_iter)
    return Pruned(found, kept, importance, before, _loss(found, X, target))


def _remove_weights(net, X, n, method, damping):
    sizes, vector = sizes_of(net.weights), flatten(net.weights, net.biases)
    is_weight = flatten(
        [np.ones_like(W) for W in net.weights], [np.zeros_like(b) for b in net.biases]
    ).astype(bool)
    alive = is_weight & (vector != 0)
    if n >= alive.sum():
        raise ValueError(f"prune: n must be less than the {alive.sum()} weights left, got {n}.")
    if method == "obs":
        # Optimal brain surgeon, with the curvature damped so that it has an inverse.
        hessian = gauss_newton(net, X)
        hessian.flat[:: len(hessian) + 1] += damping * np.trace(hessian) / len(hessian)
        importance, free = _surgery(vector, alive, np.linalg.inv(hessian), n)
    else:
        importance = np.abs(vector)
        if method == "obd":
            # Optimal brain damage: h_ii w_i^2 / 2.
            importance = 0.5 * gauss_newton(net, X, diagonal=True) * vector**2
        gone = np.argsort(np.where(alive, importance, np.inf), kind="stable")[:n]
        vector[gone] = 0
        free = np.where(is_weight, vector != 0, True)
    weights, biases = views(vector, sizes)
    kept = [part.astype(bool) for part in views(free.astype(float), sizes)[0]]
    return net._replace(weights=weights, biases=biases), kept, views(importance, sizes)[0], free


def _surgery(vector, alive, inverse, n):
    """Remove weight after weight, and let the others adapt; changes all three arrays."""
    free, first = np.where(alive, True, vector != 0), None
    for _ in range(n):
        scale = np.diag(inverse).copy()
        scale[scale <= 0] = np.inf

        # Saliency w_q^2 / (2 [H^-1]_qq); the others move by -w_q [H^-1]_q / [H^-1]_qq.
        importance = vector**2 / (2 * scale)
        first = importance if first is None else first
        gone = int(np.argmin(np.where(alive, importance, np.inf)))
        column = inverse[:, gone] / inverse[gone, gone]
        vector -= vector[gone] * column

        # The inverse without row and column q, by a rank-one change.
        inverse -= np.outer(column, inverse[gone])
        alive[gone] = free[gone] = False
        inverse[gone, :] = inverse[:, gone] = 0
        vector[gone] = 0
    return first, free


def _remove_units(net, X, n):
    hidden = len(net.weights) - 1
    width = [W.shape[1] for W in net.weights[:-1]]
    if hidden == 0 or n > sum(width) - hidden:
        raise ValueError(
            f"prune: n must leave a unit in each hidden layer, got {n} of {sum(width)} units."
        )
    sizes, vector = sizes_of(net.weights), flatten(net.weights, net.biases)
    curvature = 0.5 * gauss_newton(net, X, diagonal=True) * vector**2

    # A unit counts as much as its outgoing weights together.
    importance = [part.sum(axis=1) for part in views(curvature, sizes)[0][1:]]
    kept = [np.ones(size, dtype=bool) for size in width]
    order = sorted(
        (value, m, j) for m, part in enumerate(importance) for j, value in enumerate(part)
    )
    for _, layer, unit in order:
        if n and kept[layer].sum() > 1:
            kept[layer][unit] = False
            n -= 1
    outputs, _ = traced_outputs(net, X)
    weights, biases = [W.copy() for W in net.weights], [b.copy() for b in net.biases]
    for layer, stays in enumerate(kept):
        # Its mean output moves into the biases above.
        mean = outputs[layer + 1].mean(axis=0)
        biases[layer + 1] += mean[~stays] @ weights[layer + 1][~stays]
        weights[layer], biases[layer] = weights[layer][:, stays], biases[layer][stays]
        weights[layer + 1] = weights[layer + 1][stays]
    return net._replace(weights=weights, biases=biases), kept, importance


def _retrain(net, X, target, free, max_iter):
    sizes, start = sizes_of(net.weights), flatten(net.weights, net.biases)
    work = Workspace(net, len(X))

    def cost(vector):
        weights, biases = views(vector, sizes)
        moved = net._replace(weights=weights, biases=biases)
        loss = loss_and_gradient(moved, X, target, None, work)
        return loss, work.gradient * free

    found = optimize.minimize(
        cost, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter}
    )
    weights, biases = views(found.x, sizes)
    return net._replace(weights=weights, biases=biases)


def _loss(net, X, target):
    return loss_and_gradient(net, X, target, None, Workspace(net, len(X)))
