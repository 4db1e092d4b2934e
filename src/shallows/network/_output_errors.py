"""Errors of a network's outputs, with the conventions of sums and means stated."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from shallows._core.contract.params import PositiveFloat, Probability, check_arguments
from shallows.descent import _classification_losses as classes
from shallows.descent import _regression_losses as numbers
from shallows.network._network import Array


def quadratic_error(
    output: Any,
    target: Any,
    convention: Literal["half-mean", "half-sum", "sum", "mean"] = "half-mean",
) -> float:
    r"""Return the quadratic error of outputs.

    With :math:`P` samples: "half-mean" is :math:`\frac1{2P} \sum (\sigma - \tau)^2`, "half-sum"
    lacks :math:`1/P`, "sum" the half as well, and "mean" is :math:`\frac1P \sum (\sigma -
    \tau)^2`. Sums run over samples and outputs.

    Parameters
    ----------
    output, target : array-like of shape (n_samples,) or (n_samples, n_outputs)
        What the network says, and what it should say.
    convention : {"half-mean", "half-sum", "sum", "mean"}, default="half-mean"
        Which factors stand before the sum.

    Returns
    -------
    error : float
        Zero only where all agree.

    Examples
    --------
    >>> from shallows.network import quadratic_error
    >>> [quadratic_error([1.0, 3.0], [0.0, 0.0], kind) for kind in ("half-mean", "sum")]
    [2.5, 10.0]
    """
    check_arguments(quadratic_error, locals())
    output, target = _pair(output, target)
    total = float(numbers.squared(output, target).sum())
    factor = {"half-mean": 0.5 / len(output), "half-sum": 0.5, "sum": 1.0, "mean": 1 / len(output)}
    return factor[convention] * total


def sign_quadratic_error(output: Any, target: Any, gamma: Probability = 0.0) -> float:
    r"""Return the quadratic error in which right signs count less.

    The sum of :math:`(\sigma - \tau)^2`, times `gamma` where output and target have the same
    sign. Training lets `gamma` rise from 0, where only wrong signs cost, to 1, the plain sum.

    Parameters
    ----------
    output, target : array-like of shape (n_samples,) or (n_samples, n_outputs)
        What the network says, and what it should say.
    gamma : float, default=0.0
        Weight of errors with the right sign.

    Returns
    -------
    error : float
        Sum over samples and outputs.

    Examples
    --------
    >>> from shallows.network import sign_quadratic_error
    >>> [sign_quadratic_error([0.5, -1.0], [1.0, 1.0], gamma) for gamma in (0.0, 1.0)]
    [4.0, 4.25]
    """
    check_arguments(sign_quadratic_error, locals())
    return float(numbers.sign_squared(*_pair(output, target), gamma=gamma).sum())


def minkowski_error(output: Any, target: Any, r: PositiveFloat = 2.0) -> float:
    r"""Return the mean of :math:`|\sigma - \tau|^r`, summed over outputs.

    The best constant is the mean for r = 2 and the median for r = 1: small exponents care
    less about outliers.

    Parameters
    ----------
    output, target : array-like of shape (n_samples,) or (n_samples, n_outputs)
        What the network says, and what it should say.
    r : float, default=2.0
        Exponent.

    Returns
    -------
    error : float
        Mean over samples.

    Examples
    --------
    >>> from shallows.network import minkowski_error
    >>> minkowski_error([1.0, 3.0], [0.0, 0.0], r=1)
    2.0
    """
    check_arguments(minkowski_error, locals())
    output, target = _pair(output, target)
    return float(numbers.minkowski(output, target, r=r).sum() / len(output))


def cross_entropy(output: Any, target: Any, reduction: Literal["mean", "sum"] = "mean") -> float:
    r"""Return the cross-entropy of probabilities, in nats.

    :math:`-\sum_k \tau_k \ln \sigma_k` for rows of class probabilities, and
    :math:`-\tau \ln \sigma - (1 - \tau) \ln(1 - \sigma)` for single probabilities. It is least
    where both agree, and is then the entropy of the targets: zero for certain ones.

    Parameters
    ----------
    output, target : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probability of class 1, or of each class.
    reduction : {"mean", "sum"}, default="mean"
        Mean or sum over samples.

    Returns
    -------
    entropy : float
        Cross-entropy.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import cross_entropy
    >>> round(cross_entropy(np.full((1, 10), 0.1), np.eye(10)[:1]), 6)
    2.302585
    """
    check_arguments(cross_entropy, locals())
    output, target = _pair(output, target)
    many = output.ndim == 2 and output.shape[1] > 1
    values = (classes.cross_entropy if many else classes.binary_cross_entropy)(output, target)
    return float(values.sum() / (len(output) if reduction == "mean" else 1))


def kullback_leibler(output: Any, target: Any, reduction: Literal["mean", "sum"] = "mean") -> float:
    r"""Return the divergence :math:`\sum_k \tau_k \ln(\tau_k / \sigma_k)` of probabilities.

    It is the cross-entropy less the entropy of the targets, so it has the same gradient, is
    never negative and zero only where both agree.

    Parameters
    ----------
    output, target : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probability of class 1, or of each class.
    reduction : {"mean", "sum"}, default="mean"
        Mean or sum over samples.

    Returns
    -------
    divergence : float
        Divergence in nats.

    Examples
    --------
    >>> from shallows.network import kullback_leibler
    >>> kullback_leibler([[0.5, 0.5]], [[0.5, 0.5]])
    0.0
    """
    check_arguments(kullback_leibler, locals())
    output, target = _pair(output, target)
    many = output.ndim == 2 and output.shape[1] > 1
    values = (classes.kullback_leibler if many else classes.binary_kullback_leibler)(output, target)
    return float(values.sum() / (len(output) if reduction == "mean" else 1))


def _pair(output: Any, target: Any) -> tuple[Array, Array]:
    output, target = np.asarray(output, dtype=float), np.asarray(target, dtype=float)
    if output.shape != target.shape or not output.size:
        raise ValueError(
            f"output and target must have the same shape with at least one sample, got "
            f"{output.shape} and {target.shape}."
        )
    return output, target
