"""Experiment: mistake-driven learning and gradient descent on wrong labels."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_separable
from shallows.lab import Run, experiment, line
from shallows.perceptron import Adaline, Perceptron, separability

MOST_DRAWS = 1000


@experiment(
    chapter="perceptron",
    sources="notes-001 S-49, M27, M39; notes-003 M71",
    quick={"p": 60, "epochs": 60},
)
def noisy_labels(
    p: Annotated[int, Range(20, 2000)] = 200,
    n: Annotated[int, Range(2, 50)] = 5,
    flip: Annotated[float, Range(0.05, 0.3)] = 0.1,
    epochs: Annotated[int, Range(20, 1000)] = 200,
    *,
    run: Run,
) -> None:
    """What happens to a perceptron when some labels are wrong?

    Rosenblatt's rule learns a separable set without error and then stops. With a few flipped
    labels no plane is correct, and the rule never stops making mistakes. Descent on the squared
    error converges on both sets, though not without errors.

    Parameters
    ----------
    p : int
        Examples, at least 4 n, so that a few wrong labels can't be learned by heart.
    n : int
        Dimensions of the inputs.
    flip : float
        Share of the labels that are turned around in the second set.
    epochs : int
        Passes over the data.
    """
    p = max(p, 4 * n)
    seed = _contradicting_seed(p, n, flip, run)
    ends: dict[str, list[float]] = {}
    for labels, share in (("clean", 0.0), ("noisy", flip)):
        X, y, _ = make_separable(p, n, margin=0.2, flip=share, random_state=seed)
        batch = Adaline("batch", max_iter=epochs, tol=None).fit(X, y)
        best = Adaline().fit(X, y)
        online = Perceptron(random_state=0)
        mistakes = []
        for epoch in run.progress(range(1, epochs + 1), labels):
            online.partial_fit(X, y, classes=[-1, 1])
            mistakes.append(p * (1 - online.score(X, y)))
            excess = batch.history_["loss"][epoch - 1] - best.history_["loss"][0]
            run.row(
                labels=labels,
                epoch=epoch,
                perceptron_errors=mistakes[-1],
                excess_squared_error=max(excess, 1e-17),
            )
        rows = np.column_stack([X, np.ones(p)])
        slope = rows.T @ (y - rows @ np.append(batch.coef_[0], batch.intercept_))
        ends[labels] = [mistakes[-1], min(mistakes), float(np.linalg.norm(slope)) / p]
    run.figure(
        line(
            "epoch",
            "perceptron_errors",
            color="labels",
            title="Training errors of Rosenblatt's rule after each pass",
        )
    )
    run.figure(
        line(
            "epoch",
            "excess_squared_error",
            color="labels",
            x_log=True,
            y_log=True,
            title="Squared error of gradient descent above its minimum",
        )
    )
    X, y, _ = make_separable(p, n, margin=0.2, flip=flip, random_state=seed)
    contradicting = separability(X, y).contradicting
    run.claim(
        "noisy labels: examples that alone prove that no plane is right",
        len(contradicting),
        at_least=2,
        at_most=n + 2,
    )
    run.claim("clean labels: the perceptron ends without errors", ends["clean"][0], at_most=0)
    run.claim("noisy labels: it never reaches zero errors", ends["noisy"][1], at_least=1)
    for labels, (_, _, slope) in ends.items():
        run.claim(f"{labels} labels: length of the gradient per example", slope, at_most=1e-6)


def _contradicting_seed(p: int, n: int, flip: float, run: Run) -> int:
    """Return a seed whose noisy examples no plane separates; one wrong label may do no harm."""
    for _ in range(MOST_DRAWS):
        seed = int(run.rng.integers(2**31))
        X, y, _ = make_separable(p, n, margin=0.2, flip=flip, random_state=seed)
        if np.ptp(y) > 0 and not separability(X, y).separable:
            return seed
    raise RuntimeError(
        f"noisy_labels: {MOST_DRAWS} noisy sets could be separated. Raise flip or p."
    )
