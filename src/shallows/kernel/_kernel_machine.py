"""Fitting and evaluating kernel machines: rows in use, problems side by side, kernel expansions."""

from __future__ import annotations

import warnings
from contextlib import nullcontext

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new
from shallows._core.contract.training import Training
from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.kernel._functions import check_gram
from shallows.kernel._resolve import takes_sparse

NO_LIMIT = 10**9
MEGABYTE = 2**20
TOGETHER = 4096  # members of small problems that one thread takes at a time


def rows_in_use(sample_weight, n_samples):
    """Return the numbers of the rows that the input checks keep."""
    if sample_weight is None:
        return np.arange(n_samples)
    return np.flatnonzero(np.asarray(sample_weight) > 0)


def rows_given(sample_weight, n_used):
    """Return how many rows the user gave, of which `n_used` have a weight."""
    return n_used if sample_weight is None else max(n_used, np.asarray(sample_weight).size)


def drop_columns(estimator, X, used):
    """Return a precomputed Gram matrix between the rows in use, checked to be one."""
    if estimator.kernel != "precomputed":
        return X
    if issparse(X):
        raise TypeError(
            f"{type(estimator).__name__}: Sparse precomputed kernels are not supported, the Gram "
            "matrix must be a dense array. Use K.toarray()."
        )
    if X.shape[1] != len(used):
        X = X[:, used] if X.shape[1] > used[-1] else X
    check_gram(type(estimator).__name__, X, 100 * np.finfo(X.dtype).eps)
    return X


def solve_all(estimator, problems, losses, X, y, at_once=NO_LIMIT):
    """Solve the problems side by side, one working set of each per epoch.

    No more than `at_once` are worked on together; the others wait as they were given, and those
    that are done let their kernel rows go. Sets `history_` (negative dual value, largest
    violation, duality gap) and `n_iter_`.
    """
    limit = NO_LIMIT if estimator.max_iter == -1 else estimator.max_iter
    rounds = 1 if at_once >= len(problems) else len(problems)
    run = Training(estimator, limit * rounds, X=X, y=y)
    waiting = list(zip(range(len(problems)), problems, losses, strict=True))
    gaps = [0.0 if number < at_once else item.gap(loss) for number, item, loss in waiting]
    with hold_threads() if _total_size(problems) > TOGETHER else nullcontext():
        for _ in run:
            # One working set of each problem that is worked on, then the sum of all dual values.
            at_work = waiting[:at_once]
            _step_all(at_work, gaps)
            violation = max(problem.violation for problem in problems if problem.n_steps)
            run.record(-sum(problem.dual for problem in problems), kkt=violation, gap=sum(gaps))
            for entry in at_work:
                if entry[1].converged or entry[1].n_steps == limit:
                    entry[1].close()
                    waiting.remove(entry)
            if not waiting:
                run.stop("tol" if all(problem.converged for problem in problems) else "max_iter")
    estimator.history_, estimator.n_iter_ = run.history, run.n_iter
    if run.stopped_by == "max_iter":
        warnings.warn(
            f"{type(estimator).__name__} stopped after max_iter={limit} working sets before it "
            "converged. Raise max_iter, raise tol, or scale the data.",
            ConvergenceWarning,
            stacklevel=4,
        )


def _step_all(at_work, gaps):
    """Solve one working set of each problem and renew its duality gap."""

    def step(some):
        for number, problem, loss in at_work[some]:
            problem.step()
            gaps[number] = problem.gap(loss)

    size = _total_size(problem for _, problem, _ in at_work)
    map_blocks(step, len(at_work), max(1, TOGETHER * len(at_work) // max(1, size)))


def _total_size(problems):
    return sum(len(problem.members) for problem in problems)


def expand(model, kernel, X, samples, columns, coefficients):
    """Return the kernel values of new rows and the samples of a fit, times the coefficients.

    Of a precomputed kernel `columns` are the samples' columns in the new rows.
    """
    X = check_new(model, X, sparse=takes_sparse(model.kernel))
    if model.kernel == "precomputed":
        samples = columns
    elif issparse(samples) != issparse(X):
        X = X.toarray() if issparse(X) else csr_array(X)
    if not samples.shape[0]:
        return np.zeros((X.shape[0], coefficients.shape[1]), dtype=X.dtype)
    return kernel.matmul(X, samples, coefficients)


def expand_support(model, kernel, X, coefficients):
    """Return the values of new rows by the support vectors and their coefficients."""
    check_is_fitted(model)
    return expand(model, kernel, X, model.support_vectors_, model.support_, coefficients)


def support_samples(model, X, support):
    """Return the rows that a fit keeps, none of a precomputed kernel."""
    return np.empty((0, 0), dtype=X.dtype) if model.kernel == "precomputed" else X[support]


def set_tags(model, tags):
    """Say which inputs the kernel of a model takes."""
    tags.input_tags.pairwise = model.kernel == "precomputed"
    tags.input_tags.sparse = takes_sparse(model.kernel)
    return tags
