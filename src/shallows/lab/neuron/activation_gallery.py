"""Experiment: activation functions, their slopes and their limits."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.optimize import minimize_scalar

from shallows._core.contract.params import Range
from shallows.descent._activations import ACTIVATIONS
from shallows.lab import Run, experiment, line
from shallows.neuron import logistic, swish, tanh, tanh_like, threshold

SHOWN = "logistic", "tanh", "erf", "tanh_like", "leaky_relu", "softplus", "elu", "swish"
LEAK = {"leaky_relu": {"slope": 0.25}}


@experiment(
    chapter="neuron",
    sources="notes-000a Fig. 1.3, M08; notes-000b Fig. 5.8, 5.9; notes-003 M64, M65",
    quick={"points": 161},
)
def activation_gallery(
    points: Annotated[int, Range(81, 10_001)] = 801,
    gain: Annotated[float, Range(10, 1000)] = 100.0,
    *,
    run: Run,
) -> None:
    """What do activation functions look like, and how similar are they?

    Sigmoids differ more in scale than in shape: the logistic function is a scaled hyperbolic
    tangent, a steep one is a threshold unit, and a piecewise linear function without exponentials
    is close to it. Rectifiers differ in their negative part.

    Parameters
    ----------
    points : int
        Points of the grid from -4 to 4.
    gain : float
        Slope of the hyperbolic tangent that is compared with the threshold unit.
    """
    grid = np.linspace(-4, 4, points)
    for name in SHOWN:
        values = ACTIVATIONS[name].value(grid, **LEAK.get(name, {}))
        for x, value in zip(grid, values, strict=True):
            run.row(activation=name, x=x, value=value)
    run.figure(
        line("x", "value", color="activation", title="Activation functions", x_title="net input")
    )

    step = 1e-5
    smooth = grid[np.abs(2 * grid - np.round(2 * grid)) > 1e-3]  # away from corners
    gaps = []
    for name, activation in ACTIVATIONS.items():
        options = LEAK.get(name, {})
        rise = activation.value(smooth + step, **options) - activation.value(
            smooth - step, **options
        )
        gaps.append(np.abs(rise / (2 * step) - activation.derivative(smooth, **options)).max())
    run.claim("derivatives equal central differences (largest gap)", max(gaps), at_most=1e-6)
    run.claim(
        "tanh(x) = 2 logistic(2 x) - 1 (largest gap)",
        np.abs(tanh(grid) - (2 * logistic(2 * grid) - 1)).max(),
        at_most=1e-15,
    )
    away = grid[np.abs(grid) >= 0.1]
    run.claim(
        "a steep tanh is the threshold unit (largest gap from 0.1 on)",
        np.abs(tanh(away, gain) - threshold(away)).max(),
        at_most=2.01 * np.exp(-0.2 * gain) + 1e-15,
    )
    lowest = minimize_scalar(lambda x: float(swish(np.array([x]))[0]), bounds=(-3, 0))
    run.claim("Swish is least at", lowest.x, expected=-1.278465, within=1e-4)
    run.claim("Swish at its least", lowest.fun, expected=-0.278465, within=1e-6)
    run.claim(
        "the piecewise linear function is within 0.0379 of tanh",
        np.abs(tanh_like(grid) - tanh(grid)).max(),
        at_most=0.0379,
    )
