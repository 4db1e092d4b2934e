"""L-BFGS as epochs of a training, and the threads of BLAS."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from shallows._core.numerics.threads import quick_lapack
from shallows.network._network import Array

# Products of smaller matrices than this are done before a second thread of BLAS is awake.
SMALL_PRODUCT = 2**26


def minimise(vector: Array, cost: Any, run: Any, record: Any = None, max_fun: int = 10**9) -> None:
    """Minimise by SciPy's L-BFGS, each of its iterations an epoch of `run`.

    `cost` returns value and gradient at `vector`, which is moved; it is called about `max_fun`
    times at most.
    """
    record, epochs = record or run.record, iter(run)
    next(epochs)

    def evaluate(x: Array) -> tuple[float, Array]:
        vector[:] = x
        value, gradient = cost()
        return value, gradient.astype(np.float64)

    def accept(intermediate_result: optimize.OptimizeResult) -> None:
        vector[:] = intermediate_result.x
        record(float(intermediate_result.fun))
        if next(epochs, None) is None:
            raise StopIteration

    options = {"maxiter": run.max_iter, "ftol": 0.0, "gtol": 0.0, "maxfun": max_fun}
    start = vector.astype(np.float64)
    found = optimize.minimize(
        evaluate, start, jac=True, method="L-BFGS-B", callback=accept, options=options
    )
    if not run.stopped_by:  # no lower loss could be found
        vector[:] = found.x
        record(float(found.fun))
        enough = found.nfev < max_fun
        run.stop("precision" if enough else "max_fun")
        next(epochs, None)
        if not enough:
            warnings.warn(
                f"{run.name} stopped after max_fun={max_fun} evaluations of the loss before it "
                "converged. Raise max_fun or tol, or scale the data.",
                ConvergenceWarning,
                stacklevel=4,
            )


def few_threads(n_products: int) -> Any:
    """Keep BLAS at one thread where its products are small."""
    return quick_lapack(0 if n_products < SMALL_PRODUCT else 2**30)
