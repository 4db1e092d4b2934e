"""Sequential minimal optimisation by working sets, for classification and regression alike.

The problem in signed coefficients b is to maximise
``t'b - epsilon |b|_1 - b'Kb / 2`` with ``sum(b) = 0`` and ``low <= b <= high``.
For classification t holds the labels -1, +1, a coefficient has the sign of its label, and epsilon
is 0; for regression t holds the targets. With the fields ``F = K b``, a coefficient may rise if
``rise = t - F -+ epsilon`` is large, and fall if the like number ``fall`` is small. At the optimum
no ``rise`` exceeds a ``fall``.

One step takes the members that violate this most, gets their kernel rows in one matrix product,
and solves the small problem between them by pairs: the first of a pair has the largest ``rise``,
the second gains most to second order (Fan, Chen and Lin 2005). Members held at a bound by a wide
margin are retired until the rest has converged (shrinking).
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled

WORKING_SET = 512
SMALL_PROBLEM = 1024  # members up to which all make up the one working set
SET_TOLERANCE = 0.03  # of the violation that a working set starts with
CURVATURE_FLOOR = 1e-12
STEPS_BETWEEN_SHRINKS = 4


class Problem:
    """One problem between some of the points, and its solution so far.

    Parameters
    ----------
    points : Points
        Points of the fit.
    members : ndarray of shape (n_members,)
        Numbers of the points that take part.
    targets, low, high : ndarray of shape (n_members,)
        t and the bounds of b.
    epsilon : float
        Half the width of the insensitive tube; 0 for classification.
    tol : float
        Largest violation of optimality that is accepted.
    shrinking : bool
        Whether members at a bound may be retired meanwhile.
    start : ndarray of shape (n_members,) or None
        First coefficients, within the bounds and with sum 0.
    open_rows : callable
        Takes the least number of rows to hold and returns the rows of the members, such as
        `CachedRows`. They are opened at the first step and let go by `close`.
    """

    def __init__(
        self, points, members, targets, low, high, epsilon, tol, shrinking, start, open_rows
    ):
        self.points, self.members, self.targets = points, members, targets
        self.low, self.high, self.epsilon, self.tol = low, high, float(epsilon), tol
        self.set_size = working_set_size(len(members))
        self.shrinking, self.open_rows, self.rows = shrinking, open_rows, None
        self.coef, self.fields, self.dual = np.zeros(len(members)), np.zeros(len(members)), 0.0
        if start is not None:
            self.coef = start.copy()
            self.fields = self._exact_fields()
            self.dual = float((self.targets - self.fields / 2) @ self.coef)
            self.dual -= self.epsilon * float(np.abs(self.coef).sum())
        self.last_set = np.empty(0, dtype=np.int64)
        self.active = np.arange(len(members))
        self.violation, self.converged, self.n_pairs, self.n_steps = np.inf, False, 0, 0
        self.intercept = 0.0

    def step(self):
        """Improve one working set; sets `converged` when nothing violates optimality."""
        if self.rows is None:
            self.rows = self.open_rows(self.set_size)
        rise, fall = self._slopes()
        optimal = self._is_optimal(rise, fall)
        if not optimal:
            if self._may_shrink():
                rise, fall = self._shrink(rise, fall)
            self._improve(self._working_set(rise, fall))
            optimal = self._is_optimal(*self._slopes())
            if optimal and len(self.active) < len(self.members):
                self._reactivate()
                optimal = self._is_optimal(*self._slopes())
        self.n_steps += 1
        self.converged, self.intercept = optimal, self._offset()

    def gap(self, primal_loss):
        """Return primal less dual value; `primal_loss` maps decision values to the summed loss."""
        square = float(self.coef @ self.fields)
        return square / 2 + primal_loss(self.fields + self.intercept) - self.dual

    def solve(self, max_steps):
        """Step until converged."""
        while not self.converged and self.n_steps < max_steps:
            self.step()
        self.close()
        return self

    def close(self):
        """Let the kernel rows go."""
        self.rows = None

    def _offset(self):
        """Return b of f(x) = sum(coef k) + b: the mean over free members, else mid-way."""
        free = (self.coef > self.low) & (self.coef < self.high) & (self.coef != 0)
        if free.any():
            residual = (self.targets - self.fields)[free]
            if self.epsilon:
                residual -= self.epsilon * np.sign(self.coef[free])
            return float(residual.sum() / len(residual))
        rise, fall = self._slopes(everyone=True)
        return float((rise.max() + fall.min()) / 2)

    def _slopes(self, everyone=False):
        """Return `rise` and `fall` of the active members, infinite where a bound forbids."""
        who = slice(None) if everyone or len(self.active) == len(self.members) else self.active
        coef, residual = self.coef[who], self.targets[who] - self.fields[who]
        rise, fall = residual, residual.copy()
        if self.epsilon:
            rise = residual - np.where(coef >= 0, self.epsilon, -self.epsilon)
            fall = residual - np.where(coef > 0, self.epsilon, -self.epsilon)
        rise[coef >= self.high[who]] = -np.inf
        fall[coef <= self.low[who]] = np.inf
        return rise, fall

    def _is_optimal(self, rise, fall):
        self.violation = float(rise.max() - fall.min())
        return self.violation <= self.tol

    def _working_set(self, rise, fall):
        """Return positions of the worst violators, and half of the last set if it was large."""
        size = min(self.set_size, len(self.active))
        if size == len(self.active):
            return np.arange(size)
        chosen = np.zeros(len(self.active), dtype=bool)
        half = size // 4 if len(self.last_set) else size // 2
        chosen[np.argpartition(-rise, half)[:half]] = True
        chosen[np.argpartition(fall, half)[:half]] = True
        if len(self.last_set):
            free = self.last_set[~chosen[self.last_set]]
            room = size - np.count_nonzero(chosen)
            chosen[free[:room]] = True
        return np.flatnonzero(chosen)

    def _improve(self, positions):
        gram = self.rows.square(positions)
        who = self.active[positions]
        before = self.coef[who]
        coef, fields = before.copy(), self.fields[who]
        limit = (
            max(self.tol, SET_TOLERANCE * self.violation)
            if len(who) < len(self.active)
            else self.tol
        )
        bounds = self.low[who], self.high[who]
        gain, pairs = solve_pairs(
            gram, self.targets[who], *bounds, self.epsilon, limit, 100 * len(who), coef, fields
        )
        self.dual, self.n_pairs = self.dual + gain, self.n_pairs + pairs
        self.coef[who] = coef
        if len(who) == len(self.active):
            self.fields[who] = fields
        else:
            moved = np.flatnonzero(coef != before)
            self._add(positions[moved], (coef - before)[moved])
        if len(who) < len(self.members):
            self.last_set = positions[np.argsort(-np.abs(coef - before), kind="stable")]

    def _add(self, positions, steps):
        if len(self.active) == len(self.members):
            self.rows.add(self.fields, positions, steps)
            return
        fields = self.fields[self.active]
        self.rows.add(fields, positions, steps)
        self.fields[self.active] = fields

    def _may_shrink(self):
        due = self.n_steps % STEPS_BETWEEN_SHRINKS == STEPS_BETWEEN_SHRINKS - 1
        return due and self.shrinking and self.rows.shrinks

    def _shrink(self, rise, fall):
        """Retire members that no pair would choose."""
        kept = np.flatnonzero((rise >= fall.min()) | (fall <= rise.max()))
        if len(kept) > 0.8 * len(self.active) or len(kept) < 2:
            return rise, fall
        place = np.full(len(self.active), -1)
        place[kept] = np.arange(len(kept))
        self.last_set = place[self.last_set]
        self.last_set = self.last_set[self.last_set >= 0]
        self.rows.retire(kept)
        self.active = self.active[kept]
        return rise[kept], fall[kept]

    def _reactivate(self):
        """Take everyone back in, with fields computed afresh."""
        self.fields = self._exact_fields()
        self.last_set = self.active[self.last_set]
        self.active = np.arange(len(self.members))
        self.rows.reset()

    def _exact_fields(self):
        coefficients = np.zeros(len(self.points.diagonal))
        coefficients[self.members] = self.coef
        return self.points.products(coefficients, self.members)


def working_set_size(n_members):
    """Return how many members one step improves, whose kernel rows it needs at once."""
    return WORKING_SET if n_members > SMALL_PROBLEM else n_members


def feasible_start(coef, low, high):
    """Return coefficients within the bounds and with sum 0, close to the given ones."""
    coef = np.clip(coef, low, high)
    above, below = coef[coef > 0].sum(), -coef[coef < 0].sum()
    least = min(above, below)
    if least == 0.0:
        return np.zeros_like(coef)
    return coef * np.where(coef > 0, least / above, least / below)


@compiled
def solve_pairs(gram, targets, low, high, epsilon, tol, max_pairs, coef, fields):
    """Improve pairs until none violates optimality by more than `tol`.

    Changes `coef` and `fields` in place. Returns the gain of the dual value and the number of
    pairs.
    """
    n = len(coef)
    rise, fall = np.empty(n), np.empty(n)

    # How much each coefficient would gain by rising or falling, infinite where a bound forbids.
    for k in range(n):
        residual = targets[k] - fields[k]
        rise[k] = residual - (epsilon if coef[k] >= 0.0 else -epsilon)
        fall[k] = residual - (epsilon if coef[k] > 0.0 else -epsilon)
        if coef[k] >= high[k]:
            rise[k] = -np.inf
        if coef[k] <= low[k]:
            fall[k] = np.inf
    total = 0.0
    for pair in range(max_pairs):
        # The first of the pair has the largest rise; done when no rise exceeds a fall by `tol`.
        i, best_rise, least_fall = 0, -np.inf, np.inf
        for k in range(n):
            if rise[k] > best_rise:
                best_rise, i = rise[k], k
            least_fall = min(least_fall, fall[k])
        if best_rise - least_fall <= tol:
            return total, pair

        # The second gains most to second order: slope^2 / (K_ii + K_kk - 2 K_ik).
        j, best_gain, curvature = -1, -1.0, 1.0
        for k in range(n):
            slope = best_rise - fall[k]
            if slope > 0.0:
                bend = max(gram[i, i] + gram[k, k] - 2.0 * gram[i, k], CURVATURE_FLOOR)
                if slope * slope > best_gain * bend:
                    best_gain, j, curvature = slope * slope / bend, k, bend

        # Newton's step of the pair, no farther than to a bound or to zero, where epsilon |b| bends.
        top = high[i] if coef[i] >= 0.0 else min(0.0, high[i])
        bottom = low[j] if coef[j] <= 0.0 else max(0.0, low[j])
        slope = best_rise - fall[j]
        room_i, room_j = top - coef[i], coef[j] - bottom
        step = min(slope / curvature, room_i, room_j)
        total += step * (slope - 0.5 * step * curvature)
        coef[i] = top if step == room_i else coef[i] + step
        coef[j] = bottom if step == room_j else coef[j] - step

        # Fields and slopes follow; those of the pair anew, for signs and bounds may have changed.
        for k in range(n):
            change = step * (gram[i, k] - gram[j, k])
            fields[k] += change
            rise[k] -= change
            fall[k] -= change
        for k in (i, j):
            residual = targets[k] - fields[k]
            rise[k] = residual - (epsilon if coef[k] >= 0.0 else -epsilon)
            fall[k] = residual - (epsilon if coef[k] > 0.0 else -epsilon)
            if coef[k] >= high[k]:
                rise[k] = -np.inf
            if coef[k] <= low[k]:
                fall[k] = np.inf
    return total, max_pairs
