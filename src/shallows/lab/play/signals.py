"""Playground: the LMS filter on its bowl."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground
from shallows.signal import LMS

Floats = NDArray[np.float64]
BEST = np.array([0.6, -0.4])
EACH = 2  # samples per frame
FAR = 50.0
LONG = 20_000  # samples from which the misadjustment is measured

LESSONS = [
    Lesson(
        "A drunken descent",
        "Play with the usual step size, then with a tenth and with five times of it.",
        "The path follows the dashed mean path with detours. A large step is fast and never rests; "
        "a small one is slow and ends near the minimum.",
        "Each step uses one sample's gradient: right on average, wrong in detail. The excess of "
        "the "
        "error over the least one, the misadjustment, is about μ tr R.",
        "play=yes",
    ),
    Lesson(
        "A stretched bowl",
        "Raise the spread of the eigenvalues from 1 to 30.",
        "The filter falls into the valley at once and then crawls along it.",
        "Along an eigenvector of the input's correlation R the mean error shrinks by 1 - 2 μ λ per "
        "step. The largest λ limits μ, the smallest one then decides how long it takes.",
        "spread=30&mu=0.05&play=yes",
    ),
    Lesson(
        "Over the edge",
        "Raise the step size until the filter is lost.",
        "Long before the mean path would diverge, single samples throw the weights out.",
        "The mean is stable for μ < 1 / λ. For the mean square, which counts, about a third of 1 / "
        "tr R is safe: a large input makes a step too long, whatever the mean says.",
        "mu=0.5&spread=8",
    ),
]
EXERCISE = Exercise(
    "The noise has deviation 0.3. Which μ brings the misadjustment to 5 %? How many steps does the "
    "slow direction then take to shrink to a third, if the spread is 10?",
    "tr R is 2 here, so μ = 0.025. The small eigenvalue is 2 / 11 = 0.18, and 1 / (2 μ λ) is about "
    "110 steps.",
    "mu=0.025&spread=10",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["lms_misadjustment", "eigenvalue_spread", "plant_identification"],
    sources="the course on neural networks: adaptive filters; Widrow and Stearns, chapters 4 to 6",
)
def signals(
    start: Annotated[list, Points(most=1, classes=1, least=1)] = [(-1.5, 1.2, 0.0)],  # type: ignore[type-arg]  # noqa: B006
    mu: Annotated[float, Slider(0.001, 1, step=1.05, log=True)] = 0.03,
    spread: Annotated[float, Slider(1, 50, step=0.5)] = 6.0,
    noise: Annotated[float, Slider(0, 1, step=0.02)] = 0.3,
    samples: Annotated[int, Slider(20, 400, step=10)] = 200,
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Signals: a filter that learns from one sample after the other.

    Two weights learn to predict a target from two correlated inputs by the LMS rule of Widrow and
    Hoff. The bowl is the mean squared error; the filter never sees it, only single samples.

    Parameters
    ----------
    start : list of (x, y, 0)
        First weights.
    mu : float
        Step size μ.
    spread : float
        Ratio of the eigenvalues of the input's correlation, whose sum is 2.
    noise : float
        Standard deviation of the target's noise.
    samples : int
        Length of the signal.
    seed : int
        Which signal is drawn.
    """
    values, axes = eigen(spread)
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((samples, 2)) * np.sqrt(values) @ axes
    y = X @ BEST + noise * rng.standard_normal(samples)
    path = learn(X, y, np.array(start[0][:2]), mu)
    mean = _mean_path(np.array(start[0][:2]), values, axes, mu, len(path))
    square = noise**2
    cost = square + (((path - BEST) @ axes.T) ** 2 * values).sum(axis=1)
    lost = len(path) < samples // EACH + 1
    common: dict[str, Any] = {
        "axes": axes,
        "values": values,
        "best": BEST,
        "mean": mean,
        "cost": np.minimum(cost, 1e4),
        "mean_cost": np.minimum(square + (((mean - BEST) @ axes.T) ** 2 * values).sum(axis=1), 1e4),
        "noise": square,
        "lost": lost,
        "limit": 1 / values.max(),
    }
    claims = _claims(mu, spread, values, lost, path, X, y, start)
    frames = [{"at": at} for at in path]
    return Scene(frames, common, claims, _code(start[0], mu, spread, noise, samples, seed))


