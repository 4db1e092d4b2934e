"""Experiment: Parzen windows of several widths."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from shallows._core.contract.params import Range
from shallows.density import Parzen
from shallows.lab import Run, experiment, line

POINTS = np.array([[0.3], [0.8], [1.1], [2.9], [3.2], [3.4]])


@experiment(
    chapter="density",
    sources="notes-004a Fig. 29; notes-004b Fig. 44, 45, A12",
    quick={"samples": 80, "grid": 20_001},
)
def parzen_widths(
    samples: Annotated[int, Range(40, 5000)] = 200,
    grid: Annotated[int, Range(2001, 200_001)] = 40_001,
    *,
    run: Run,
) -> None:
    """How wide should the windows around the samples be?

    Narrow windows put a spike on each sample and give no density to unseen samples; wide windows
    blur everything. All these densities integrate to one, so held-out samples can compare them:
    the width with the highest held-out likelihood lies in between.

    Parameters
    ----------
    samples : int
        Samples of two groups; half of them are held out.
    grid : int
        Points at which densities are integrated.
    """
    kernel: Literal["gaussian", "box"]
    for kernel, widths in (("box", (1.0,)), ("gaussian", (0.05, 0.2, 0.5, 2.0))):
        for width in widths:
            model = Parzen(kernel, width=width).fit(POINTS)
            reach = 9 * width
            x = np.linspace(POINTS.min() - reach, POINTS.max() + reach, grid)
            density = np.exp(model.score_samples(x[:, None]))
            run.claim(
                f"{kernel}, width {width:g}: integral",
                _integral(x, density, kernel, width),
                expected=1.0,
                within=1e-6,
            )
            shown = np.linspace(-1.0, 5.0, 241)
            run.rows(
                x=shown,
                density=np.exp(model.score_samples(shown[:, None])),
                windows=f"{kernel}, width {width:g}",
            )
    run.figure(line("x", "density", facet="windows", title="Six samples seen through windows"))

    groups = run.rng.integers(2, size=2 * samples)
    X = (4.0 * groups + np.where(groups, 0.5, 1.0) * run.rng.standard_normal(2 * samples))[:, None]
    train, held = X[:samples], X[samples:]
    for width in np.geomspace(1e-3, 10.0, 41):
        model = Parzen(width=float(width)).fit(train)
        run.row("widths", width=width, training=model.score(train), held_out=model.score(held))
    run.figure(
        line(
            "width",
            ["training", "held_out"],
            table="widths",
            x_log=True,
            title="Mean log density of seen and of held-out samples",
            y_title="mean log density",
        )
    )
    table = run.columns("widths")
    best = int(table["held_out"].argmax())
    run.claim(
        "width with the likeliest held-out samples is not at an end (place among 41)",
        best,
        at_least=1,
        at_most=39,
        probability=1e-6,
    )
    run.claim(
        "held-out mean log density at width 0.001 less that at the best width",
        float(table["held_out"][0] - table["held_out"][best]),
        at_most=-10.0,
        probability=1e-3,
    )
    run.claim(
        "training prefers the narrowest windows (place of its best width)",
        int(table["training"].argmax()),
        expected=0,
        within=0,
    )
    chosen = Parzen(width="loo", random_state=run.rng).fit(train)
    run.claim(
        "width by leaving out one sample: held-out loss against the best width",
        float(table["held_out"][best] - chosen.score(held)),
        at_most=0.1,
        probability=1e-3,
    )


def _integral(x: np.ndarray, density: np.ndarray, kernel: str, width: float) -> float:
    """Integrate; steps of a box density are cut at their jumps."""
    if kernel == "gaussian":
        return float(np.trapezoid(density, x))
    jumps = np.unique(np.concatenate([POINTS - width / 2, POINTS + width / 2]))
    middles = (jumps[1:] + jumps[:-1]) / 2
    heights = np.exp(Parzen("box", width=width).fit(POINTS).score_samples(middles[:, None]))
    return float(heights @ np.diff(jumps))
