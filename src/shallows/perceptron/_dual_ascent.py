"""Dual coordinate ascent for perceptrons of optimal stability, with shrinking.

For inputs x and labels S = +-1 the dual problem is to maximise
``sum(a) - |w|^2 / 2`` with ``w = sum(a S x)`` and ``0 <= a <= cap``. One step sets one
strength ``a`` to its best value while all others rest.

A threshold is treated in one of three ways. "none": there is none. "clamped": it is the weight
of a constant input, hence part of ``|w|``. "exact": it is free, which in the dual demands
``sum(a S) = 0``; the constraint is met by the method of multipliers, whose multiplier is the
threshold. That problem does not change when the inputs are shifted, so they are centred,
implicitly: sparse rows stay sparse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import csr_matrix, issparse

from shallows._core.numerics.csr import CsrRows
from shallows.perceptron._dual_sweeps import Dual, Samples, csr_sweep, dense_sweep
from shallows.perceptron._order import shuffle
from shallows.perceptron._parallel import (
    balanced_parallel_sweep,
    largest_eigenvalue,
    parallel_sweep,
)
from shallows.perceptron._smoothing import smoothed_solution

LEAPS_ALWAYS_PAY_BELOW = 2**21  # cube of the number of samples, the work of solving for them
SMOOTHING_PAYS_UP_TO = 300  # features; its steps solve for all of them at once
SAMPLES_PER_FEATURE = 8  # with fewer, too few lie where the smoothed cost is curved
RIDGE = 1e-10
SMALLEST_STABILITY = 1e-7  # as a share of the longest input


@dataclass(frozen=True)
class Solution:
    """Weights, threshold and strengths with ``coef = sum(strengths * S * x)``, and their worth.

    `primal` and `dual` bracket the optimal value; in the hard problem both are those of the
    best multiple of the strengths.
    """

    coef: np.ndarray
    intercept: float
    strengths: np.ndarray
    stability: float
    primal: float
    dual: float

    @property
    def gap(self):
        """Share of the primal value that may still be gained."""
        if self.primal == 0:
            return 0.0
        return 1 - self.dual / self.primal if np.isfinite(self.primal) else 1.0


class DualAscent:
    """State of one two-class problem.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Inputs.
    S : ndarray of shape (n_samples,)
        Labels -1.0, +1.0.
    caps : ndarray of shape (n_samples,)
        Largest strength of each sample; all infinite in the hard problem.
    threshold : {"none", "clamped", "exact"}
        See the module's docstring.
    clamp : float
        Value of the constant input of the clamped problem.
    """

    def __init__(
        self, X, S, caps, threshold: Literal["none", "clamped", "exact"] = "none", clamp=1.0
    ):
        self.X, self.S, self.caps, self.threshold = X, S, caps, threshold
        n_samples, n_features = X.shape
        self.squares = _squared_lengths(X)
        self.mean, self.along_mean = np.zeros(n_features), np.zeros(n_samples)
        self.constants = np.array([0.0, clamp**2 if threshold == "clamped" else 0.0])
        if threshold == "exact":
            self._centre()
        self.squares = self.squares + self.constants[1]
        self.strengths, self.weights = np.zeros(n_samples), np.zeros(n_features)
        self.sums = np.zeros(3)
        self.order, self.n_active = np.arange(n_samples), n_samples
        self.limits = np.array([-np.inf, np.inf])
        self.dual, self.gap, self.stability, self.n_sweeps = 0.0, 1.0, 0.0, 0
        self.found: Solution | None = None
        self.curvature: float | None = None

    def advance_in_parallel(self, rate=1.0):
        """Move all strengths at once, by `rate` over the largest curvature along the gradient."""
        # A step of 1 / (largest curvature) along the gradient never overshoots.
        exact = self.threshold == "exact"
        if self.curvature is None:
            clamp = 0.0 if exact else np.sqrt(self.constants[1])
            self.curvature = largest_eigenvalue(self.X, self.mean, clamp) or 1.0

        # Gradient of the dual, S f(x) - 1; the threshold's multiplier is found with the step.
        coef, intercept = self.plane()
        intercept -= self.sums[2]
        slopes = self.S * (np.asarray(self.X @ coef, dtype=np.float64) + intercept) - 1
        task = self.caps, rate / self.curvature, self.strengths

        # Project onto the box, or onto the box and the balance sum(a S) = 0.
        if exact:
            task = slopes, self.S, *task
            self.strengths, self.sums[2] = balanced_parallel_sweep(*task)
        else:
            self.strengths = parallel_sweep(slopes, *task)
        self._sum_up()
        self.found = self._solution()
        self.dual, self.gap = self.found.dual, self.found.gap
        self.stability = self.found.stability

    def advance(self, rng, rate=1.0, tol=0.0, *, measure=False):
        """Sweep once; measure gap and stability if asked to, or if the gap seems within `tol`.

        If a number of sweeps has not been enough for a `tol` above zero, smoothing helps once.
        """
        estimate = self.smooth(tol) if tol > 0 and self.n_sweeps == self._patience else 1.0
        if estimate > tol:
            estimate = self.sweep(rng, rate)
            self.leap()
        self.n_sweeps += 1
        self.found = self._solution() if measure or estimate <= tol else None
        if self.found:
            self.gap, self.stability = self.found.gap, self.found.stability
        if estimate <= tol < self.gap:
            self.activate_all()

    def smooth(self, tol):
        """Take the strengths of a smoothed problem if they are better; return their gap.

        This pays with many samples and few features: sweeps then have to move many strengths
        that hold one another, the longer the larger the caps.
        """
        clamp2 = self.constants[1]
        price = {"none": None, "clamped": 1 / clamp2 if clamp2 else None, "exact": 0.0}
        found = smoothed_solution(self.X, self.S, self.caps, price[self.threshold], tol)
        if found is None or found.dual <= self.dual:
            return 1.0
        self.strengths, self.dual = found.strengths, found.dual
        self._sum_up()
        if self.threshold == "exact":
            _, without = self.plane()
            self.sums[2] += found.plane[-1] - without
        self.activate_all()
        return found.gap

    def sweep(self, rng, rate=1.0):
        """Visit the active samples once in random order; return an estimate of the gap."""
        active = self.order[: self.n_active]
        shuffle(active, rng)
        samples = Samples(self.S, self.caps, self.squares, self.along_mean, self.constants)
        dual = Dual(self.strengths, self.weights, self.sums, self.limits)
        sweep, rows = dense_sweep, self.X
        if issparse(self.X):
            sweep, rows = csr_sweep, CsrRows.of(self.X)
        self.n_active, excess, lowest, length2 = sweep(rows, samples, active, rate, dual)
        if self.threshold == "exact":
            self.sums[2] += self.constants[1] * self.sums[0]
        return self._estimate(excess, lowest, length2)

    def leap(self):
        """Move all strengths strictly between their bounds towards their common best values.

        These make all potentials 1, as an Adaline on these samples does. The move ends where
        the first strength meets a bound, so that the dual value can only rise.
        """
        free = np.flatnonzero((self.strengths > 0) & (self.strengths < self.caps))
        if not 0 < len(free) ** 3 <= max(self.X.size, LEAPS_ALWAYS_PAY_BELOW):
            return

        # Solve for the strengths at which all these potentials are 1.
        rows, S = self.X[free].astype(np.float64), self.S[free]
        coef, intercept = self.plane()
        try:
            factor = cho_factor(self._gram(free, rows), check_finite=False)
        except LinAlgError:  # rounding leaves no direction to trust
            return
        change, shift = cho_solve(factor, 1 - S * (rows @ coef + intercept)), 0.0

        # Balance: shift by the threshold that keeps sum(a S) = 0.
        if self.threshold == "exact":
            balance = cho_solve(factor, S)
            shift = (S @ change + self.sums[0]) / (S @ balance)
            change -= shift * balance

        old, caps = self.strengths[free], self.caps[free]
        room = np.where(change > 0, caps - old, old)
        beyond = np.abs(change) > room
        share = float(np.min(room[beyond] / np.abs(change[beyond]), initial=1.0))
        new = np.clip(old + share * change, 0.0, caps)
        met = room <= share * np.abs(change) * (1 + 1e-12)  # rounding must not keep them off it
        new[met] = np.where(change[met] > 0, caps[met], 0.0)
        signed = (new - old) * S
        constant = self.sums[2] + self.constants[1] * self.sums[0] + share * shift
        self.strengths[free] = new
        self.weights += signed @ rows
        self.sums[:2] += signed.sum(), signed @ self.along_mean[free]
        if self.threshold == "exact":
            self.sums[2] = constant - self.constants[1] * self.sums[0]

    @property
    def _patience(self):
        """Sweeps that cost about as much as smoothing, or -1 where this is not worth while."""
        n_samples, n_features = self.X.shape
        many = n_samples >= SAMPLES_PER_FEATURE * n_features
        pays = many and n_features <= SMOOTHING_PAYS_UP_TO and np.isfinite(self.caps[0])
        return 10 + n_features // 8 if pays else -1

    @property
    def hopeless(self):
        """Whether the hard problem has no solution: no margin is left that rounding can't hide."""
        if np.isfinite(self.caps[0]):
            return False
        smallest = SMALLEST_STABILITY**2 * self.squares.max(initial=0.0)
        return bool(2 * self.dual * smallest > 1)

    def activate_all(self):
        """Undo the shrinking."""
        self.n_active, self.limits[:] = len(self.order), (-np.inf, np.inf)

    def plane(self):
        """Return weights and threshold as they are."""
        total, _, multiplier = self.sums
        coef = self.weights - total * self.mean
        return coef, float(multiplier + total * self.constants[1] - _dot(coef, self.mean))

    def solution(self):
        """Return the present solution with its exact gap, which may cost a pass over the data."""
        return self.found or self._solution()

    def _solution(self):
        strengths, coef = self.strengths.copy(), self.weights.copy()
        if self.threshold == "exact":
            strengths = self._balanced()
            coef = np.asarray((strengths * self.S) @ self.X, dtype=np.float64)
        fields = np.asarray(self.X @ coef, dtype=np.float64)
        intercept = self._intercept(coef, fields)
        potentials = self.S * (fields + intercept)
        length2 = _dot(coef, coef)
        stability = potentials.min() / np.sqrt(length2) if length2 > 0 else 0.0
        if self.threshold == "clamped":
            length2 += intercept**2 / self.constants[1]
        values = _values(strengths, self.caps, potentials, length2)
        return Solution(coef, intercept, strengths, float(stability), *values)

    def _sum_up(self):
        """Set weights and sums as the strengths have them."""
        signed = self.strengths * self.S
        self.weights = np.asarray(signed @ self.X, dtype=np.float64)
        self.sums[:2] = signed.sum(), signed @ self.along_mean

    def _centre(self):
        """Move the origin to the mean; a clamp as large as the data makes rounds converge."""
        self.mean = np.asarray(self.X.mean(axis=0), dtype=np.float64).ravel()
        self.along_mean = np.asarray(self.X @ self.mean, dtype=np.float64)
        mean2 = _dot(self.mean, self.mean)
        self.squares = np.maximum(self.squares - 2 * self.along_mean + mean2, 0.0)
        self.constants[:] = mean2, self.squares.mean() or 1.0

    def _gram(self, chosen, rows):
        """Return scalar products of labelled rows; a small ridge makes the matrix regular."""
        gram = rows @ rows.T
        gram = gram.toarray() if issparse(gram) else gram
        mean2, clamp2 = self.constants
        along = self.along_mean[chosen]
        gram += mean2 - along[:, None] - along
        if self.threshold == "clamped":
            gram += clamp2
        gram *= np.outer(self.S[chosen], self.S[chosen])
        gram[np.diag_indices_from(gram)] += RIDGE * (gram.diagonal().mean() or 1.0)
        return gram

    def _estimate(self, excess, lowest, length2):
        """Return the relative gap from potentials seen in passing.

        Samples at rest contribute nothing as long as they rest for good reason.
        """
        total, along, _ = self.sums
        mean2, clamp2 = self.constants
        length2 += total * (total * mean2 - 2 * along)
        if self.threshold == "clamped":
            length2 += total**2 * clamp2
        demand = self.strengths.sum()
        self.dual = float(demand - length2 / 2)
        if np.isfinite(self.caps[0]):
            primal = self.dual + excess
            return excess / primal if primal > 0 else 1.0
        return 1 - (lowest * demand / length2) ** 2 if lowest > 0 and length2 > 0 else 1.0

    def _balanced(self):
        """Return strengths whose sums over the two classes agree.

        The heavier class gives way, its strengths at the upper bound only if they must.
        """
        # Scale the strengths of the heavier class down by what they are too large together.
        excess = float(self.strengths @ self.S)
        heavier = self.S * excess > 0
        free = heavier & (self.strengths < self.caps)
        giving = free if self.strengths[free].sum() >= abs(excess) else heavier
        balanced = self.strengths.copy()
        if excess != 0:
            balanced[giving] *= 1 - abs(excess) / balanced[giving].sum()
        return balanced

    def _intercept(self, coef, fields):
        """Return the threshold that belongs to the weights; in the hard problem the best one."""
        if self.threshold == "none":
            return 0.0
        if self.threshold == "clamped":
            return float(self.constants[1] * self.sums[0])
        if np.isinf(self.caps[0]):
            positive = self.S > 0
            if positive.all() or not positive.any():
                return float(self.S[0])
            return float(-(fields[positive].min() + fields[~positive].max()) / 2)
        return float(self.sums[2] - _dot(coef, self.mean))


def _values(strengths, caps, potentials, length2):
    """Return the primal and the dual value."""
    total = strengths.sum()
    if np.isfinite(caps[0]):
        slacks = np.maximum(1 - potentials, 0.0)
        return float(length2 / 2 + _dot(caps, slacks)), float(total - length2 / 2)
    lowest = potentials.min()
    primal = length2 / (2 * lowest**2) if lowest > 0 else np.inf
    return float(primal), float(total**2 / (2 * length2) if length2 > 0 else 0.0)


def _dot(a, b):
    """Return the scalar product without waking the threads of BLAS, which spin on afterwards."""
    return np.einsum("i,i->", a, b)


def _squared_lengths(X):
    if issparse(X):
        squares = csr_matrix((X.data.astype(np.float64) ** 2, X.indices, X.indptr), X.shape)
        return squares @ np.ones(X.shape[1])
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)
