"""Kuhn-Tucker conditions, and the dual of a convex quadratic problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

Array = NDArray[np.floating[Any]]

INFEASIBLE = 1e-12  # squared inverse length of a solution; below, rounding hides infeasibility


@dataclass(frozen=True)
class KuhnTucker:
    """Violation of each Kuhn-Tucker condition by a candidate, in the maximum norm.

    Attributes
    ----------
    stationarity : float
        Size of the gradient of the Lagrangian.
    feasibility : float
        Largest violation of a constraint.
    sign : float
        Absolute value of the most negative multiplier of an inequality.
    complementarity : float
        Largest product of an inequality with its multiplier.
    """

    stationarity: float
    feasibility: float
    sign: float
    complementarity: float

    @property
    def largest(self) -> float:
        """The largest of the four; for a convex problem it is near 0 only at a minimum."""
        return max(self.stationarity, self.feasibility, self.sign, self.complementarity)


def kuhn_tucker_residuals(
    gradient: Array,
    *,
    inequalities: Array | None = None,
    inequality_jacobian: Array | None = None,
    multipliers: Array | None = None,
    equalities: Array | None = None,
    equality_jacobian: Array | None = None,
    equality_multipliers: Array | None = None,
) -> KuhnTucker:
    """Check the Kuhn-Tucker conditions for a minimum of f(x) with g(x) >= 0 and h(x) = 0.

    With the Lagrangian L = f - lambda.g - mu.h the conditions are grad L = 0, g >= 0, h = 0,
    lambda >= 0 and lambda_i g_i = 0. All arguments are values at the candidate. Omit the three
    arguments of a kind of constraint that the problem does not have.

    Parameters
    ----------
    gradient : array of floats, shape (n,)
        Gradient of f.
    inequalities : array of floats, shape (p,)
        Values g.
    inequality_jacobian : array of floats, shape (p, n)
        Row i is the gradient of g_i.
    multipliers : array of floats, shape (p,)
        Multipliers lambda.
    equalities : array of floats, shape (q,)
        Values h.
    equality_jacobian : array of floats, shape (q, n)
        Row j is the gradient of h_j.
    equality_multipliers : array of floats, shape (q,)
        Multipliers mu, of any sign.

    Returns
    -------
    KuhnTucker
        Four residuals, all 0 at the exact solution.

    Examples
    --------
    Minimise x^2 with x - 1 >= 0: x = 1 with multiplier 2.

    >>> kuhn_tucker_residuals(
    ...     np.array([2.0]),
    ...     inequalities=np.array([0.0]),
    ...     inequality_jacobian=np.array([[1.0]]),
    ...     multipliers=np.array([2.0]),
    ... ).largest
    0.0
    """
    slope = _finite("gradient", gradient).copy()
    feasibility = sign = complementarity = 0.0
    inequality = (inequalities, inequality_jacobian, multipliers)
    if _complete("inequalities", inequality):
        values, jacobian, weights = _checked("inequalities", inequality, slope.size)
        slope -= jacobian.T @ weights
        feasibility = _worst(-values)
        sign = _worst(-weights)
        complementarity = _worst(np.abs(values * weights))
    equality = (equalities, equality_jacobian, equality_multipliers)
    if _complete("equalities", equality):
        values, jacobian, weights = _checked("equalities", equality, slope.size)
        slope -= jacobian.T @ weights
        feasibility = max(feasibility, _worst(np.abs(values)))
    return KuhnTucker(_worst(np.abs(slope)), feasibility, sign, complementarity)


@dataclass(frozen=True)
class WolfeDual:
    """Solution of a convex quadratic problem and of its dual.

    Attributes
    ----------
    x : array
        Solution of the primal problem; here it equals the multipliers.
    multipliers : array
        Solution of the dual problem.
    primal, dual : float
        The two optimal values.
    gap : float
        Primal minus dual value, 0 up to rounding.
    """

    x: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    primal: float
    dual: float
    gap: float


def primal_value(C: Array, x: Array) -> float:
    """Primal cost x'Cx / 2.

    Parameters
    ----------
    C : array of floats, shape (n, n)
        Positive semi-definite matrix.
    x : array of floats, shape (n,)
        A point; feasible if C x >= b.

    Returns
    -------
    float
        Cost to be minimised.

    Examples
    --------
    >>> primal_value(np.eye(2), np.array([1.0, 1.0]))
    1.0
    """
    return float(x @ C @ x) / 2


def dual_value(C: Array, b: Array, multipliers: Array) -> float:
    """Dual value -l'Cl / 2 + l'b, at most the primal cost of any feasible point.

    Parameters
    ----------
    C : array of floats, shape (n, n)
        Positive semi-definite matrix.
    b : array of floats, shape (n,)
        Right sides of the constraints C x >= b.
    multipliers : array of floats, shape (n,)
        Non-negative multipliers l.

    Returns
    -------
    float
        Value to be maximised.

    Examples
    --------
    >>> dual_value(np.eye(2), np.ones(2), np.array([1.0, 1.0]))
    1.0
    """
    return float(multipliers @ b) - primal_value(C, multipliers)


def wolfe_dual(C: Array, b: Array) -> WolfeDual:
    """Solve min x'Cx / 2 with C x >= b, and its dual max -l'Cl / 2 + l'b with l >= 0.

    With C = R'R the primal problem asks for the shortest u = R x with R'u >= b. This is least
    distance programming: a non-negative least-squares problem, which an active set method solves
    in finitely many steps. C may be singular.

    Parameters
    ----------
    C : array of floats, shape (n, n)
        Symmetric positive semi-definite matrix.
    b : array of floats, shape (n,)
        Right sides of the constraints.

    Returns
    -------
    WolfeDual
        Both solutions, both values and the gap between them.

    Raises
    ------
    ValueError
        If no x satisfies the constraints, or only one of huge length.

    References
    ----------
    Wolfe, A duality theorem for non-linear programming, 1961. Lawson and Hanson, Solving
    least squares problems, 1974, chapter 23.

    Examples
    --------
    >>> solution = wolfe_dual(np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones(2))
    >>> solution.multipliers.round(6), round(solution.primal, 6), abs(solution.gap) < 1e-12
    (array([0.333333, 0.333333]), 0.333333, True)
    """
    C, b = np.asarray(C, dtype=np.float64), np.asarray(b, dtype=np.float64)
    eigenvalues, vectors = linalg.eigh(C)
    kept = eigenvalues > len(C) * np.finfo(np.float64).eps * np.abs(eigenvalues).max()
    root = np.sqrt(eigenvalues[kept])[:, None] * vectors[:, kept].T
    # The solution is proportional to b; a length of order 1 keeps the test below sharp.
    size = np.abs(b).max() / np.abs(root).max() if b.any() and kept.any() else 1.0

    # Least distance: the residual of the non-negative fit to (0, ..., 0, 1) gives the solution.
    target = np.append(np.zeros(len(root)), 1.0)
    weights, _ = optimize.nnls(np.vstack([root, b / size]), target)
    slack = 1 - b @ weights / size
    if slack < INFEASIBLE:
        raise ValueError(
            "wolfe_dual: no x with C x >= b was found; the constraints contradict each other. "
            "Check b, or add a multiple of the identity to C for a soft version."
        )
    multipliers = weights * (size / slack)
    primal, dual = primal_value(C, multipliers), dual_value(C, b, multipliers)
    return WolfeDual(multipliers.copy(), multipliers, primal, dual, primal - dual)


def _complete(name: str, parts: tuple[Array | None, ...]) -> bool:
    given = [part is not None for part in parts]
    if any(given) and not all(given):
        raise ValueError(f"kuhn_tucker_residuals: {name} need values, jacobian and multipliers.")
    return all(given)


def _checked(name: str, parts: tuple[Array | None, ...], n: int) -> tuple[NDArray[np.float64], ...]:
    """Return finite values, jacobian and multipliers whose shapes agree."""
    values, jacobian, weights = (_finite(name, part) for part in parts)
    shapes = values.shape, jacobian.shape, weights.shape
    if values.ndim != 1 or shapes != ((len(values),), (len(values), n), (len(values),)):
        raise ValueError(
            f"kuhn_tucker_residuals: {name} must have values of shape (p,), a jacobian of shape "
            f"(p, {n}) and multipliers of shape (p,), got {', '.join(map(str, shapes))}."
        )
    return values, jacobian, weights


def _finite(name: str, part: Array | None) -> NDArray[np.float64]:
    values = np.asarray(part, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError(
            f"kuhn_tucker_residuals: {name} must be finite, got NaN or infinity. Check how the "
            "candidate was computed."
        )
    return values


def _worst(violations: Array) -> float:
    return max(0.0, float(violations.max(initial=0.0)))
