"""Generalisation of a perceptron in infinitely many dimensions, for several learning rules.

A linear teacher labels isotropic random inputs without noise; alpha is the number of examples per
dimension. As the number of examples and the dimension grow, the error of almost every student
tends to one value.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr

from shallows._core.contract.params import NonNegativeFloat, check_value

# Nodes and weights of Gauss-Hermite integration over a standard normal variable.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(120)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


class MaxStability(NamedTuple):
    """Theory of the student of maximum stability.

    Parameters
    ----------
    overlap : float or ndarray
        Cosine of the angle between student and teacher.
    stability : float or ndarray
        The largest stability, for inputs whose components have variance 1.
    support : float or ndarray
        Share of the examples that are support vectors.

    Examples
    --------
    >>> from shallows.theory import max_stability
    >>> max_stability(1.0).support.round(3)
    np.float64(0.624)
    """

    overlap: np.ndarray
    stability: np.ndarray
    support: np.ndarray


def learning_curve_hebb(alpha):
    r"""Return the error of Hebb's rule, the sum of all examples times their labels.

    :math:`\varepsilon = \frac1\pi \arctan\sqrt{\pi / (2 \alpha)}`, for many examples
    :math:`1 / \sqrt{2 \pi \alpha}` [1]_.

    Parameters
    ----------
    alpha : float or array-like
        Examples per dimension.

    Returns
    -------
    error : float or ndarray
        Probability of a wrong answer to a new input.

    References
    ----------
    .. [1] F. Vallet, "The Hebb rule for learning linearly separable Boolean functions: learning
       and generalization", Europhysics Letters 8, 747-751, 1989.

    Examples
    --------
    >>> from shallows.theory import learning_curve_hebb
    >>> learning_curve_hebb([0, 1, 10]).round(4)
    array([0.5   , 0.2856, 0.1201])
    """
    alpha = _examples("learning_curve_hebb", alpha)
    return np.arctan2(np.sqrt(np.pi), np.sqrt(2 * alpha)) / np.pi


def learning_curve_adaline(alpha):
    r"""Return the error of the pseudo-inverse, to which Adaline converges.

    The overlap with the teacher is :math:`R^2 = 2 \alpha (1 - \alpha) / (\pi - 2 \alpha)` up to
    :math:`\alpha = 1` and :math:`R^2 = 2 (\alpha - 1) / (\pi + 2 \alpha - 4)` above. At 1 the
    examples just determine the weights, and the student is no better than chance [1]_.

    Parameters
    ----------
    alpha : float or array-like
        Examples per dimension.

    Returns
    -------
    error : float or ndarray
        Probability of a wrong answer to a new input.

    References
    ----------
    .. [1] M. Opper, W. Kinzel, J. Kleinz and R. Nehl, "On the ability of the optimal perceptron
       to generalise", Journal of Physics A 23, L581-L586, 1990.

    Examples
    --------
    >>> from shallows.theory import learning_curve_adaline
    >>> learning_curve_adaline([0.5, 1, 2]).round(4)
    array([0.3395, 0.5   , 0.206 ])
    """
    alpha = _examples("learning_curve_adaline", alpha)
    # The denominators are kept away from zero in the branch that is not selected.
    few = 2 * alpha * (1 - alpha) / np.where(alpha < 1, np.pi - 2 * alpha, 1)
    many = 2 * (alpha - 1) / np.where(alpha < 1, 1, np.pi + 2 * alpha - 4)
    return np.arccos(np.sqrt(np.where(alpha < 1, few, many))) / np.pi


def learning_curve_gibbs(alpha):
    r"""Return the error of a student drawn at random from the version space.

    Student and teacher, and any two students, have the overlap :math:`R` with
    :math:`R = \frac\alpha\pi \sqrt{1 - R} \int Dt\, e^{-R t^2 / 2} / H(\sqrt R t)`, where
    :math:`Dt` is the normal density and :math:`H` its upper tail. The error is
    :math:`\frac1\pi \arccos R`, for many examples :math:`0.625 / \alpha` [1]_.

    Parameters
    ----------
    alpha : float or array-like
        Examples per dimension.

    Returns
    -------
    error : float or ndarray
        Probability of a wrong answer to a new input.

    References
    ----------
    .. [1] G. Gyorgyi and N. Tishby, "Statistical theory of learning a rule", in Neural Networks
       and Spin Glasses, 3-36, 1990.

    Examples
    --------
    >>> from shallows.theory import learning_curve_gibbs
    >>> learning_curve_gibbs([0, 1, 10]).round(4)
    array([0.5   , 0.3384, 0.0615])
    """
    return 2 / np.pi * np.arcsin(_gibbs_distance("learning_curve_gibbs", alpha) / np.sqrt(2))


def learning_curve_bayes(alpha):
    r"""Return the smallest error that a student can reach.

    The optimal student answers like the majority of the version space, which agrees with its
    centre of mass. With the overlap :math:`R` of `learning_curve_gibbs` the error is
    :math:`\frac1\pi \arccos \sqrt R`, for many examples :math:`0.442 / \alpha` [1]_.

    Parameters
    ----------
    alpha : float or array-like
        Examples per dimension.

    Returns
    -------
    error : float or ndarray
        Probability of a wrong answer to a new input.

    References
    ----------
    .. [1] M. Opper and D. Haussler, "Generalization performance of Bayes optimal classification
       algorithm for learning a perceptron", Physical Review Letters 66, 2677-2680, 1991.

    Examples
    --------
    >>> from shallows.theory import learning_curve_bayes
    >>> learning_curve_bayes([0, 1, 10]).round(4)
    array([0.5   , 0.2544, 0.0436])
    """
    return np.arcsin(_gibbs_distance("learning_curve_bayes", alpha)) / np.pi


def learning_curve_max_stability(alpha):
    r"""Return the error of the student of maximum stability.

    The error is :math:`\frac1\pi \arccos R` with the overlap :math:`R` of `max_stability`, for
    many examples :math:`0.50 / \alpha` [1]_.

    Parameters
    ----------
    alpha : float or array-like
        Examples per dimension.

    Returns
    -------
    error : float or ndarray
        Probability of a wrong answer to a new input.

    References
    ----------
    .. [1] M. Opper, W. Kinzel, J. Kleinz and R. Nehl, "On the ability of the optimal perceptron
       to generalise", Journal of Physics A 23, L581-L586, 1990.

    Examples
    --------
    >>> from shallows.theory import learning_curve_max_stability
    >>> learning_curve_max_stability([0, 1, 10]).round(4)
    array([0.5   , 0.2657, 0.0492])
    """
    alpha = _examples("learning_curve_max_stability", alpha)
    return np.vectorize(_widest_angle, otypes=[float])(alpha)[()] / np.pi


def max_stability(alpha):
    r"""Return overlap, stability and support of the student of maximum stability.

    Take the field :math:`t` that an example would have if it were not learned. Learning raises
    every field below the stability :math:`\kappa` to :math:`\kappa`; these examples are the
    support vectors. With :math:`b^2 = 1 - R^2` and the normal distribution function :math:`\Phi`,
    the overlap and the stability solve :math:`b^2 = 2 \alpha \int_{-\infty}^\kappa Dt\, (\kappa -
    t)^2 \Phi(R t/b)` and :math:`R = \alpha \sqrt{2 / \pi} \int_{-\infty}^{\kappa / b} Dt\, (\kappa
    - b t)` [1]_.

    Parameters
    ----------
    alpha : float or array-like
        Examples per dimension.

    Returns
    -------
    theory : MaxStability
        Arrays `overlap`, `stability` and `support` in the shape of `alpha`.

    References
    ----------
    .. [1] M. Opper, W. Kinzel, J. Kleinz and R. Nehl, "On the ability of the optimal perceptron
       to generalise", Journal of Physics A 23, L581-L586, 1990.

    Examples
    --------
    >>> from shallows.theory import max_stability
    >>> max_stability([1, 10]).stability.round(4)
    array([0.7865, 0.0999])
    """
    alpha = _examples("max_stability", alpha)
    angle = np.vectorize(_widest_angle, otypes=[float])(alpha)
    limit = np.vectorize(_limit, otypes=[float])(angle, alpha)
    shares = np.vectorize(_share_below, otypes=[float])(limit, angle)
    return MaxStability(np.cos(angle)[()], (limit * np.sin(angle))[()], shares[()])


def _examples(owner, alpha):
    numbers = np.asarray(alpha, dtype=float)
    for value in numbers.flat:
        check_value(owner, "alpha", NonNegativeFloat, value)
    return numbers


def _gibbs_distance(owner, alpha):
    """Return sqrt(1 - R) with the overlap R of two members of the version space."""
    alpha = _examples(owner, alpha)
    return np.vectorize(_root_of_one_minus_overlap, otypes=[float])(alpha)[()]


@cache
def _root_of_one_minus_overlap(alpha: float) -> float:
    if alpha == 0:
        return 1.0
    # The unknown is sqrt(1 - R), which keeps its digits when R is close to 1.
    return float(brentq(_gibbs_condition, 1e-3 / (1 + alpha), 1, args=(alpha,), xtol=1e-15))


def _gibbs_condition(distance: float, alpha: float) -> float:
    # R - (alpha / pi) sqrt(1 - R) int Dt exp(-R t^2 / 2) / H(sqrt(R) t), where erfcx contains the
    # quotient of the exponential and H.
    overlap = 1 - distance**2
    integral = _WEIGHTS @ (2 / erfcx(np.sqrt(overlap / 2) * _NODES))
    return float(overlap - alpha / np.pi * distance * integral)


@cache
def _widest_angle(alpha: float) -> float:
    """Return the angle between teacher and student of maximum stability."""
    if alpha == 0:
        return np.pi / 2
    # Its error lies between those of the Bayes-optimal and of a random student.
    best, random = np.pi * learning_curve_bayes(alpha), np.pi * learning_curve_gibbs(alpha)
    return float(brentq(_stability_condition, 0.99 * best, random, args=(alpha,), xtol=1e-15))


def _stability_condition(angle: float, alpha: float) -> float:
    limit = _limit(angle, alpha)
    return float(1 - 2 * alpha * np.sin(angle) * _mean_below(limit, angle, power=2))


def _limit(angle: float, alpha: float) -> float:
    """Return the stability divided by the sine of the angle, from the second condition."""
    if alpha == 0:
        return np.inf
    # The integral of Dt (v - t) up to v is v Phi(v) + phi(v).
    wanted = np.sqrt(np.pi / 2) / (alpha * np.tan(angle))
    return float(brentq(lambda v: v * ndtr(v) + _normal(v) - wanted, -30, 1 + wanted, xtol=1e-15))


def _share_below(limit: float, angle: float) -> float:
    if limit == np.inf:
        return 1.0
    return float(2 * np.sin(angle) * _mean_below(limit, angle, power=0))


def _mean_below(limit: float, angle: float, power: int) -> float:
    """Integrate (limit - v)^power over the fields v below the limit, in units of the sine."""
    sine, cosine = np.sin(angle), np.cos(angle)
    low, high = min(-10.0, limit - 10), min(limit, 10 / sine)  # beyond, it is below exp(-50)

    def integrand(v):
        return (limit - v) ** power * _normal(v * sine) * ndtr(v * cosine)

    return float(quad(integrand, low, high, epsabs=1e-13, epsrel=1e-11, limit=200)[0])


def _normal(v):
    return np.exp(-(v**2) / 2) / np.sqrt(2 * np.pi)
