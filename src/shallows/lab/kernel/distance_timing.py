"""Experiment: matrix algebra against loops, and prediction time against sample size."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows._core.numerics.distances import squared_distances
from shallows._core.numerics.threads import hold_threads, limit_threads
from shallows.kernel import KernelExpansion, gaussian
from shallows.lab import Run, experiment, line

Floats = NDArray[np.float64]
ROUNDS = 20


@experiment(
    chapter="kernel",
    sources="notes-002 G7, J13",
    quick={"n": 150, "largest": 4000},
)
def distance_timing(
    n: Annotated[int, Range(50, 2000)] = 600,
    d: Annotated[int, Range(2, 200)] = 50,
    largest: Annotated[int, Range(500, 10_000)] = 8000,
    hidden: Annotated[int, Range(5, 500)] = 50,
    *,
    run: Run,
) -> None:
    """How much faster is matrix algebra than a loop?

    All squared distances between two sets of points need the same number of operations either way,
    but a matrix product uses the processor far better than a Python loop. For each prediction a
    kernel machine must compute distances to all its training points; a network needs only its
    weights.

    Parameters
    ----------
    n : int
        Points of the comparison with the loop.
    d : int
        Dimensions.
    largest : int
        Largest training set of the kernel machine.
    hidden : int
        Units of the network.
    """
    X, Z = run.rng.normal(size=(2, n, d))
    slow, by_loop = _timed(lambda: _loop(X, Z), 1)
    fast, by_matrix = _timed(lambda: squared_distances(X, Z), 20)
    run.claim("largest difference of the two", np.abs(by_loop - by_matrix).max(), 0, within=1e-12)
    run.claim("time of the loop over that of the matrix", slow / fast, at_least=10)

    new = run.rng.normal(size=(300, d))
    inner, outer = run.rng.normal(size=(d, hidden)), run.rng.normal(size=hidden)
    sizes = np.geomspace(largest / 16, largest, 5).astype(int)
    machines = []
    for size in sizes:
        points = run.rng.normal(size=(size, d))
        machines.append(KernelExpansion(points, points[:, 0], gaussian))
    least = np.full((2, len(sizes)), np.inf)
    for _ in run.progress(range(ROUNDS)):  # in turns: what else the computer does slows all alike
        for k, machine in enumerate(machines):
            net, _ = _timed(partial(_network, new, inner, outer), 10)
            least[:, k] = np.minimum(least[:, k], (_timed(partial(machine, new), 1)[0], net))
    for size, (by_machine, by_network) in zip(sizes, least.T, strict=True):
        run.row(n=size, kernel_machine=by_machine, network=by_network)
    run.figure(
        line(
            "n",
            ["kernel_machine", "network"],
            x_log=True,
            y_log=True,
            x_title="training samples",
            title="Seconds of processor time for 300 predictions",
        )
    )
    table = run.columns()
    power = np.polyfit(np.log(table["n"]), np.log(table["kernel_machine"]), 1)[0]
    run.claim("kernel machine: power of n with which time grows", power, expected=1, within=0.4)
    power = np.polyfit(np.log(table["n"]), np.log(table["network"]), 1)[0]
    run.claim("network, which forgets its samples: power of n", power, expected=0, within=0.4)


def _timed(task: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the least time of several calls on this thread's processor, and the result."""
    best, result = np.inf, None
    with hold_threads(), limit_threads(1):
        for _ in range(repeats):
            start = time.thread_time()
            result = task()
            best = min(best, time.thread_time() - start)
    return max(best, 1e-9), result


def _network(X: Floats, inner: Floats, outer: Floats) -> Floats:
    return np.tanh(X @ inner) @ outer


def _loop(X: Floats, Z: Floats) -> Floats:
    distances = np.empty((len(X), len(Z)))
    for i, x in enumerate(X):
        for j, z in enumerate(Z):
            distances[i, j] = ((x - z) ** 2).sum()
    return distances
