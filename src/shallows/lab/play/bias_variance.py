"""Playground: polynomials that are fitted again and again."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.polynomial.legendre import legvander
from numpy.typing import NDArray

from shallows.lab._play_parameters import Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground
from shallows.linear import LinearRegression
from shallows.validate import smoother_bias_variance

Floats = NDArray[np.float64]
MOST_DEGREE = 12
FINE = np.linspace(-1, 1, 81)

LESSONS = [
    Lesson(
        "Too simple, too flexible",
        "Move the degree from 1 to 12 while the fits are on show.",
        "With degree 1 all fits agree and all are wrong. With degree 12 each follows its own "
        "noise, "
        "and only their mean is right.",
        "The expected error has three parts: noise, the squared distance of the mean fit from the "
        "truth (bias²), and the spread of fits around their mean (variance). Degree trades the "
        "second for the third.",
        "degree=1&play=yes",
    ),
    Lesson(
        "Every coefficient costs the same",
        "Watch the claim on variance while you move degree, noise and number of samples.",
        "The mean variance at the samples is (K + 1) / n σ², whatever the truth is.",
        "Least squares projects the noise onto a space of K + 1 dimensions. Noise has σ² along "
        "each "
        "of the n directions, so that (K + 1) σ² of it remains, spread over n samples.",
        "degree=8&samples=20",
    ),
    Lesson(
        "More data beat less flexibility",
        "Keep degree 9 and raise the number of samples.",
        "The band shrinks, and the best degree in the lower picture moves to the right.",
        "Variance falls like 1 / n, bias² doesn't change. With many samples a flexible model has "
        "nothing to fear.",
        "degree=9&samples=60",
    ),
]
EXERCISE = Exercise(
    "The training error falls with every degree. By how much does it fall when only noise is left "
    "to be fitted? Read it from the claims.",
    "The mean squared residual is (1 - (K + 1) / n) σ² plus the bias: each degree takes σ² / n. "
    "The error on new samples rises by the same amount, so the gap between both is 2 σ² (K + 1) "
    "/ n.",
    "degree=7&samples=20",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["cubic_bias_variance", "bishop_polynomials", "noisy_sine_orders"],
    sources="Biehl, The Shallow and the Deep, section 7.2: bias and variance; Bishop, chapter 1",
)
def bias_variance(
    degree: Annotated[int, Slider(0, MOST_DEGREE)] = 5,
    noise: Annotated[float, Slider(0, 1, step=0.02)] = 0.3,
    samples: Annotated[int, Slider(14, 80)] = 20,
    redraws: Annotated[int, Slider(2, 80)] = 30,
    bend: Annotated[float, Slider(0, 3, step=0.1)] = 1.0,
    seed: Annotated[int, Slider(0, 50)] = 0,
) -> Scene:
    """Bias and variance: the same model, fitted to one data set after another.

    Samples of a sine with noise are drawn again and again, and a polynomial is fitted to each set.
    How far is the mean fit from the truth, and how far do single fits scatter?

    Parameters
    ----------
    degree : int
        Degree K of the polynomial.
    noise : float
        Standard deviation σ of the noise.
    samples : int
        Size n of each data set.
    redraws : int
        Number of data sets.
    bend : float
        Periods of the sine.
    seed : int
        Which data sets are drawn.
    """
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, samples)
    truth, fine_truth = np.sin(np.pi * bend * x), np.sin(np.pi * bend * FINE)
    Y = truth[:, None] + noise * rng.standard_normal((samples, redraws))
    model = fit(x, np.column_stack([Y, truth]), degree)
    fitted, fine = predict(model, x, degree), predict(model, FINE, degree)
    mean, around = fine[:, -1], fine[:, :-1]
    spread = smoother_bias_variance(smoother(samples, degree, True), truth, fine_truth, noise**2)
    band = np.sqrt(spread.variance)
    curves = [_parts(truth, k, noise) for k in range(MOST_DEGREE + 1)]
    common: dict[str, Any] = {
        "x": x,
        "fine": FINE,
        "truth": fine_truth,
        "mean": mean,
        "band": band,
        "fits": around.T,
        "bias": [bias for bias, _ in curves],
        "variance": [variance for _, variance in curves],
    }
    frames = [{"y": Y[:, i]} for i in range(redraws)]
    claims = _claims(fitted, Y, truth, degree, noise, curves[degree][0])
    return Scene(frames, common, claims, _code(degree, noise, samples, redraws, bend, seed))


def fit(x: Floats, Y: Floats, degree: int) -> LinearRegression:
    """Return least squares on Legendre's polynomials, for all columns of targets at once."""
    return LinearRegression(fit_intercept=False).fit(legvander(x, degree), Y)


def predict(model: LinearRegression, x: Floats, degree: int) -> Floats:
    """Return the fitted values, one column per data set."""
    found: Floats = model.predict(legvander(x, degree))
    return found


@lru_cache(maxsize=256)
def smoother(samples: int, degree: int, fine: bool = False) -> Floats:
    """Return the matrix that turns targets into fitted values at the samples or at fine steps."""
    x = np.linspace(-1, 1, samples)
    return predict(fit(x, np.eye(samples), degree), FINE if fine else x, degree)


def _parts(truth: Floats, degree: int, noise: float) -> tuple[float, float]:
    parts = smoother_bias_variance(smoother(len(truth), degree), truth, truth, noise**2)
    return float((parts.bias**2).mean()), float(parts.variance.mean())


def _claims(fitted, Y, truth, degree, noise, bias):  # type: ignore[no-untyped-def]
    """Return the two laws of least squares, with their chance of a false alarm."""
    n, redraws = Y.shape
    free, square = degree + 1, noise**2
    spread = float(((fitted[:, :-1] - fitted[:, -1:]) ** 2).mean())
    expected = free / n * square
    within = 5 * expected * np.sqrt(2 / (free * redraws)) + 1e-12
    left = float(((Y - fitted[:, :-1]) ** 2).mean())
    rest = (1 - free / n) * square + bias
    # Variance of the noise's square, and of its product with the bias.
    deviation = np.sqrt(2 * square**2 * (n - free) / n + 4 * square * bias) / np.sqrt(n * redraws)
    return [
        claim("variance at the samples is (K + 1) / n σ²", spread, expected=expected, within=within,
              probability=1e-4),
        claim("training error is (1 - (K + 1) / n) σ² + bias²", left, expected=rest,
              within=5 * deviation + 1e-12, probability=1e-5),
    ]  # fmt: skip


def _code(degree: int, noise: float, samples: int, redraws: int, bend: float, seed: int) -> str:
    return f"""import numpy as np
from numpy.polynomial.legendre import legvander
from shallows.linear import LinearRegression

rng = np.random.default_rng({seed})
x = np.linspace(-1, 1, {samples})
truth = np.sin(np.pi * {bend:g} * x)
Y = truth[:, None] + {noise:g} * rng.standard_normal(({samples}, {redraws}))

basis = legvander(x, {degree})
fits = LinearRegression(fit_intercept=False).fit(basis, Y).predict(basis)
mean = LinearRegression(fit_intercept=False).fit(basis, truth).predict(basis)
print("bias squared:", ((mean - truth) ** 2).mean())
print("variance:", ((fits - mean[:, None]) ** 2).mean())
print("(K + 1) / n sigma^2:", {degree + 1} / {samples} * {noise:g} ** 2)
"""
