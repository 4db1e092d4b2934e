"""Experiment: filters on coloured inputs."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.signal import LMS, RLS

Array = NDArray[np.float64]
SPREADS = 1.0, 10.0, 100.0, 1000.0


@experiment(
    chapter="signal",
    sources="notes-004b F23, F31, F32, F34",
    quick={"runs": 3, "steps": 20_000},
)
def eigenvalue_spread(
    runs: Annotated[int, Range(3, 100)] = 10,
    steps: Annotated[int, Range(10_000, 1_000_000)] = 50_000,
    length: Annotated[int, Range(2, 20)] = 4,
    *,
    run: Run,
) -> None:
    """How fast do filters converge if the input is coloured?

    Least mean squares converges fast along directions in which the input varies strongly, and
    slowly along the others: the time grows with the ratio of the largest to the smallest
    eigenvalue of R. Newton's rule and recursive least squares are equally fast in all directions.

    Parameters
    ----------
    runs : int
        Repetitions for each spread.
    steps : int
        Samples in each run.
    length : int
        Number of weights.
    """
    noise, target = 0.1, np.ones(length)
    rules = {
        "LMS": LMS(misadjustment=0.02),
        "normalized": LMS(rule="normalized", misadjustment=0.02),
        "Newton": LMS(rule="newton", misadjustment=0.02),
    }
    gaps = []
    for spread in run.progress(SPREADS):
        scales = np.sqrt(np.geomspace(1, 1 / spread, length))
        turn = np.linalg.qr(run.rng.standard_normal((length, length)))[0]
        needed: dict[str, list[float]] = {name: [] for name in [*rules, "RLS"]}
        for _ in range(runs):
            X = run.rng.standard_normal((steps, length)) * scales @ turn
            weights = turn.T @ (target / scales)  # as much to learn along every axis
            y = X @ weights + noise * run.rng.standard_normal(steps)
            R = X.T @ X / steps
            for name, model in rules.items():
                path = model.set_params(keep_path=True).fit(X, y).path_
                needed[name].append(_settled(path, weights, R, noise**2))
            counts = np.unique(np.geomspace(length + 1, 2000, 150).astype(int))
            solved = [RLS().fit(X[:n], y[:n]).coef_ for n in counts]
            high = [_excess(w, weights, R) > 0.1 * noise**2 for w in solved]
            needed["RLS"].append(float(counts[min(np.sum(high), len(counts) - 1)]))
            batch = np.linalg.lstsq(X[:1000], y[:1000], rcond=None)[0]
            first = RLS(delta=1e10).fit(X[:1000], y[:1000]).coef_
            gaps.append(np.abs(first - batch).max() / np.abs(batch).max())
        for name, waits in needed.items():
            run.row(filter=name, spread=spread, steps=np.median(waits))
    run.figure(
        line(
            "spread",
            "steps",
            color="filter",
            x_log=True,
            y_log=True,
            title="Samples until the error is within 10 % of the least",
            x_title="largest over smallest eigenvalue",
        )
    )
    table = run.columns()

    def growth(name: str) -> float:
        of_filter = table["steps"][table["filter"] == name]
        return float(of_filter[-1] / of_filter[0])

    run.claim(
        "LMS: growth of the time from spread 1 to 1000",
        growth("LMS"),
        at_least=10,
        probability=0.01,
    )
    for name in ("Newton", "RLS"):
        run.claim(
            f"{name}: growth of the time from spread 1 to 1000",
            growth(name),
            at_most=4,
            probability=0.01,
        )
    run.claim("RLS equals least squares on all samples (largest gap)", max(gaps), at_most=1e-6)


def _excess(weights: Array, best: Array, R: Array) -> float:
    return float((weights - best) @ R @ (weights - best))


def _settled(path: Array, best: Array, R: Array, least: float) -> float:
    """Return the sample after which the excess stays below a tenth of the least error, as a rule.

    A running mean over 50 samples passes over the noise of single steps.
    """
    gaps = path - best
    excess = np.einsum("ti,ij,tj->t", gaps, R, gaps)
    smooth = np.convolve(excess, np.ones(50) / 50, mode="valid")
    below = np.flatnonzero(smooth < 0.1 * least)
    return float(below[0] + 1) if len(below) else float(len(path))
