"""Squared errors with absolute weights, one coordinate after the other."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled


@compiled
def descend(square, inner, strength, tol, coef, costs):
    r"""Minimise :math:`w' A w / 2 - b \cdot w + a \sum_j |w_j|` over `coef`, in place.

    `square` is A, `inner` b. The cost after each sweep over the coordinates is written to `costs`,
    which bounds their number. Returns how many there were, and the largest violation of the
    conditions of optimality that is left.
    """
    slope, worst = np.empty(len(coef)), np.inf  # slope is b - A w
    for j in range(len(coef)):
        row, product = square[j], 0.0
        for k in range(len(coef)):
            product += row[k] * coef[k]
        slope[j] = inner[j] - product
    for sweep in range(len(costs)):
        for j in range(len(coef)):
            row, old = square[j], coef[j]
            if row[j] <= 0.0:
                continue
            goal = slope[j] + row[j] * old
            new = np.sign(goal) * max(abs(goal) - strength, 0.0) / row[j]
            if new != old:
                coef[j], change = new, new - old
                for k in range(len(coef)):
                    slope[k] -= change * row[k]
        cost, worst = 0.0, 0.0
        for j in range(len(coef)):
            cost += strength * abs(coef[j]) - 0.5 * coef[j] * (inner[j] + slope[j])
            if coef[j] == 0.0:
                worst = max(worst, abs(slope[j]) - strength)
            else:
                worst = max(worst, abs(slope[j] - np.sign(coef[j]) * strength))
        costs[sweep] = cost
        if worst <= tol:
            return sweep + 1, worst
    return len(costs), worst
