"""Training of a network of Gaussian units.

The descent takes centres in units of the first widths, widths as logarithms and matrices in units
of the first ones, so that a step means as much to a narrow unit as to a wide one.

Linear outputs with squared errors take no part in it: whatever the units, the best outputs have a
closed form, and the descent goes along the error that they leave (variable projection). Outputs
of a softmax descend together with the units.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular

from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import Training
from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.network._lbfgs import minimise
from shallows.network._network import one_vector
from shallows.network._rbf import inputs_of, place_units, rbf_cost, responses

COST_ROWS = 1024  # whose responses stay in the cache
LARGEST_LOG = 30.0  # squares of the number stay finite in float32


def fit_rbf(model, X, y, target, weights, classify):
    """Place the units, then descend the loss by all parameters together."""
    rng = as_generator(model.random_state)
    model.mean_ = X.mean(axis=0)  # expanded squares lose least near the middle
    X_centred = X - model.mean_
    X_centred.flags.writeable = False  # as kernels know their inputs
    inputs = inputs_of(X_centred, model.covariance)
    shares = weights / weights.sum()
    middle, scale = (0.0, 1.0) if classify else _middle_and_scale(target, shares)
    target, shares = ((target - middle) / scale).astype(X.dtype), shares.astype(X.dtype)
    data, units = (inputs, target, shares), place_units(model, X_centred, weights, rng)
    prepare = _with_outputs if classify else _best_outputs
    vector, cost, unfold = prepare(model, data, *units, model.alpha / weights.sum())

    run = Training(
        model,
        model.max_iter,
        None if model.tol is None else model.tol * scale**2,
        patience=10,
        state=("centers_", "shapes_", "coef_", "intercept_"),
        X=X,
        y=y,
        sample_weight=weights,
    )

    def record(loss):
        centers, shapes, coef, intercept = unfold()
        model.centers_, model.shapes_ = centers + model.mean_, shapes.copy()
        model.coef_ = (coef * scale).astype(X.dtype)
        model.intercept_ = (intercept * scale + middle).astype(X.dtype)
        run.record(loss * scale**2)

    with hold_threads():
        minimise(vector, cost, run, record)
    model.history_, model.n_iter_ = run.history, run.n_iter


def _middle_and_scale(target, shares):
    """Return the mean of each target, and the root of the sum of their variances."""
    middle = shares @ target
    return middle, float(np.sqrt(shares @ ((target - middle) ** 2).sum(axis=1))) or 1.0


def _best_outputs(model, data, centers, widths, strength):
    """Return the vector to descend, the cost where it stands and a function that gives all parts.

    The vector has centres and shapes; the cost is that of the best outputs for them. Its
    derivatives are the same as with fixed outputs, as those by the outputs vanish.
    """
    X, target, shares = data
    vector, parts = one_vector(_fold(centers, widths, model.covariance), X.dtype)
    options = (model.covariance, model.normalized)
    design = np.ones((len(X), len(centers) + 1), X.dtype)
    even = bool((shares == shares[0]).all())
    roots = np.ones((len(X), 1), X.dtype) if even else np.sqrt(shares)[:, None]
    solved_at, outputs = np.full_like(vector, np.nan), np.empty(0)
    # The least penalty with which rounding leaves the matrix of the equations positive.
    strength = max(strength, np.finfo(np.float64).eps * design.shape[1] ** 2)

    def solve():
        nonlocal outputs
        units = _unfold(parts, widths, model.covariance)

        def part(rows):
            design[rows, :-1] = responses(X[rows], *units, model.covariance, model.normalized)
            weighted = design[rows] if even else design[rows] * roots[rows]
            weighted = weighted.astype(np.float64, copy=False)
            return weighted.T @ weighted, weighted.T @ (target[rows] * roots[rows])

        gram, moments = (
            sum(each) for each in zip(*map_blocks(part, len(X), COST_ROWS), strict=True)
        )
        if even:
            gram, moments = gram * shares[0], moments * shares[0]

        # Normal equations of the output weights; the penalty leaves the bias out.
        gram[np.diag_indices(len(centers))] += strength
        solution = cho_solve(cho_factor(gram, check_finite=False), moments, check_finite=False)
        solved_at[:], outputs = vector, solution.astype(X.dtype)

    def unfold():
        if not np.array_equal(vector, solved_at):
            solve()
        return [*_unfold(parts, widths, model.covariance), outputs[:-1], outputs[-1]]

    def cost():
        here = unfold()

        def part(rows):
            return rbf_cost(
                X[rows], target[rows], shares[rows], here, *options, 0.0, False, design[rows, :-1]
            )

        loss, slopes = _sum_blocks(part, len(X))
        loss += 0.5 * strength * float(np.sum(here[2] ** 2))
        return loss, _fold_slopes(slopes[:2], here[1], widths, model.covariance)

    return vector, cost, unfold


def _with_outputs(model, data, centers, widths, strength):
    """Return the same as `_best_outputs`, but the vector has weights of outputs, too.

    They belong to a basis in which the first responses are uncorrelated and of one size, so that
    the descent isn't held up by those that are nearly alike. Its last row makes the biases.
    """
    X, target, shares = data
    folded, options = _fold(centers, widths, model.covariance), (model.covariance, model.normalized)
    units, roots = _unfold(folded, widths, model.covariance), np.sqrt(shares)[:, None]
    design = (
        np.c_[responses(X, *units, model.covariance, model.normalized), np.ones(len(X))] * roots
    )
    gram = (design.T @ design).astype(np.float64)
    gram.flat[:: len(gram) + 1] += 1e-6 + 1e-6 * np.trace(gram) / len(gram)
    basis = solve_triangular(cholesky(gram), np.eye(len(gram)))
    first = basis.T @ (design.T @ (target * roots))  # by penalised least squares
    vector, parts = one_vector([*folded, first], X.dtype)
    basis = basis.astype(X.dtype)

    def unfold():
        outputs = basis @ parts[2]
        return [*_unfold(parts, widths, model.covariance), outputs[:-1], outputs[-1]]

    def cost():
        here = unfold()

        def part(rows):
            return rbf_cost(X[rows], target[rows], shares[rows], here, *options, 0.0, True)

        loss, slopes = _sum_blocks(part, len(X))
        loss += 0.5 * strength * float(np.sum(here[2] ** 2))
        slopes[2] += strength * here[2]
        by_units = _fold_slopes(slopes[:2], here[1], widths, model.covariance)
        return loss, np.concatenate([by_units, (basis.T @ np.vstack(slopes[2:])).ravel()])

    return vector, cost, unfold


def _sum_blocks(part, n_rows):
    """Return the sums of losses and of slopes over blocks of rows."""

    def widened(rows):
        loss, slopes = part(rows)
        return loss, [slope.astype(np.float64) for slope in slopes]

    found = map_blocks(widened, n_rows, COST_ROWS)
    slopes = [sum(each) for each in zip(*(slopes for _, slopes in found), strict=True)]
    return sum(loss for loss, _ in found), slopes


def _fold(centers, widths, covariance):
    """Return what the descent changes, at the start."""
    n_units, n_features = centers.shape
    shapes = {
        "isotropic": lambda: -np.log(widths),
        "diagonal": lambda: np.repeat(-np.log(widths), n_features, axis=1),
        "full": lambda: np.repeat(np.eye(n_features)[None], n_units, axis=0),
        "pooled": lambda: np.eye(n_features),
    }[covariance]()
    return [centers / widths, shapes]


def _unfold(parts, widths, covariance):
    """Return centres and shapes from what the descent changes."""
    if covariance in ("isotropic", "diagonal"):
        return parts[0] * widths, np.exp(np.clip(parts[1], -LARGEST_LOG, LARGEST_LOG))
    return parts[0] * widths, parts[1] * _first_scale(widths, covariance)


def _fold_slopes(slopes, shapes, widths, covariance):
    """Return derivatives by what the descent changes, from those by centres and shapes."""
    numbers = covariance in ("isotropic", "diagonal")
    scale = shapes if numbers else _first_scale(widths, covariance)
    return np.concatenate([(slopes[0] * widths).ravel(), (slopes[1] * scale).ravel()])


def _first_scale(widths, covariance):
    return 1 / widths[:, :, None] if covariance == "full" else (1 / widths).mean()
