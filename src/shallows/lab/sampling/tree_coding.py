"""Experiment: drawings of family trees."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment
from shallows.sampling import ClockTree


@experiment(
    chapter="sampling",
    sources="notes-004b D2, D6, Fig. 50, 51, 52",
    quick={"trees": 20_000},
)
def tree_coding(
    trees: Annotated[int, Range(10_000, 1_000_000)] = 100_000,
    *,
    run: Run,
) -> None:
    """Which topologies does a uniform prior prefer?

    A tree is coded as the order of its leaves and the distances between neighbours. Random orders
    and random distances give trees of four leaves. In balanced trees the two lower ancestors can
    have their ages in either order, so each balanced topology is twice as frequent as each other
    one.

    Parameters
    ----------
    trees : int
        Number of random trees of four leaves.
    """
    t = np.cumsum(run.rng.uniform(0.5, 2, size=6))
    figure = ClockTree(np.array([1, 4, 7, 2, 3, 6, 5]) - 1, 2 * t[[3, 0, 4, 2, 1, 5]])
    run.claim(
        "Figure 50 decodes to (((1,(4,7)),(2,(3,6))),5)",
        float(figure.topology() == "(((0,(3,6)),(1,(2,5))),4)"),
        expected=1,
        within=0,
    )
    counts: dict[str, int] = {}
    for _ in run.progress(range(trees)):
        name = ClockTree(run.rng.permutation(4), run.rng.random(3)).topology()
        counts[name] = counts.get(name, 0) + 1
    for name, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        kind = "balanced" if "),(" in name else "caterpillar"
        run.row(topology=name, kind=kind, share=count / trees)
    run.figure(bars("topology", "share", color="kind", title="Topologies of random trees"))
    table = run.columns()
    balanced = table["kind"] == "balanced"
    run.claim("number of topologies", len(counts), expected=15, within=0)
    share = table["share"][balanced].sum()
    run.claim(
        "share of balanced trees",
        share,
        expected=1 / 3,
        within=4.5 * np.sqrt(2 / 9 / trees),
        probability=1e-5,
    )
    ratio = table["share"][balanced].mean() / table["share"][~balanced].mean()
    run.claim("a balanced topology over another", ratio, expected=2, within=0.2, probability=0.001)
