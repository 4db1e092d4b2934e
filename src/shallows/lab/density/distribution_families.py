"""Experiment: distribution families and their estimates."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import poisson_process, roll_die
from shallows.density import (
    Binomial,
    Exponential,
    Gaussian,
    Multinomial,
    PointMasses,
    Poisson,
    rate_from_events,
)
from shallows.lab import Run, bars, experiment, line

RATE = 2.34
DIE = (0.16, 0.16, 0.16, 0.16, 0.16, 0.2)
FALSE_ALARM = 0.0027  # beyond three standard errors


@experiment(
    chapter="density",
    sources="notes-004a Fig. 34-37, 39, 119, 125, Exp; notes-004b Exp, B1",
    quick={"years": 2000, "rolls": 5000},
)
def distribution_families(
    years: Annotated[int, Range(500, 100_000)] = 5000,
    rolls: Annotated[int, Range(1000, 1_000_000)] = 20_000,
    *,
    run: Run,
) -> None:
    """Do the formulas of the classical distributions give the published numbers?

    Binomial, Poisson, exponential and normal distributions, a distribution of three points, a
    loaded die and a coin: modes, probabilities of intervals, and parameters estimated from data.

    Parameters
    ----------
    years : int
        Length of a record of meteorites that fall at a rate of 2.34 a year.
    rolls : int
        Rolls of a die that shows six with probability 1/5.
    """
    counts = np.arange(21)[:, None]
    for q, mode, height in ((0.1, 2, 0.2852), (0.5, 10, 0.1762), (0.9, 18, 0.2852)):
        chances = np.exp(Binomial(20, q).score_samples(counts))
        run.rows("binomial", successes=counts[:, 0], probability=chances, q=str(q))
        run.claim(f"Bi(20, {q}): mode", int(chances.argmax()), expected=mode, within=0)
        run.claim(f"Bi(20, {q}): its probability", chances.max(), height, within=5e-5)
    run.figure(
        line("successes", "probability", color="q", table="binomial", title="Binomial laws, n = 20")
    )
    law = Gaussian(2.0, 1.0)
    peak = float(np.exp(law.score_samples([[2.0]]))[0])
    run.claim("N(2, 1): peak", peak, 0.3989, within=5e-5)
    inside = law.interval_probability(1.0, 3.0)
    run.claim("N(2, 1): probability of mean +- deviation", inside, 0.6827, within=5e-5)
    points = PointMasses([1.0, 2.0, 3.0], [0.5, 0.25, 0.25])
    run.claim("masses 1/2, 1/4, 1/4 at 1, 2, 3: mean", points.expectation()[0], 1.75, within=1e-12)
    coin = Multinomial().fit([[55, 45]]).p_
    run.claim("coin (55, 45): likeliest chance of heads", float(coin[0]), 0.55, within=1e-12)

    times = poisson_process(RATE, float(years), random_state=run.rng)
    rate = rate_from_events(times)
    error = 3 * RATE / np.sqrt(len(times))
    run.claim(
        "meteorites: rate (N-1)/(t_N - t_1)", rate, RATE, within=error, probability=FALSE_ALARM
    )
    run.note(
        f"The printed estimator, the mean waiting time, gives {1 / rate:.3f}: that is one over the "
        "rate."
    )
    waits = np.diff(times)[:, None]
    run.claim(
        "the same rate from an exponential law of the waits",
        float(Exponential().fit(waits).rate_[0]),
        rate,
        within=1e-9,
    )
    per_year = np.histogram(times, np.arange(years + 1))[0]
    seen = np.bincount(per_year)
    chances = np.exp(Poisson(RATE).score_samples(np.arange(len(seen))[:, None]))
    run.rows("years", falls=np.arange(len(seen)), share=seen / years, poisson=chances)
    run.figure(
        bars(
            "falls",
            "share",
            theory="poisson",
            table="years",
            title="Falls per year, and the Poisson law (marks)",
        )
    )
    spread = float(per_year.var(ddof=1) / per_year.mean())
    run.claim(
        "falls per year: variance over mean",
        spread,
        1.0,
        within=3 * np.sqrt(2 / years),
        probability=FALSE_ALARM,
    )

    thrown = roll_die(rolls, DIE, random_state=run.rng)
    sixes = np.cumsum(thrown == 6) / np.arange(1, rolls + 1)
    shown = np.unique(np.geomspace(10, rolls, 60).astype(int))
    run.rows(rolls=shown, share_of_sixes=sixes[shown - 1])
    run.figure(
        line("rolls", "share_of_sixes", x_log=True, y_rule=0.2, title="Relative frequency of sixes")
    )
    run.claim(
        "loaded die: relative frequency of six",
        float(sixes[-1]),
        0.2,
        within=3 * np.sqrt(0.16 / rolls),
        probability=FALSE_ALARM,
    )
