"""What support vector classifiers and regressors share."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from shallows._core.data import check_new
from shallows._core.threads import hold_threads, map_blocks
from shallows._core.training import Training
from shallows.kernel._functions import check_gram

NO_LIMIT = 10**9
MEGABYTE = 2**20


def rows_in_use(sample_weight, n_samples):
    """Return the numbers of the rows that the input checks keep."""
    if sample_weight is None:
        return np.arange(n_samples)
    return np.flatnonzero(np.asarray(sample_weight) > 0)


def drop_columns(estimator, X, used):
    """Return a precomputed Gram matrix between the rows in use, checked to be one."""
    if estimator.kernel != "precomputed":
        return X
    if X.shape[1] != len(used):
        X = X[:, used] if X.shape[1] > used[-1] else X
    check_gram(type(estimator).__name__, X, 100 * np.finfo(X.dtype).eps)
    return X


def solve_all(estimator, problems, losses, X, y):
    """Solve the problems side by side, one working set of each per epoch.

    Sets `history_` (negative dual value, largest violation, duality gap) and `n_iter_`.
    """
    limit = NO_LIMIT if estimator.max_iter == -1 else estimator.max_iter
    run = Training(estimator, limit, X=X, y=y)
    with hold_threads():
        for _ in run:
            gaps = _step_all(problems, losses)
            run.record(
                -sum(problem.dual for problem in problems),
                kkt=max(problem.violation for problem in problems),
                gap=sum(gaps),
            )
            if all(problem.converged for problem in problems):
                run.stop("tol")
    estimator.history_, estimator.n_iter_ = run.history, run.n_iter
    if run.stopped_by == "max_iter":
        warnings.warn(
            f"{type(estimator).__name__} stopped after max_iter={limit} working sets before it "
            "converged. Raise max_iter, raise tol, or scale the data.",
            ConvergenceWarning,
            stacklevel=4,
        )


def _step_all(problems, losses):
    """Solve one working set of each open problem; return the duality gaps of all."""
    open_ones = [problem for problem in problems if not problem.converged]
    map_blocks(lambda rows: [problem.step() for problem in open_ones[rows]], len(open_ones), 1)
    return [problem.gap(loss) for problem, loss in zip(problems, losses, strict=True)]


def expansion(estimator, X, coefficients):
    """Return the kernel values of new rows and the support vectors, times the coefficients."""
    X = check_new(estimator, X)
    if estimator.kernel == "precomputed":
        right = estimator.support_
    else:
        right = estimator.support_vectors_
    if not len(right):
        return np.zeros((len(X), coefficients.shape[1]), dtype=X.dtype)
    return estimator._kernel.matmul(X, right, coefficients)
