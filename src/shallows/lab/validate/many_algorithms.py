"""Experiment: comparing many algorithms pair by pair."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.special import ndtri
from scipy.stats import binomtest, rankdata, studentized_range

from shallows._core.contract.params import Range
from shallows.lab import Figure, Run, experiment, line
from shallows.validate import compare_ranks, critical_difference_chart

LEVEL, FALSE_ALARM = 0.05, 1e-4
ALGORITHMS = (3, 4, 6, 8, 12, 16)


@experiment(
    chapter="validate",
    sources="notes-002 A8, 2.1.4",
    quick={"trials": 300},
)
def many_algorithms(
    trials: Annotated[int, Range(200, 20_000)] = 2000,
    data_sets: Annotated[int, Range(10, 100)] = 20,
    *,
    run: Run,
) -> None:
    """How many algorithms can be compared before chance makes one a winner?

    Equal algorithms on independent data sets have random ranks. If every pair is tested at 5 %,
    the probability that some pair differs grows with the number of pairs. Nemenyi's critical
    difference keeps it at 5 %, because it uses the distribution of the largest difference among
    all mean ranks.

    Parameters
    ----------
    trials : int
        Repetitions for each number of algorithms.
    data_sets : int
        Data sets that the algorithms are ranked on.
    """
    for k in run.progress(ALGORITHMS):
        ranks = rankdata(run.rng.normal(size=(trials, data_sets, k)), axis=2).mean(axis=1)
        gap = np.ptp(ranks, axis=1) / np.sqrt(k * (k + 1) / (6 * data_sets))
        limits = {
            "each pair at 5 %": ndtri(1 - LEVEL / 2),
            "Nemenyi": studentized_range.ppf(1 - LEVEL, k, np.inf) / np.sqrt(2),
        }
        for test, limit in limits.items():
            run.row(
                test=test,
                algorithms=k,
                false_alarms=np.mean(gap > limit),
                predicted=studentized_range.sf(limit * np.sqrt(2), k, np.inf),
                standard_error=np.sqrt(np.mean(gap > limit) * np.mean(gap <= limit) / trials),
            )

    names = ["stump", "tree", "bagging", "forest", "boosting"]
    skill = np.array([0.0, 0.5, 0.9, 1.1, 1.6])
    scores = skill + run.rng.normal(size=(data_sets, 1)) + run.rng.normal(size=(data_sets, 5))
    ranked = compare_ranks(scores, names)
    run.rows("ranks", algorithm=names, mean_rank=ranked.mean_ranks)

    run.figure(
        line(
            "algorithms",
            "false_alarms",
            theory="predicted",
            error="standard_error",
            color="test",
            y_rule=LEVEL,
            title="Some pair of equal algorithms is called different",
            x_title="number of algorithms",
            y_title="share of comparisons",
        )
    )
    run.figure(Figure("ranks", ("algorithm", "mean_rank"), critical_difference_chart(ranked)))

    table = run.columns()
    plain = table["false_alarms"][table["test"] == "each pair at 5 %"]
    nemenyi = table["false_alarms"][table["test"] == "Nemenyi"]
    run.claim(
        f"{ALGORITHMS[-1]} algorithms, each pair at 5 %: false alarms in most comparisons",
        plain[-1],
        at_least=0.5,
    )
    above = [binomtest(round(s * trials), trials, LEVEL, "greater").pvalue for s in nemenyi]
    run.claim(
        "Nemenyi: 5 % at most (smallest p-value against more)",
        min(above),
        at_least=FALSE_ALARM / len(ALGORITHMS),
        probability=FALSE_ALARM,
    )
    run.claim("Nemenyi is not idle: at least 1 % each", nemenyi.min(), at_least=0.01)
