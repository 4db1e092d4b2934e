"""Playground: a Metropolis chain on two humps."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows.lab._play_parameters import Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground
from shallows.sampling import diagnose, metropolis

Floats = NDArray[np.float64]
SHOWN = 80  # frames of a chain
REACH = 8.0
FINE = np.linspace(-REACH, REACH, 241)
MOST_LAG = 80

LESSONS = [
    Lesson(
        "Too timid, too bold",
        "Move the width from 0.05 over 2 to 20.",
        "Small steps are nearly always taken, and the trace crawls. Large ones are nearly always "
        "refused, and the trace has long plateaus. In between the effective size is largest.",
        "What counts is how soon the chain forgets where it was: steps that are both wide and "
        "often "
        "taken. For one normal hump about 2.4 standard deviations are best, with 44 % taken.",
        "gap=0&width=0.05&play=yes",
    ),
    Lesson(
        "Trapped",
        "Push the humps apart, to a gap of 8, with a width of 0.5.",
        "The chain stays where it began. Its trace looks perfectly healthy, and its histogram "
        "misses half of the density.",
        "To change humps it must cross where the density is close to zero, by steps that are "
        "refused. "
        "Nothing in one chain shows that there is another hump; several chains from different "
        "starts do, which R̂ measures.",
        "gap=8&width=0.5",
    ),
]
EXERCISE = Exercise(
    "The gap is 6. Which width gives the largest effective size? Why is it not the one with which "
    "44 % of the steps are taken?",
    "A width of about 6, the distance of the humps: a good step is a jump from hump to hump. Only "
    "about a quarter of the proposals are taken then, but each that is taken forgets everything.",
    "gap=6&width=1",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["metropolis_tuning", "gibbs_trap", "five_samplers"],
    sources="the course on data analysis: Markov chain Monte Carlo",
)
def chains(
    width: Annotated[float, Slider(0.02, 30, step=1.1, log=True)] = 1.0,
    gap: Annotated[float, Slider(0, 10, step=0.25)] = 4.0,
    start: Annotated[float, Slider(-REACH, REACH, step=0.5)] = -2.0,
    steps: Annotated[int, Slider(80, 2000, step=40)] = 480,
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Chains: a walk that visits every place as often as it should.

    The Metropolis rule proposes a random step and takes it with probability min(1, p(y) / p(x)).
    In the long run places are visited in proportion to the density p, here two humps. How long
    the run must be depends on the width of the steps.

    Parameters
    ----------
    width : float
        Standard deviation of the proposed steps.
    gap : float
        Distance of the two humps, each a normal density of deviation 1.
    start : float
        Where the chain starts.
    steps : int
        Length of the chain.
    seed : int
        Which random numbers are used.
    """
    found = metropolis(
        lambda x: log_density(x[:, 0], gap), [start], steps, width=width, random_state=seed
    )
    states = np.asarray(found.states)[:, 0]
    moved = np.diff(states) != 0
    report = diagnose(states, max_lag=MOST_LAG)
    size = float(report.bulk_size[0])
    density = np.exp(log_density(FINE, gap))
    ends = np.unique(np.linspace(1, steps, SHOWN).round().astype(int))
    edges = np.linspace(-REACH, REACH, 49)
    common: dict[str, Any] = {
        "states": states.round(3),
        "fine": FINE,
        "density": density,
        "edges": edges,
        "lags": report.autocorrelation[:, 0],
        "size": size,
        "taken": float(moved.mean()),
        "r_hat": float(report.r_hat[0]),
    }
    frames = [
        {
            "end": int(end),
            "heights": np.histogram(states[:end], edges)[0] / end / (edges[1] - edges[0]),
        }
        for end in ends
    ]
    return Scene(
        frames, common, _claims(states, moved, width, gap), _code(width, gap, start, steps, seed)
    )


def log_density(x: Floats, gap: float) -> Floats:
    """Return the logarithm of the density of two equal humps."""
    left, right = -((x + gap / 2) ** 2) / 2, -((x - gap / 2) ** 2) / 2
    found: Floats = np.logaddexp(left, right) - np.log(2 * np.sqrt(2 * np.pi))
    return found


@lru_cache(maxsize=256)
def expected_acceptance(width: float, gap: float) -> float:
    """Return how often proposals are taken in the long run, by the trapezoidal rule."""
    x = np.linspace(-gap / 2 - 6, gap / 2 + 6, 181)
    z = np.linspace(-5, 5, 181)
    here, there = log_density(x, gap)[:, None], log_density(x[:, None] + width * z, gap)
    weight = np.exp(here) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    taken = weight * np.exp(np.minimum(0, there - here))
    return float(taken.sum() * (x[1] - x[0]) * (z[1] - z[0]))


def _claims(states, moved, width, gap):  # type: ignore[no-untyped-def]
    """Return the share of steps that are taken, and how far states are from independent."""
    expected = expected_acceptance(width, gap)
    # Neighbouring steps start from nearly the same place: the error comes from means of batches.
    batches = np.array([batch.mean() for batch in np.array_split(moved[len(moved) // 5 :], 20)])
    within = 6 * float(np.std(batches, ddof=1)) / np.sqrt(20) + 0.03
    text = "share of steps that are taken, against the integral"
    limits = {"expected": expected, "within": within, "probability": 1e-3}
    found = [claim(text, float(batches.mean()), **limits)]
    if gap == 0:
        theory = 2 / np.pi * np.arctan(2 / width)
        text = "the integral for one hump is 2/π arctan(2 / width)"
        found.append(claim(text, expected, expected=theory, within=2e-3))
    ratio = np.exp(log_density(states[1:], gap) - log_density(states[:-1], gap))
    low = float(np.log(ratio[moved].min())) if moved.any() else 0.0
    text = "most improbable step that was taken, as log ratio"
    found.append(claim(text, low, at_least=float(np.log(1e-4 / len(states))), probability=1e-4))
    return found


def _code(width: float, gap: float, start: float, steps: int, seed: int) -> str:
    return f"""import numpy as np
from shallows.sampling import diagnose, metropolis

def log_density(x):
    return np.logaddexp(-((x[:, 0] + {gap / 2:g}) ** 2) / 2, -((x[:, 0] - {gap / 2:g}) ** 2) / 2)

chain = metropolis(log_density, [{start:g}], {steps}, width={width:g}, random_state={seed})
report = diagnose(chain.states)
print("taken:", chain.acceptance, "effective size:", report.bulk_size, "R-hat:", report.r_hat)
"""
