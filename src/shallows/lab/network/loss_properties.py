"""Experiment: properties of cost functions, and why cross-entropy learns faster."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.datasets import make_blobs

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import (
    Network,
    backpropagate,
    cross_entropy,
    forward,
    kullback_leibler,
    minkowski_error,
    sign_quadratic_error,
)


@experiment(
    chapter="network",
    sources="notes-000b M21-M24; notes-002 J8; notes-003 M26",
    quick={"epochs": 60},
)
def loss_properties(
    classes: Annotated[int, Range(2, 100)] = 10,
    epochs: Annotated[int, Range(40, 2000)] = 200,
    rate: Annotated[float, Range(0.05, 2)] = 0.5,
    *,
    run: Run,
) -> None:
    """What do cost functions favour, and which one escapes from a wrong start?

    The Minkowski error is smallest for the median with exponent 1 and for the mean with exponent
    2. A prediction without information costs ln k in cross-entropy. The Kullback-Leibler
    divergence is cross-entropy minus the entropy of the truth. From a saturated wrong start, where
    the slope of the sigmoid is tiny, the quadratic cost hardly moves: its gradient contains this
    slope as a factor, which cancels in cross-entropy.

    Parameters
    ----------
    classes : int
        Number of classes of the prediction without information.
    epochs : int
        Steps of batch descent from the wrong start.
    rate : float
        Learning rate of both.
    """
    sample = np.sort(run.rng.exponential(size=41))
    for r, name, best in ((1.0, "median", np.median), (2.0, "mean", np.mean)):
        found = minimize_scalar(
            lambda c, r=r: minkowski_error(np.full(41, c), sample, r),
            bounds=(0.0, float(sample.max())),
            method="bounded",
            options={"xatol": 1e-9},
        )
        run.claim(
            f"best constant for r = {r:.0f}: the {name}",
            float(found.x),
            expected=float(best(sample)),
            within=1e-3,
        )
    uniform = cross_entropy(np.full((1, classes), 1 / classes), np.eye(classes)[:1])
    run.claim(
        "a uniform prediction costs ln k", uniform, expected=float(np.log(classes)), within=1e-9
    )
    out, soft = run.rng.dirichlet(np.ones(4), 20), run.rng.dirichlet(np.ones(4), 20)
    gap = cross_entropy(out, soft) - cross_entropy(soft, soft) - kullback_leibler(out, soft)
    run.claim("divergence = cross-entropy - entropy (difference)", gap, expected=0, within=1e-12)
    run.claim("the divergence is positive", kullback_leibler(out, soft), at_least=1e-6)
    values = run.rng.uniform(-1, 1, 20)
    right = sign_quadratic_error(values, np.where(values == 0, 1.0, np.sign(values)))
    run.claim(
        "sign-focused cost with gamma = 0 of outputs with the right sign",
        right,
        expected=0,
        within=0,
    )

    X, labels = make_blobs(100, centers=2, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = labels[:, None].astype(float)
    direction = np.linalg.lstsq(X, 2 * y - 1, rcond=None)[0]
    left = {}
    for name, loss in (("cross-entropy", "log_loss"), ("quadratic", "squared_error")):
        net = Network(
            [-6 * direction / np.linalg.norm(direction)], [np.zeros(1)], ("logistic",), loss
        )
        for epoch in range(epochs):
            found_ = backpropagate(net, X, y)
            wrong = float(np.mean((forward(net, X) > 0.5) != y))
            run.row(cost=name, epoch=epoch, wrong=wrong)
            net.weights[0][:] -= rate * found_.weights[0]
            net.biases[0][:] -= rate * found_.biases[0]
        table = run.columns()
        curve = table["wrong"][table["cost"] == name]
        below = np.flatnonzero(curve < 0.5)
        left[name] = int(below[0]) if len(below) else epochs
    run.figure(
        line("epoch", "wrong", color="cost", title="Share of errors from a saturated wrong start")
    )
    run.claim(
        "epochs until half are right: cross-entropy over quadratic cost",
        left["cross-entropy"] / left["quadratic"],
        at_most=0.8,
    )
