"""Classes with known densities, for which the optimal decision is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import logsumexp

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator

CENTRES = np.array([[1.0, 0.0], [0.0, 1.0]])
MEANS_PER_CLASS = 10
THREE_CLASSES = {"shares": (0.5, 0.3, 0.2), "means": (0.0, 0.5, 3.0), "widths": (2.0, 0.5, 0.7)}


class Scenario(NamedTuple):
    """Inputs, labels 0 and 1, and the component means and variance of each class."""

    X: np.ndarray
    y: np.ndarray
    means: np.ndarray
    variance: float


class ThreeClasses(NamedTuple):
    """Values of one feature, class labels, and the Bayes rule."""

    x: np.ndarray
    y: np.ndarray
    rule: Callable[[np.ndarray], np.ndarray]


def make_scenario(
    kind: Literal[1, 2],
    n_samples: PositiveInt = 200,
    *,
    means: np.ndarray | None = None,
    random_state: RandomState = None,
) -> Scenario:
    r"""Draw two classes in the plane: single Gaussians, or mixtures of ten each.

    Scenario 1 suits a straight line, scenario 2 a local method [1]_.

    Parameters
    ----------
    kind : {1, 2}
        1: one Gaussian per class with means (1, 0) and (0, 1) and unit variance; the Bayes error
        is :math:`\Phi(-1/\sqrt{2}) = 0.2398`. 2: ten Gaussians of variance 1/5 per class; their
        means are drawn from the Gaussians of scenario 1.
    n_samples : int, default=200
        Number of points; the first half, rounded up, is of class 0.
    means : ndarray of shape (2, n_components, 2) or None, default=None
        Component means of an earlier sample, to draw more points from the same distribution.
    random_state : int, RandomState, Generator or None, default=None
        Seeds means and points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points.
    y : ndarray of shape (n_samples,)
        Labels 0 and 1.
    means : ndarray of shape (2, n_components, 2)
        Component means of each class, as `bayes_rule` takes them.
    variance : float
        Variance of every component.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani and J. Friedman, "The Elements of Statistical Learning",
       2nd ed. 2009, Sec. 2.3.

    Examples
    --------
    >>> from shallows.data import bayes_rule, make_scenario
    >>> X, y, means, variance = make_scenario(2, 200, random_state=0)
    >>> bool((bayes_rule(X, means, variance) == y).mean() > 0.7)
    True
    """
    check_arguments(make_scenario, locals())
    rng = as_generator(random_state)
    variance = 1.0 if kind == 1 else 0.2
    if means is None:
        drawn = rng.standard_normal((2, MEANS_PER_CLASS, 2)) if kind == 2 else np.zeros((2, 1, 2))
        means = CENTRES[:, None] + drawn
    y = (np.arange(n_samples) >= (n_samples + 1) // 2).astype(np.int64)
    component = rng.integers(means.shape[1], size=n_samples)
    X = means[y, component] + np.sqrt(variance) * rng.standard_normal((n_samples, 2))
    return Scenario(X, y, means, variance)


def bayes_rule(X, means, variance) -> np.ndarray:
    """Return the Bayes decision between equally likely mixtures of round Gaussians.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    means : array-like of shape (n_classes, n_components, n_features)
        Component means of each class; components have equal shares.
    variance : float
        Variance of every component in every direction.

    Returns
    -------
    y : ndarray of shape (n_samples,)
        Index of the class with the larger density; the smaller index on a tie.

    Examples
    --------
    >>> from shallows.data import bayes_rule
    >>> bayes_rule([[2.0, 0.0], [0.0, 2.0]], [[[1.0, 0.0]], [[0.0, 1.0]]], 1.0)
    array([0, 1])
    """
    X, means = np.asarray(X, dtype=np.float64), np.asarray(means, dtype=np.float64)
    squares = ((X[:, None, None, :] - means) ** 2).sum(axis=-1)
    return logsumexp(-squares / (2 * variance), axis=2).argmax(axis=1)


def three_classes(n_samples: PositiveInt = 1000, *, random_state: RandomState = None):
    """Draw one feature of three Gaussian classes with disconnected decision regions.

    Class 0 is wide and wins on both sides of class 1, so its region is not connected.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of points.
    random_state : int, RandomState, Generator or None, default=None
        Seeds classes and values.

    Returns
    -------
    x : ndarray of shape (n_samples,)
        Values.
    y : ndarray of shape (n_samples,)
        Labels 0, 1 and 2 with shares 0.5, 0.3 and 0.2.
    rule : callable
        The Bayes rule: takes values and returns the most probable class of each.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import three_classes
    >>> three_classes(10, random_state=0).rule(np.array([-3.0, 0.5, 1.8, 3.0]))
    array([0, 1, 0, 2])
    """
    check_arguments(three_classes, locals())
    rng = as_generator(random_state)
    y = rng.choice(3, size=n_samples, p=THREE_CLASSES["shares"])
    means, widths = np.array(THREE_CLASSES["means"]), np.array(THREE_CLASSES["widths"])
    return ThreeClasses(rng.normal(means[y], widths[y]), y, most_probable)


def most_probable(x):
    """Return the class of `three_classes` with the largest share times density."""
    shares, means, widths = (np.array(THREE_CLASSES[key]) for key in ("shares", "means", "widths"))
    standard = (np.asarray(x, dtype=np.float64)[:, None] - means) / widths
    return (np.log(shares / widths) - standard**2 / 2).argmax(axis=1)
