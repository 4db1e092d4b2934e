"""Experiment: the perceptron convergence theorem, step by step and over many data sets."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, histogram, line
from shallows.perceptron import Perceptron
from shallows.theory import convergence_trace, mistake_bound, norm_envelopes

Floats = NDArray[np.float64]
ORDERED: dict[str, Any] = {"fit_intercept": False, "shuffle": False, "tol": None, "max_iter": 10**6}


@experiment(
    chapter="perceptron",
    sources="notes-000a M42; notes-001 M21-M24, S-47; notes-003 M70, Fig. 4.8",
    quick={"n": 10, "p": 20, "sets": 20},
)
def convergence_bound(
    n: Annotated[int, Range(2, 100)] = 20,
    p: Annotated[int, Range(2, 200)] = 40,
    c: Annotated[float, Range(0.1, 10)] = 1.0,
    sets: Annotated[int, Range(10, 1000)] = 200,
    *,
    run: Run,
) -> None:
    """How many mistakes can a perceptron make on separable data?

    Every mistake increases the overlap with a solution by at least a fixed amount, and the squared
    length of the weights by at most a fixed amount. The two envelopes cross, so the number of
    mistakes is bounded. In practice training ends long before the bound is reached.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    p : int
        Examples, labelled by a linear teacher.
    c : float
        Margin of the second run; the first has none.
    sets : int
        Small data sets, each learned from zero and from random weights.
    """
    X = run.rng.standard_normal((p, n))
    folded = X * np.sign(X @ run.rng.standard_normal(n))[:, None]
    for margin in run.progress((0.0, c), "runs"):
        _follow(folded, margin, run)
    run.figure(
        line(
            "updates",
            ["squared_length", "lower_envelope", "upper_envelope"],
            facet="margin",
            title="Squared length of the weights; where its envelopes cross is the bound",
        )
    )
    table = run.columns()
    above = np.nanmax(table["squared_length"] / table["upper_envelope"])
    below = np.nanmax(table["lower_envelope"] / table["squared_length"])
    run.claim("every step: squared length over upper envelope", above, at_most=1 + 1e-9)
    run.claim("every step: lower envelope over squared length", below, at_most=1 + 1e-9)

    for _ in run.progress(range(sets), "data sets"):
        small = _separable_clouds(run.rng)
        for init in ("zero", "random"):
            seed = int(run.rng.integers(2**31))
            updates, bound, excess = _updates_and_bound(small, init, seed)
            run.row(
                "sets",
                start=init,
                updates=updates,
                bound=bound,
                used=updates / bound,
                beyond_envelopes=excess,
            )
    run.figure(
        histogram(
            "used",
            color="start",
            table="sets",
            x_rule=1,
            x_title="updates / bound",
            title="Updates that training took, as a share of the bound",
        )
    )
    used = run.columns("sets")
    for init in ("zero", "random"):
        worst = used["used"][used["start"] == init].max()
        run.claim(f"{init} start: largest used fraction of the bound", worst, at_most=1)
        beyond = used["beyond_envelopes"][used["start"] == init].max()
        run.claim(
            f"{init} start, every step: overlap and length beyond the envelopes, relative",
            beyond,
            at_most=1e-9,
        )


def _follow(folded: Floats, margin: float, run: Run) -> None:
    """Record the squared length of the weights after every update, and its envelopes."""
    n, same = folded.shape[1], np.ones(len(folded), dtype=int)
    trace = convergence_trace(folded, same, c=margin, eta=1 / n)
    updates, bound = int(trace.M[-1]), int(trace.bound)
    last = max(bound, updates)
    envelopes = norm_envelopes(folded, same, n_updates=last, c=margin, eta=1 / n)
    run.rows(
        margin=f"c = {margin:g}",
        updates=envelopes.updates[1:],
        squared_length=np.append(trace.Q[1:], np.full(last - updates, np.nan)),
        lower_envelope=envelopes.lower[1:],
        upper_envelope=envelopes.upper[1:],
    )
    run.claim(f"c = {margin:g}: updates within the bound", updates, at_most=bound)


def _updates_and_bound(folded: Floats, init: Any, seed: int) -> tuple[int, float, float]:
    """Return the updates of a run, the largest number allowed, and what is beyond the envelopes."""
    eta = 1 / 6 if init == "random" else 1.0
    labels = np.where(np.arange(len(folded)) % 2, 1, -1)
    inputs = folded * labels[:, None]
    model = Perceptron(eta0=eta, init=init, random_state=seed, **ORDERED)
    model.fit(inputs, labels)
    start = model.coef_[0] - eta * model.embedding_strengths_ @ folded
    trace = convergence_trace(inputs, labels, w0=start, eta=eta)
    bounds, size = trace.envelopes, trace.envelopes.upper.max()
    beyond = (
        (trace.Q - bounds.upper).max() / size,
        (bounds.lower - trace.Q).max() / size,
        (bounds.overlap - trace.R).max() / np.abs(trace.R).max(),
    )
    return model.n_updates_, mistake_bound(inputs, labels, w0=start, eta=eta), max(beyond)


def _separable_clouds(rng: np.random.Generator) -> Floats:
    """Return 30 points in 3 dimensions and a constant, at least 0.3 from the teacher's plane."""
    teacher = rng.standard_normal(4)
    teacher /= np.linalg.norm(teacher)
    points = np.column_stack([np.ones(300), rng.standard_normal((300, 3))])
    fields = points @ teacher
    kept = np.flatnonzero(np.abs(fields) > 0.3)[:30]
    return points[kept] * np.sign(fields[kept])[:, None]
