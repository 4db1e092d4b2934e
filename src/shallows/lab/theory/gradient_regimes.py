"""Experiment: step sizes of gradient descent on a quadratic bowl."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ortho_group

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line

Floats = NDArray[np.float64]
REGIMES = {"smooth": 0.5, "alternating": 1.8, "divergent": 2.1}
SHRINKS = 1 - 1e-6


@experiment(
    chapter="theory",
    sources="notes-000b Fig. 5.6, M10; notes-004b Fig. 76, F19; notes-003 E13",
    quick={"n": 3, "steps": 12},
)
def gradient_regimes(
    n: Annotated[int, Range(2, 100)] = 5,
    condition: Annotated[float, Range(1.5, 1000)] = 10.0,
    steps: Annotated[int, Range(4, 40)] = 20,
    *,
    run: Run,
) -> None:
    """When does gradient descent converge smoothly, oscillate or diverge?

    On a quadratic bowl with Hessian `H`, the distance to the minimum is decomposed into
    eigenvectors of `H`. A step of size `eta` multiplies the component of eigenvalue `rho` by
    exactly `1 - eta rho`. So the largest eigenvalue is decisive: below `1 / rho_max` every
    component shrinks without changing sign, up to `2 / rho_max` the stiff components alternate in
    sign and still shrink, and above they grow.

    Parameters
    ----------
    n : int
        Dimensions of the bowl.
    condition : float
        Largest eigenvalue over the smallest.
    steps : int
        Steps of descent in each regime.
    """
    axes = ortho_group.rvs(n, random_state=run.rng)
    rho = np.geomspace(1, condition, n)
    hessian = (axes * rho) @ axes.T
    start = axes.sum(axis=1)  # one unit along every eigenvector

    time = np.arange(steps + 1)
    worst = 0.0
    for regime, size in run.progress(REGIMES.items()):
        eta = size / rho[-1]
        parts = _descend(hessian, start, eta, steps) @ axes
        theory = (1 - eta * rho) ** time[:, None]
        distance = np.linalg.norm(parts, axis=1)
        worst = max(worst, np.max(np.abs(parts - theory) / np.maximum(1, distance[:, None])))
        run.rows(
            regime=regime,
            step=time,
            stiffest_part=parts[:, -1],
            theory=theory[:, -1],
            distance=distance,
            predicted_distance=np.linalg.norm(theory, axis=1),
        )

    run.figure(
        line(
            "step",
            "stiffest_part",
            theory="theory",
            facet="regime",
            title="Part along the stiffest direction, starting from 1",
        )
    )
    run.figure(
        line(
            "step",
            "distance",
            theory="predicted_distance",
            color="regime",
            y_log=True,
            title="Distance to the minimum",
        )
    )

    table = run.columns()
    shape = (len(REGIMES), steps + 1)
    stiff = dict(zip(REGIMES, table["stiffest_part"].reshape(shape), strict=True))
    distance = table["distance"].reshape(shape)
    ratio = dict(zip(REGIMES, distance[:, 1:] / distance[:, :-1], strict=True))
    flips = {regime: np.sum(part[1:] * part[:-1] < 0) for regime, part in stiff.items()}

    run.claim("every part follows (1 - eta rho)^t", worst, at_most=1e-12)
    below, between = "eta < 1/rho_max", "1/rho_max < eta < 2/rho_max"
    run.claim(f"{below}: the stiffest part keeps its sign", flips["smooth"], 0, within=0)
    run.claim(f"{below}: distance shrinks in every step", ratio["smooth"].max(), at_most=SHRINKS)
    run.claim(f"{between}: sign changes in every step", flips["alternating"], steps, within=0)
    run.claim(
        f"{between}: distance still shrinks in every step",
        ratio["alternating"].max(),
        at_most=SHRINKS,
    )
    run.claim(
        "eta = 2.1/rho_max: the stiffest part grows by 1.1 a step",
        abs(stiff["divergent"][-1]) ** (1 / steps),
        expected=1.1,
        within=1e-9,
    )

    left = [(_descend(hessian, start, 1 / value, 1)[1] @ axes)[i] for i, value in enumerate(rho)]
    run.claim("eta = 1/rho removes its part in one step", np.abs(left).max(), at_most=1e-12)
    mu = 0.4 / rho[-1]
    parts = _descend(2 * hessian, start, mu, steps) @ axes
    gap = np.abs(parts - (1 - 2 * mu * rho) ** time[:, None]).max()
    run.claim("on the bowl v'Hv, twice as steep, parts follow (1 - 2 mu rho)^t", gap, at_most=1e-12)


def _descend(hessian: Floats, start: Floats, eta: float, steps: int) -> Floats:
    """Return the path (steps + 1, n) of gradient descent on x'Hx/2."""
    path = [start]
    for _ in range(steps):
        path.append(path[-1] - eta * (hessian @ path[-1]))
    return np.array(path)
