"""Penalties on the weights of a network: value and gradient; biases are free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from shallows._core.contract.params import PositiveInt, Range
from shallows._core.numerics.compile import compiled
from shallows.network._checked import Checked
from shallows.network._network import Array

Kind = Literal["l2", "lp", "elimination", "mixture"]


@dataclass(frozen=True)
class LpPenalty(Checked):
    """The `penalty` "lp" with an exponent of its own.

    Parameters
    ----------
    p : float, default=1.0
        Exponent, at least 1.

    Examples
    --------
    >>> from shallows.network import LpPenalty, MLPClassifier
    >>> MLPClassifier(5, penalty=LpPenalty(1.5)).penalty.p
    1.5
    """

    p: Annotated[float, Range(1)] = 1.0


@dataclass(frozen=True)
class SoftWeightSharing(Checked):
    """The `penalty` "mixture" with a number of components of its own.

    Parameters
    ----------
    n_components : int, default=4
        Values that the weights are drawn to, one of them zero.

    Examples
    --------
    >>> from shallows.network import MLPClassifier, SoftWeightSharing
    >>> MLPClassifier(5, penalty=SoftWeightSharing(3)).penalty.n_components
    3
    """

    n_components: PositiveInt = 4


Penalty = (
    Literal["l2", "shrink", "outside-momentum", "elimination", "lp", "mixture"]
    | LpPenalty
    | SoftWeightSharing
)
BY_NAME = {"lp": LpPenalty(), "mixture": SoftWeightSharing()}


class Mixture(NamedTuple):
    """Gaussian mixture that weights share in soft weight sharing.

    Parameters
    ----------
    means, variances, shares : ndarray of shape (n_components,)
        Centres, squared widths and proportions of the components.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Mixture, mixture_penalty
    >>> one = Mixture(np.zeros(1), np.full(1, 0.25), np.ones(1))
    >>> mixture_penalty(np.array([0.5]), one)[1]  # weight decay of strength 1 / variance
    array([2.])
    """

    means: Array
    variances: Array
    shares: Array


def mixture_penalty(weights: Array, mixture: Mixture) -> tuple[float, Array]:
    r"""Return :math:`-\sum_k \ln p(w_k)` of a Gaussian mixture, and its gradient.

    Weights are drawn to the centres of the mixture, so that many become nearly equal: soft
    weight sharing. One component at zero is weight decay of strength one over its variance.

    Parameters
    ----------
    weights : ndarray
        Weights of any shape.
    mixture : Mixture
        The density.

    Returns
    -------
    value : float
        Negative logarithm of the density.
    gradient : ndarray
        Derivatives, in the shape of `weights`.

    References
    ----------
    S. J. Nowlan and G. E. Hinton, "Simplifying neural networks by soft weight-sharing", Neural
    Computation 4, 473-493, 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import Mixture, mixture_penalty
    >>> pair = Mixture(np.array([-1.0, 1.0]), np.full(2, 0.01), np.full(2, 0.5))
    >>> mixture_penalty(np.array([0.9]), pair)[1].round(6)
    array([-10.])
    """
    flat = np.ravel(weights)
    log_density, membership = _memberships(flat, mixture)
    gap = flat[:, None] - mixture.means
    gradient = (membership * gap / mixture.variances).sum(axis=1)
    return -float(log_density.sum()), gradient.reshape(weights.shape).astype(weights.dtype)


def start_mixture(weights: Array, n_components: int) -> Mixture:
    """Spread centres over the quantiles of the weights; the first one stands at zero."""
    levels = np.quantile(weights, np.linspace(0.05, 0.95, max(n_components - 1, 1)))
    means = np.concatenate([[0.0], levels])[:n_components]
    spread = max(float(np.var(weights)), 1e-6)
    equal = np.full(n_components, 1 / n_components)
    return Mixture(means, np.full(n_components, spread / n_components), equal)


def adapt_mixture(weights: Array, mixture: Mixture, least_variance: float = 1e-5) -> Mixture:
    """One step of expectation maximisation; the centre of the first component stays at zero."""
    flat = np.ravel(weights).astype(np.float64)
    _, membership = _memberships(flat, mixture)
    mass = np.maximum(membership.sum(axis=0), 1e-10)
    means = membership.T @ flat / mass
    means[0] = 0.0
    square = (membership * (flat[:, None] - means) ** 2).sum(axis=0) / mass
    return Mixture(means, np.maximum(square, least_variance), mass / mass.sum())


def _memberships(flat: Array, mixture: Mixture) -> tuple[Array, Array]:
    gap = flat[:, None] - mixture.means
    log_parts = (
        np.log(mixture.shares)
        - 0.5 * np.log(2 * np.pi * mixture.variances)
        - gap * gap / (2 * mixture.variances)
    )
    top = log_parts.max(axis=1, keepdims=True)
    parts = np.exp(log_parts - top)
    total = parts.sum(axis=1, keepdims=True)
    return (top + np.log(total)).ravel(), parts / total


def weight_penalty(
    weights: Array,
    kind: Kind = "l2",
    *,
    alpha: float = 1.0,
    p: float = 1.0,
    mixture: Mixture | None = None,
) -> tuple[float, Array]:
    r"""Return a penalty on weights and its gradient.

    ============= ============================================ ===============================
    kind          penalty                                      gradient
    ============= ============================================ ===============================
    "l2"          :math:`\frac\alpha2 \sum w^2`                :math:`\alpha w`
    "lp"          :math:`\frac\alpha p \sum |w|^p`             :math:`\alpha |w|^p / w`
    "elimination" :math:`\frac\alpha2 \sum w^2/(1+w^2)`        :math:`\alpha w/(1+w^2)^2`
    "mixture"     :math:`-\alpha \sum \ln p(w)`                see `mixture_penalty`
    ============= ============================================ ===============================

    Parameters
    ----------
    weights : ndarray
        Weights of any shape.
    kind : {"l2", "lp", "elimination", "mixture"}, default="l2"
        Which penalty.
    alpha : float, default=1.0
        Strength.
    p : float, default=1.0
        Exponent of "lp", at least 1.
    mixture : Mixture or None, default=None
        Density of "mixture".

    Returns
    -------
    value : float
        The penalty.
    gradient : ndarray
        Derivatives, in the shape of `weights`.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import weight_penalty
    >>> split, single = np.array([1.0, 1.0]), np.array([2.0, 0.0])
    >>> weight_penalty(split)[0] < weight_penalty(single)[0]
    True
    >>> weight_penalty(split, "elimination")[0] < weight_penalty(single, "elimination")[0]
    False
    """
    if kind == "mixture":
        if mixture is None:
            raise ValueError("weight_penalty: kind 'mixture' needs a mixture, got None.")
        value, gradient = mixture_penalty(weights, mixture)
        return alpha * value, alpha * gradient
    if kind == "l2":
        return 0.5 * alpha * float(np.sum(weights**2)), alpha * weights
    if kind == "elimination":
        # Weigend's weight elimination: w^2 / (1 + w^2).
        share = weights**2 / (1 + weights**2)
        return 0.5 * alpha * float(share.sum()), alpha * weights / (1 + weights**2) ** 2
    if kind == "lp":
        size = np.abs(weights)
        slope = size ** (p - 1) * np.sign(weights)
        return alpha / p * float((size**p).sum()), alpha * slope
    raise ValueError(f"kind must be 'l2', 'lp', 'elimination' or 'mixture', got {kind!r}.")


@compiled
def add_decay(gradient, weights, strength):
    """Add `strength` times the weights to a gradient in place; return the sum of squares."""
    total = 0.0
    factor = gradient.dtype.type(strength)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            value = weights[i, j]
            gradient[i, j] += factor * value
            total += value * value
    return total
