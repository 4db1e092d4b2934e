"""Experiment: five samplers of one law."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.sampling import check_sampler, uniform_sampler

KINDS: tuple[Literal["independent", "paired", "halves", "rotation", "walk"], ...] = (
    "independent",
    "paired",
    "halves",
    "rotation",
    "walk",
)


@experiment(chapter="sampling", sources="notes-004b C1", quick={"repetitions": 10})
def five_samplers(
    repetitions: Annotated[int, Range(5, 1000)] = 50,
    eps: Annotated[float, Range(0.01, 1)] = 0.05,
    *,
    run: Run,
) -> None:
    """Must a sampler draw at random?

    All that is asked of a sampler is that it visits every set as often as the law says, in the
    long run. Pairs of equal draws do, draws from both halves in turns, even a rotation without
    any chance. A walk in small steps does too, but slowly: so do Markov chains.

    Parameters
    ----------
    repetitions : int
        Sequences for each length.
    eps : float
        Steps of the walk.
    """
    lengths = np.geomspace(100, 100_000, 7).astype(int)
    for kind in KINDS:
        for n in run.progress(lengths):
            gaps = [
                check_sampler(uniform_sampler(kind, n, eps=eps, random_state=run.rng)).gap
                for _ in range(repetitions)
            ]
            run.row(sampler=kind, length=n, gap=np.mean(gaps))
    run.figure(
        line(
            "length",
            "gap",
            color="sampler",
            x_log=True,
            y_log=True,
            title="Largest gap between the share of a bin and its probability",
        )
    )
    table = run.columns()
    last = {kind: table["gap"][table["sampler"] == kind][-1] for kind in KINDS}
    for kind in KINDS:
        run.claim(
            f"{kind}: gap of the longest sequence", last[kind], at_most=0.02, probability=0.01
        )
    run.claim(
        "walk: its gap over the largest of the others",
        last["walk"] / max(gap for kind, gap in last.items() if kind != "walk"),
        at_least=1.5,
        probability=0.01,
    )
