"""How far a candidate is from the perceptron of optimal stability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_X_y

from shallows._core.contract.params import FiniteFloat, PositiveFloat, check_value
from shallows.descent._optimality import KuhnTucker
from shallows.descent._optimality import kuhn_tucker_residuals as residuals
from shallows.perceptron._finite_array import finite_array
from shallows.perceptron._storage import signs_of


@dataclass(frozen=True)
class DualityGap:
    """Values between which the optimum lies.

    Parameters
    ----------
    primal : float
        Cost of the weights; infinite if they break a condition of the hard problem.
    dual : float
        Value of the strengths, at most the cost of any weights; minus infinity if they are
        outside their bounds.

    Examples
    --------
    >>> from shallows.perceptron import DualityGap
    >>> DualityGap(2.0, 1.5).relative
    0.25
    """

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """Primal less dual value."""
        return self.primal - self.dual

    @property
    def relative(self) -> float:
        """The gap as a share of the primal value; 0 where there is none."""
        if self.gap == 0:
            return 0.0
        return self.gap / self.primal if np.isfinite(self.gap) and self.primal > 0 else np.inf


def kuhn_tucker_residuals(
    strengths,
    X,
    y,
    *,
    coef=None,
    intercept: float | None = None,
    C: PositiveFloat | None = None,
) -> KuhnTucker:
    r"""Check embedding strengths, and weights, against the conditions of optimal stability.

    With potentials :math:`E = S (w \cdot x + b)` they are :math:`w = \sum a S x`, with a
    threshold also :math:`\sum a S = 0`; :math:`E \geq 1 - \beta`, :math:`\beta \geq 0`;
    :math:`0 \leq a \leq C`; and that of each inequality or its multiplier one is zero, for the
    smallest possible slacks :math:`\beta = \max(0, 1 - E)`, which are zero in the hard problem.

    Parameters
    ----------
    strengths : array-like of shape (n_samples,)
        Embedding strengths :math:`a`.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    coef : array-like of shape (n_features,) or None, default=None
        Weights; None means the weights that follow from the strengths.
    intercept : float or None, default=None
        Threshold :math:`b`; None means a problem without threshold.
    C : float or None, default=None
        Bound of the strengths; None means the hard margin.

    Returns
    -------
    residuals : KuhnTucker
        Largest violations, by kind; all zero at the optimum and only there.

    Examples
    --------
    >>> from shallows.perceptron import kuhn_tucker_residuals
    >>> kuhn_tucker_residuals([0.25, 0], [[2, 0], [3, 0]], [1, 1]).largest
    0.0
    """
    a, folded, S, w = _candidate("kuhn_tucker_residuals", strengths, X, y, coef, intercept, C)
    potentials = folded @ w + S * (intercept or 0.0)
    jacobian = folded if intercept is None else np.column_stack([folded, S])
    gradient = w if intercept is None else np.append(w, 0.0)

    # Hard margin: minimise |w|^2 / 2 subject to S f(x) >= 1.
    if C is None:
        return residuals(
            gradient,
            inequalities=potentials - 1,
            inequality_jacobian=jacobian,
            multipliers=a,
        )

    # Soft margin: slacks are variables, too, whose multipliers are C - a.
    slacks = np.maximum(1 - potentials, 0.0)
    return residuals(
        gradient,
        inequalities=np.append(potentials - 1 + slacks, slacks),
        inequality_jacobian=np.vstack([jacobian, np.zeros_like(jacobian)]),
        multipliers=np.append(a, C - a),
    )


def duality_gap(
    strengths,
    X,
    y,
    *,
    coef=None,
    intercept: float | None = None,
    C: PositiveFloat | None = None,
) -> DualityGap:
    r"""Return primal and dual value of a candidate for the perceptron of optimal stability.

    The primal value is :math:`|w|^2 / 2 + C \sum \max(0, 1 - E)`, in the hard problem
    :math:`|w|^2 / 2` if all :math:`E \geq 1`; the dual value is
    :math:`\sum a - |\sum a S x|^2 / 2`.

    Parameters
    ----------
    strengths : array-like of shape (n_samples,)
        Embedding strengths :math:`a`.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,)
        Labels of two classes.
    coef : array-like of shape (n_features,) or None, default=None
        Weights; None means the weights that follow from the strengths.
    intercept : float or None, default=None
        Threshold; None means a problem without threshold. With a threshold the strengths of the
        two classes must have equal sums, to 1e-9 of their total.
    C : float or None, default=None
        Bound of the strengths; None means the hard margin.

    Returns
    -------
    gap : DualityGap
        The optimum lies between its two values.

    Examples
    --------
    >>> from shallows.perceptron import duality_gap
    >>> duality_gap([0.25, 0], [[2, 0], [3, 0]], [1, 1])
    DualityGap(primal=0.125, dual=0.125)
    """
    a, folded, S, w = _candidate("duality_gap", strengths, X, y, coef, intercept, C)
    potentials = folded @ w + S * (intercept or 0.0)
    own = a @ folded
    dual = float(a.sum() - own @ own / 2)
    if intercept is not None and abs(a @ S) > 1e-9 * a.sum():
        dual = -np.inf
    if (a < 0).any() or (C is not None and (a > C).any()):
        dual = -np.inf
    if C is None:
        primal = w @ w / 2 if potentials.min() >= 1 - 1e-9 else np.inf
    else:
        primal = w @ w / 2 + C * np.maximum(1 - potentials, 0.0).sum()
    return DualityGap(float(primal), dual)


def _candidate(owner, strengths, X, y, coef, intercept, C):
    check_value(owner, "C", PositiveFloat | None, C)
    check_value(owner, "intercept", FiniteFloat | None, intercept)
    X, y = check_X_y(X, y, dtype=float)
    S = signs_of(owner, y)
    a = finite_array(owner, "strengths", strengths, len(S))
    folded = X * S[:, None]
    w = a @ folded if coef is None else finite_array(owner, "coef", coef, X.shape[1])
    return a, folded, S, w
