"""Experiment: kernel ridge regression that underfits, fits well, and overfits."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows._core.numerics.k_nearest import k_nearest
from shallows.kernel import KernelRidgeClassifier
from shallows.lab import Run, experiment, line


@experiment(chapter="kernel", sources="notes-002 E13, Fig. 4.2", quick={"n": 200, "widths": 9})
def krr_fit_regimes(
    n: Annotated[int, Range(100, 2000)] = 300,
    widths: Annotated[int, Range(7, 60)] = 25,
    noise: Annotated[float, Range(0, 0.3)] = 0.1,
    penalty: Annotated[float, Range(0.01, 100)] = 1.0,
    *,
    run: Run,
) -> None:
    """How wide should a Gaussian kernel be?

    Kernel ridge regression with a fixed penalty learns a disc in the unit square, with some
    flipped labels. A narrow kernel memorises the sample, including flipped labels, and can't
    generalise; a wide kernel can't follow the disc. The test error is smallest in between.

    Parameters
    ----------
    n : int
        Training points.
    widths : int
        Kernel widths from 0.001 to 1, on a logarithmic scale.
    noise : float
        Share of flipped labels.
    penalty : float
        Penalty of the regression.
    """
    X, y = _noisy_disc(n, noise, run.rng)
    new, truth = _noisy_disc(4000, noise, run.rng)
    for sigma in run.progress(np.geomspace(0.001, 1, widths)):
        model = KernelRidgeClassifier(penalty, gamma=0.5 / sigma**2).fit(X, y)
        errors = np.mean(model.predict(X) != y), np.mean(model.predict(new) != truth)
        run.row(sigma=sigma, training_error=errors[0], test_error=errors[1])
    run.figure(
        line(
            "sigma",
            ["training_error", "test_error"],
            x_log=True,
            y_rule=noise,
            title="Errors against kernel width; the dashed line is the share of flipped labels",
        )
    )
    table = run.columns()
    training, test = table["training_error"], table["test_error"]
    best = int(test.argmin())
    run.claim("narrowest kernel: training error", training[0], expected=0, within=0)
    run.claim("narrowest kernel: test error over the best", test[0] / test[best], at_least=1.5)
    nearest = k_nearest(new, X, 1)[0][:, 0]
    narrow = KernelRidgeClassifier(penalty, gamma=0.5 / 0.001**2).fit(X, y)
    outputs = narrow.decision_function(new)
    speaks = outputs != 0
    same = np.mean(np.sign(outputs[speaks]) == y[nearest[speaks]])
    run.claim("narrowest kernel: agreement with the nearest neighbour", same, at_least=0.97)
    run.claim("widest kernel: highest training error", training[-1], at_least=float(training.max()))
    run.claim("the best width lies inside the grid", best, at_least=1, at_most=widths - 2)
    run.claim("best test error over that of the widest kernel", test[best] / test[-1], at_most=0.9)
    run.note(
        "The narrowest kernel is said to be near chance on new data. Its outputs are tiny there, "
        "but their signs are those of the nearest neighbour, so its error is that rule's: "
        f"{np.mean(y[nearest] != truth):.3f}. Only where all outputs underflow "
        f"({1 - speaks.mean():.0%} of the square) does it say nothing."
    )
    run.note(
        f"The best width depends on the sample: here it is {table['sigma'][best]:.2g}; the figure "
        "of the notes calls 0.05 right, for a sample that is not given."
    )


def _noisy_disc(
    n: int, noise: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Points of the unit square, +1 inside a disc of half its area, some labels flipped."""
    X = rng.random((n, 2))
    inside = ((X - 0.5) ** 2).sum(axis=1) < 0.5 / np.pi
    return X, np.where(inside ^ (rng.random(n) < noise), 1, -1)
