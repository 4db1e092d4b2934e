"""Gradient descent on a quadratic bowl, and LMS (its stochastic version), in closed form.

The risk is R_min + v'Rv with v = w - w_opt; a step subtracts 2 mu R v. For the other common
convention, a risk v'Hv / 2 with learning rate eta, set H = 2R and eta = mu.
"""

from __future__ import annotations

from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import (
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    check_value,
)


class OptimalRate(NamedTuple):
    """The best constant rate.

    Parameters
    ----------
    rate : float
        The rate.
    factor : float
        Factor by which a step multiplies the distance to the minimum in the worst direction.
    spread : float
        Largest eigenvalue over the smallest.

    Examples
    --------
    >>> from shallows.theory import optimal_rate
    >>> optimal_rate([[2.0]])
    OptimalRate(rate=0.25, factor=0.0, spread=1.0)
    """

    rate: float
    factor: float
    spread: float


def descent_path(R, v0, mu: float, n_steps: NonNegativeInt):
    r"""Return the exact path of gradient descent on the bowl :math:`v' R v`.

    Along eigenvector j with eigenvalue :math:`\lambda_j`,
    :math:`v_j(n) = (1 - 2 \mu \lambda_j)^n v_j(0)`.

    Parameters
    ----------
    R : array-like of shape (L, L)
        Symmetric matrix.
    v0 : array-like of shape (L,)
        Start, relative to the minimum.
    mu : float
        Rate; the path converges if 0 < mu < 1 / (largest eigenvalue).
    n_steps : int
        Number of steps.

    Returns
    -------
    path : ndarray of shape (n_steps + 1, L)
        Positions, from the start.

    Examples
    --------
    >>> from shallows.theory import descent_path
    >>> descent_path([[1, 0], [0, 0.5]], [1, 1], mu=0.5, n_steps=2)
    array([[1.  , 1.  ],
           [0.  , 0.5 ],
           [0.  , 0.25]])
    """
    eigenvalues, axes, parts = _normal_coordinates("descent_path", R, v0)
    check_value("descent_path", "n_steps", NonNegativeInt, n_steps)
    steps = np.arange(n_steps + 1)[:, None]
    return ((1 - 2 * mu * eigenvalues) ** steps * parts) @ axes.T


def descent_risk(R, v0, mu: float, n_steps: NonNegativeInt, r_min: NonNegativeFloat = 0.0):
    r"""Return the learning curve of gradient descent on a bowl.

    :math:`R(n) = R_{min} + \sum_j \lambda_j (1 - 2 \mu \lambda_j)^{2 n} v_j(0)^2`. This sum of
    decaying exponentials has straight sections of slope :math:`-1/\tau_j` in a log plot, see
    `time_constants`.

    Parameters
    ----------
    R : array-like of shape (L, L)
        Symmetric matrix.
    v0 : array-like of shape (L,)
        Start, relative to the minimum.
    mu : float
        Rate.
    n_steps : int
        Number of steps.
    r_min : float, default=0.0
        Risk at the minimum.

    Returns
    -------
    risk : ndarray of shape (n_steps + 1,)
        The risk, from the start.

    Examples
    --------
    >>> from shallows.theory import descent_risk
    >>> descent_risk([[1, 0], [0, 0.5]], [1, 1], mu=0.5, n_steps=2)
    array([1.5    , 0.125  , 0.03125])
    """
    eigenvalues, _, parts = _normal_coordinates("descent_risk", R, v0)
    check_value("descent_risk", "n_steps", NonNegativeInt, n_steps)
    check_value("descent_risk", "r_min", NonNegativeFloat, r_min)
    steps = np.arange(n_steps + 1)[:, None]
    return r_min + (1 - 2 * mu * eigenvalues) ** (2 * steps) @ (eigenvalues * parts**2)


def time_constants(R, mu: PositiveFloat):
    r"""Return after how many steps each mode of the risk has fallen to 1/e.

    :math:`\tau_j = -1 / (2 \ln |1 - 2 \mu \lambda_j|)`, about :math:`1 / (4 \mu \lambda_j)` for
    a small rate.

    Parameters
    ----------
    R : array-like of shape (L, L)
        Symmetric matrix with positive eigenvalues.
    mu : float
        Rate.

    Returns
    -------
    steps : ndarray of shape (L,)
        The slowest mode last. 0 for a mode that ends in one step, infinite for one that stays
        constant, negative for one that grows.

    Examples
    --------
    >>> from shallows.theory import time_constants
    >>> time_constants([[1, 0], [0, 0.1]], mu=0.01).round(1)
    array([ 24.7, 249.7])
    """
    check_value("time_constants", "mu", PositiveFloat, mu)
    eigenvalues = _eigenvalues("time_constants", R)[::-1]
    # A mode that ends in one step has the factor 0: log(0) gives the time constant 0.
    with np.errstate(divide="ignore"):
        return -0.5 / np.log(np.abs(1 - 2 * mu * eigenvalues))