def eigen(spread: float) -> tuple[Floats, Floats]:
    """Return eigenvalues of sum 2 and eigenvectors, as rows, of the correlation of the inputs."""
    values = np.array([1.0, spread]) * 2 / (1 + spread)
    return values, np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2)


def learn(X: Floats, y: Floats, start: Floats, mu: float) -> Floats:
    """Return the weights after every few samples, until they are lost."""
    # The filter starts from zero, so that it learns what is missing.
    model, path = LMS(mu), [start]
    rest = y - X @ start
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that mu may be too large
        for first in range(0, len(X) - EACH + 1, EACH):
            part = slice(first, first + EACH)
            try:
                model.partial_fit(X[part], rest[part])
            except FloatingPointError:
                break
            path.append(start + model.coef_)
            if np.abs(path[-1]).max() > FAR:
                break
    return np.array(path)


@lru_cache(maxsize=64)
def misadjustment(mu: float, spread: float) -> float:
    """Return the relative excess of the error of a long run from the best weights."""
    values, axes = eigen(spread)
    rng = np.random.default_rng(1)
    X = rng.standard_normal((LONG, 2)) * np.sqrt(values) @ axes
    model = LMS(mu).fit(X, rng.standard_normal(LONG))
    return float(np.mean(model.errors_[LONG // 20 :] ** 2)) - 1


def _mean_path(start: Floats, values: Floats, axes: Floats, mu: float, count: int) -> Floats:
    steps = EACH * np.arange(count)[:, None]
    shrunk = np.clip((1 - 2 * mu * values) ** steps, -1e3, 1e3)
    found: Floats = BEST + (shrunk * (axes @ (start - BEST))) @ axes
    return found


def _claims(mu, spread, values, lost, path, X, y, start):  # type: ignore[no-untyped-def]
    """Return what theory says of the step size."""
    first = np.array(start[0][:2])
    w = first.copy()
    for i in range(min(2 * EACH, (len(path) - 1) * EACH)):
        w = w + 2 * mu * (y[i] - X[i] @ w) * X[i]
    steps = min(2, len(path) - 1)
    gap = float(np.abs(w - path[steps]).max()) / max(1.0, float(np.abs(w).max()))
    found = [claim("each step is 2 μ e x, gap", gap, at_most=1e-9)]
    if mu * values.sum() < 1 / 3:
        found.append(claim("μ tr R is below 1/3, so it is not lost", lost, holds=not lost))
    if mu * values.sum() <= 0.1:
        text = f"misadjustment of {LONG:,} samples, near μ tr R"
        expected = mu * float(values.sum())
        # Theory to second order, and the noise of a mean of correlated squares.
        within = expected**2 * 2 + 8 * np.sqrt(2 / LONG) * np.sqrt(expected)
        found.append(claim(text, misadjustment(mu, spread), expected=expected, within=within,
                           probability=1e-4))  # fmt: skip
    return found


def _code(start, mu, spread, noise, samples, seed):  # type: ignore[no-untyped-def]
    return f"""import numpy as np
from shallows.signal import LMS

values = np.array([1, {spread:g}]) * 2 / {1 + spread:g}  # eigenvalues of the correlation R
axes = np.array([[1, -1], [1, 1]]) / np.sqrt(2)
rng = np.random.default_rng({seed})
X = rng.standard_normal(({samples}, 2)) * np.sqrt(values) @ axes
y = X @ [0.6, -0.4] + {noise:g} * rng.standard_normal({samples})

start = np.array([{start[0]:g}, {start[1]:g}])
try:
    model = LMS({mu:g}, keep_path=True).fit(X, y - X @ start)
    print("weights:", start + model.coef_, "stable below", 1 / values.max())
except FloatingPointError as error:
    print(error)
"""
