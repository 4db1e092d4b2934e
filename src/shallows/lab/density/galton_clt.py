"""Experiment: Galton's board and the central limit theorem."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom, chisquare, gamma, irwinhall

from shallows._core.contract.params import Range
from shallows.data import galton
from shallows.lab import Run, bars, experiment, line

FALSE_ALARM = 1e-3


@experiment(
    chapter="density",
    sources="notes-004a Fig. 38, 123, 124, Tasks",
    quick={"balls": 4000, "largest": 64},
)
def galton_clt(
    rows: Annotated[int, Range(2, 100)] = 12,
    balls: Annotated[int, Range(1000, 1_000_000)] = 20_000,
    largest: Annotated[int, Range(16, 512)] = 128,
    *,
    run: Run,
) -> None:
    """How fast do sums become normal?

    Each row of pins on Galton's board sends a ball left or right, so its bin is binomial; with
    more rows the distribution approaches a normal one. The same is true for sums of any
    independent variables with finite variance. The largest difference between the distribution
    function of the sum and the normal one falls about as one over the root of the number of terms,
    and faster for smooth symmetric variables.

    Parameters
    ----------
    rows : int
        Rows of pins of the board.
    balls : int
        Balls that fall through it.
    largest : int
        Largest number of terms of a sum.
    """
    bins = galton(rows, balls, random_state=run.rng)
    seen = np.bincount(bins, minlength=rows + 1)
    law = binom(rows, 0.5).pmf(np.arange(rows + 1))
    run.rows(bin=np.arange(rows + 1), share=seen / balls, binomial=law)
    run.figure(
        bars("bin", "share", theory="binomial", title="Balls per bin, and the binomial law (marks)")
    )
    kept = law * balls >= 5
    expected = np.append(law[kept], law[~kept].sum()) * balls
    found = np.append(seen[kept], seen[~kept].sum())
    if expected[-1] == 0:
        expected, found = expected[:-1], found[:-1]
    chance = float(chisquare(found, expected).pvalue)
    run.claim(
        "bins follow Bi(rows, 1/2) (p-value of a chi-squared test)",
        chance,
        at_least=FALSE_ALARM,
        probability=FALSE_ALARM,
    )

    sizes = np.unique(np.geomspace(4, largest, 9).astype(int))
    for n in run.progress(sizes):
        for source, distance in (
            ("Bernoulli (the board)", _of_steps(n)),
            ("exponential", _of_smooth(gamma(n), n, np.sqrt(n))),
            ("uniform", _of_smooth(irwinhall(n), n / 2, np.sqrt(n / 12)) if n <= 20 else None),
        ):
            if distance is not None:
                run.row("distances", terms=n, distance=distance, source=source)
    run.figure(
        line(
            "terms",
            "distance",
            color="source",
            table="distances",
            x_log=True,
            y_log=True,
            title="Largest distance of a sum's distribution function from the normal one",
        )
    )
    table = run.columns("distances")
    for source in ("Bernoulli (the board)", "exponential"):
        rows_ = table["source"] == source
        slope = np.polyfit(np.log(table["terms"][rows_]), np.log(table["distance"][rows_]), 1)[0]
        run.claim(
            f"{source}: power of the number of terms", float(slope), expected=-0.5, within=0.05
        )
    flat = table["source"] == "uniform"
    slope = np.polyfit(np.log(table["terms"][flat]), np.log(table["distance"][flat]), 1)[0]
    run.claim(
        "uniform, symmetric and smooth: power of the number of terms",
        float(slope),
        expected=-1.0,
        within=0.1,
    )
    run.note(
        "Bounded variables are said to be enough for the theorem. Their total variance must also "
        "grow without bound: a sum of terms that shrink too fast never becomes normal."
    )
    coins = run.rng.choice([-1.0, 1.0], size=(balls, 40)) @ 0.5 ** np.arange(40)
    scaled = np.sort(coins / np.sqrt(4 / 3))
    heights = np.arange(1, balls + 1) / balls
    run.claim(
        "bounded terms +-2^-i: distance of their sum from the normal law",
        float(np.abs(heights - ndtr(scaled)).max()),
        at_least=0.04,
        probability=1e-3,
    )


def _of_steps(n: int) -> float:
    """Distance for a sum of n coins, taken on both sides of every jump."""
    k = np.arange(n + 1)
    normal = ndtr((k - n / 2) / np.sqrt(n / 4))
    law = binom(n, 0.5)
    return float(max(np.abs(law.cdf(k) - normal).max(), np.abs(law.cdf(k - 1) - normal).max()))


def _of_smooth(law: object, mean: float, deviation: float) -> float:
    z = np.linspace(-5, 5, 4001)
    return float(np.abs(law.cdf(mean + deviation * z) - ndtr(z)).max())  # type: ignore[attr-defined]
