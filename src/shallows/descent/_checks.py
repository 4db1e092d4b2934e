"""Numerical checks of derivatives, and classification of stationary points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from shallows.descent._types import Array, ValueAndGradient


def numerical_gradient(function: Callable[[Array], float], x: Array, step: float = 1e-5) -> Array:
    """Gradient by central differences, with an error of order step^2.

    Parameters
    ----------
    function : callable
        Function of a vector with a number as value.
    x : array of floats
        Point of differentiation.
    step : float
        Step to each side, multiplied by the size of components larger than 1.

    Returns
    -------
    array
        One derivative per component.

    Examples
    --------
    >>> numerical_gradient(lambda x: x[0] * x[1], np.array([2.0, 3.0])).round(6)
    array([3., 2.])
    """
    return _central_differences(lambda z: np.asarray(function(z)), x, step)


def numerical_hessian(gradient: Callable[[Array], Array], x: Array, step: float = 1e-5) -> Array:
    """Hessian matrix by central differences of the gradient, made symmetric.

    Parameters
    ----------
    gradient : callable
        Gradient as a function of the parameters.
    x : array of floats
        Point of differentiation.
    step : float
        Step to each side, multiplied by the size of components larger than 1.

    Returns
    -------
    array, shape (n, n)
        Second derivatives.

    Examples
    --------
    >>> numerical_hessian(lambda x: x[::-1], np.array([2.0, 3.0])).round(6)
    array([[0., 1.],
           [1., 0.]])
    """
    jacobian = _central_differences(gradient, x, step)
    return (jacobian + jacobian.T) / 2


def check_gradient(value_and_gradient: ValueAndGradient, x: Array, step: float = 1e-5) -> float:
    """Largest deviation of a gradient from central differences.

    Parameters
    ----------
    value_and_gradient : callable
        Function of a vector that returns its value and its gradient.
    x : array of floats
        Point of comparison, away from kinks.
    step : float
        Step to each side, multiplied by the size of components larger than 1.

    Returns
    -------
    float
        Largest difference, relative to the largest component of the gradient if that exceeds 1. A
        correct gradient gives about 1e-9, a wrong one rarely less than 1e-3.

    Examples
    --------
    >>> check_gradient(lambda x: (float(x @ x), 2 * x), np.array([2.0, 3.0])) < 1e-8
    True
    """
    expected = numerical_gradient(lambda z: value_and_gradient(z)[0], x, step)
    return _deviation(value_and_gradient(x)[1], expected)


def check_hessian(
    gradient: Callable[[Array], Array],
    hessian: Callable[[Array], Array],
    x: Array,
    step: float = 1e-5,
) -> float:
    """Largest deviation of a Hessian matrix from central differences of the gradient.

    Parameters
    ----------
    gradient, hessian : callable
        Gradient vector and Hessian matrix as functions of the parameters.
    x : array of floats
        Point of comparison, away from kinks.
    step : float
        Step to each side, multiplied by the size of components larger than 1.

    Returns
    -------
    float
        Largest difference, relative to the largest entry if that exceeds 1.

    Examples
    --------
    >>> check_hessian(lambda x: x**3, lambda x: np.diag(3 * x**2), np.array([2.0, 3.0])) < 1e-8
    True
    """
    return _deviation(hessian(x), numerical_hessian(gradient, x, step))


def classify_stationary_point(
    hessian: Array, tol: float = 1e-10
) -> Literal["minimum", "maximum", "saddle", "undecided"]:
    """Classify a stationary point by the signs of the eigenvalues of the Hessian matrix.

    Parameters
    ----------
    hessian : array of floats, shape (n, n)
        Symmetric matrix of second derivatives at the point.
    tol : float
        Eigenvalues up to this share of the largest absolute value count as zero.

    Returns
    -------
    {"minimum", "maximum", "saddle", "undecided"}
        All positive, all negative, both signs, or zeros together with a single sign: then higher
        derivatives decide.

    Examples
    --------
    >>> classify_stationary_point(np.diag([1.0, -2.0]))
    'saddle'
    >>> classify_stationary_point(np.diag([1.0, 0.0]))
    'undecided'
    """
    eigenvalues = np.linalg.eigvalsh(hessian)
    zero = tol * np.abs(eigenvalues).max()
    up, down = (eigenvalues > zero).sum(), (eigenvalues < -zero).sum()
    if up and down:
        return "saddle"
    if up == len(eigenvalues):
        return "minimum"
    if down == len(eigenvalues):
        return "maximum"
    return "undecided"


def transform_gradient(matrix: Array, gradient: Array) -> Array:
    """Gradient with respect to x of f(A x), given the gradient g with respect to z = A x: A' g.

    Steepest descent in x moves z along -A A' g, not along -g. Its path depends on the coordinates
    unless A is orthogonal up to a factor.

    Parameters
    ----------
    matrix : array of floats, shape (m, n)
        The change of coordinates A.
    gradient : array of floats, shape (m,)
        Gradient with respect to z.

    Returns
    -------
    array, shape (n,)
        Gradient with respect to x.

    Examples
    --------
    >>> transform_gradient(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, 1.0]))
    array([2., 1.])
    """
    return matrix.T @ gradient


def _central_differences(function: Callable[[Array], Array], x: Array, step: float) -> Array:
    x = np.asarray(x, dtype=np.float64)
    sides = step * np.maximum(1, np.abs(x))
    columns = []
    for i, side in enumerate(sides):
        above, below = x.copy(), x.copy()
        above[i] += side
        below[i] -= side
        columns.append((function(above) - function(below)) / (above[i] - below[i]))
    return np.stack(columns, axis=-1)


def _deviation(found: Array, expected: Array) -> float:
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))