def descent_regimes(R, mu: float) -> list[str]:
    r"""Name how each mode of gradient descent on a bowl behaves.

    Parameters
    ----------
    R : array-like of shape (L, L)
        Symmetric matrix with positive eigenvalues.
    mu : float
        Rate.

    Returns
    -------
    regimes : list of str
        Steepest mode first: ``"overdamped"`` below :math:`\mu = 1 / (2 \lambda_j)`,
        ``"one step"`` at it, ``"underdamped"`` up to :math:`1 / \lambda_j`, ``"marginal"`` at
        it and at 0, ``"unstable"`` elsewhere.

    Examples
    --------
    >>> from shallows.theory import descent_regimes
    >>> descent_regimes([[2, 0, 0], [0, 1, 0], [0, 0, 0.5]], mu=0.75)
    ['unstable', 'underdamped', 'overdamped']
    """
    # The error along an eigenvector is multiplied by 1 - 2 mu lambda per step.
    factors = 1 - 2 * mu * _eigenvalues("descent_regimes", R)[::-1]
    return [_regime(factor) for factor in factors]


def optimal_rate(R) -> OptimalRate:
    r"""Return the rate at which gradient descent on a bowl is fastest in the worst direction.

    :math:`\mu = 1 / (\lambda_{max} + \lambda_{min})`; each step then multiplies the distance by
    :math:`(s - 1) / (s + 1)` with the spread :math:`s = \lambda_{max} / \lambda_{min}`.

    Parameters
    ----------
    R : array-like of shape (L, L)
        Symmetric matrix with positive eigenvalues.

    Returns
    -------
    optimum : OptimalRate
        Rate, factor and spread.

    Examples
    --------
    >>> from shallows.theory import optimal_rate
    >>> optimal_rate([[3, 0], [0, 1]])
    OptimalRate(rate=0.25, factor=0.5, spread=3.0)
    """
    eigenvalues = _eigenvalues("optimal_rate", R)
    low, high = float(eigenvalues[0]), float(eigenvalues[-1])
    return OptimalRate(1 / (high + low), (high - low) / (high + low), high / low)


def misadjustment(mu: PositiveFloat, R, exact: bool = False) -> float:
    r"""Return the excess error of LMS in units of the smallest possible error.

    To first order in the rate :math:`M = \mu\, \mathrm{tr} R`, if a step adds :math:`2 \mu
    \epsilon x`. For independent Gaussian inputs the exact value is :math:`M = t / (1 - t)` with
    :math:`t = \sum_j \mu \lambda_j / (1 - 2 \mu \lambda_j)` [1]_.

    Parameters
    ----------
    mu : float
        Rate.
    R : array-like of shape (L, L)
        Correlation matrix of the inputs.
    exact : bool, default=False
        Whether to return the exact value for independent Gaussian inputs.

    Returns
    -------
    misadjustment : float
        Excess error over smallest error; infinite if LMS diverges.

    References
    ----------
    .. [1] A. Feuer and E. Weinstein, "Convergence analysis of LMS filters with uncorrelated
       Gaussian data", IEEE Transactions on Acoustics, Speech and Signal Processing 33, 222-230,
       1985.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.theory import misadjustment
    >>> round(misadjustment(0.01, np.eye(8)), 4), round(misadjustment(0.01, np.eye(8), True), 4)
    (0.08, 0.0889)
    """
    check_value("misadjustment", "mu", PositiveFloat, mu)
    eigenvalues = _eigenvalues("misadjustment", R)
    if not exact:
        return float(mu * eigenvalues.sum())
    if 2 * mu * eigenvalues[-1] >= 1:
        return np.inf
    # M = t / (1 - t), which is finite for t < 1 only.
    total = np.sum(mu * eigenvalues / (1 - 2 * mu * eigenvalues))
    return float(total / (1 - total)) if total < 1 else np.inf


def lms_step_bound(R) -> float:
    r"""Return a rate up to which LMS is surely stable, :math:`1 / (3\, \mathrm{tr} R)`.

    Parameters
    ----------
    R : array-like of shape (L, L)
        Correlation matrix of the inputs.

    Returns
    -------
    rate : float
        Sufficient, but not necessary, for a bounded mean squared error.

    Examples
    --------
    >>> from shallows.theory import lms_step_bound
    >>> lms_step_bound([[1, 0.5], [0.5, 1]]).round(4)
    np.float64(0.1667)
    """
    return 1 / (3 * _eigenvalues("lms_step_bound", R).sum())


def _regime(factor: float) -> str:
    # A negative factor overshoots the minimum: the mode oscillates.
    if abs(factor) < 1e-12:
        return "one step"
    if abs(abs(factor) - 1) < 1e-12:
        return "marginal"
    if abs(factor) > 1:
        return "unstable"
    return "overdamped" if factor > 0 else "underdamped"


def _symmetric(owner, R):
    R = np.asarray(R, dtype=float)
    square = R.ndim == 2 and R.shape[0] == R.shape[1] and R.size > 0
    if not square or not np.isfinite(R).all() or not np.allclose(R, R.T):
        raise ValueError(f"{owner}: R must be a finite symmetric matrix, got {short(R)}.")
    return R


def _eigenvalues(owner, R):
    """Return positive eigenvalues, ascending."""
    eigenvalues = np.linalg.eigvalsh(_symmetric(owner, R))
    if eigenvalues[0] <= 0:
        raise ValueError(
            f"{owner}: R must have positive eigenvalues, but the smallest is "
            f"{eigenvalues[0]:.3g}. Drop the directions without variance."
        )
    return eigenvalues


def _normal_coordinates(owner, R, v0):
    R, v0 = _symmetric(owner, R), np.asarray(v0, dtype=float)
    if v0.shape != (len(R),):
        raise ValueError(f"{owner}: v0 must have shape ({len(R)},), got {v0.shape}.")
    eigenvalues, axes = np.linalg.eigh(R)
    return eigenvalues, axes, axes.T @ v0
