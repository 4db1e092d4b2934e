"""Ascent in the dual problem of optimal stability with all strengths at once."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from shallows._core.numerics.krylov import leading_eigenpairs

PRECISION = 1e-6
PRODUCTS = 100


def parallel_sweep(slopes, caps, step, strengths):
    """Return strengths a step down the `slopes` and cut off at their bounds.

    The slopes are E - 1, with E the labels times fields of the present strengths. The dual
    value rises as long as `step` is below 2 over the largest eigenvalue of the scalar
    products of the labelled inputs.
    """
    return np.clip(strengths - step * slopes, 0.0, caps)


def balanced_parallel_sweep(slopes, S, caps, step, strengths):
    """Do as `parallel_sweep` with equal sums of both classes; return also the threshold.

    The nearest allowed strengths are those from which one number has been taken in the one
    class and given in the other; it is `step` times the threshold that the fields lack.
    """
    aim = strengths - step * slopes

    def at(shift):
        return np.clip(aim - shift * S, 0.0, caps)

    reach = np.abs(aim).max() + np.where(np.isfinite(caps), caps, 0.0).max() + 1.0
    shift = brentq(lambda shift: at(shift) @ S, -reach, reach, xtol=1e-14 * reach)
    return at(shift), shift / step


def largest_eigenvalue(X, mean, clamp):
    """Return that of the scalar products of all rows ``x - mean``, each with an input `clamp`.

    Labels don't matter, and neither does the side from which the products are taken: the
    matrix looked at is the one with a row per feature.
    """

    def multiply(block):
        block = np.asarray(block)
        fields = X @ block[:-1] + (clamp * block[-1] - mean @ block[:-1])
        sums = fields.sum(axis=0)
        return np.vstack([X.T @ fields - np.outer(mean, sums), clamp * sums])

    options = {"max_products": PRODUCTS, "tol": PRECISION}
    values, _ = leading_eigenpairs(multiply, len(mean) + 1, 1, np.random.default_rng(0), **options)
    return float(values[0])
