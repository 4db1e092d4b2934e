"""Experiment: the mean output of dropout, and its cost."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from sklearn.datasets import load_digits

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import Dropout, MLPClassifier


@experiment(
    chapter="network",
    sources="notes-000b Fig. 7.5, M82; notes-002 J4, Algorithm 16",
    quick={"samples": 300, "epochs": 40, "target": 0.8},
)
def dropout_expectation(
    drop: Annotated[float, Range(0.05, 0.95)] = 0.4,
    samples: Annotated[int, Range(200, 1797)] = 600,
    epochs: Annotated[int, Range(20, 500)] = 80,
    target: Annotated[float, Range(0.1, 2)] = 0.5,
    *,
    run: Run,
) -> None:
    """Which output should a network trained with dropout give in use?

    A layer of rectifiers with 4 inputs, 5 units and biases is averaged over all 32 masks of its
    units. The mean is (1 - p) max(0, ZW + b). Scaling the weights instead, max(0, (1 - p) ZW + b),
    is equal only if all biases are zero. In training, dropping more units needs more epochs to
    reach the same loss.

    Parameters
    ----------
    drop : float
        Probability p to drop a unit.
    samples : int
        Digits to train on.
    epochs : int
        Most epochs of training.
    target : float
        Training loss to be reached.
    """
    Z, W = run.rng.standard_normal((6, 4)), run.rng.standard_normal((4, 5))
    masks = np.array(np.meshgrid(*[[0, 1]] * 5)).reshape(5, -1).T
    chance = np.prod(np.where(masks == 1, 1 - drop, drop), axis=1)
    for name, bias in (("random biases", run.rng.standard_normal(5)), ("no biases", np.zeros(5))):
        output = np.maximum(0, Z @ W + bias)
        mean = np.tensordot(chance, masks[:, None, :] * output, axes=1)
        right = float(np.abs(mean - (1 - drop) * output).max())
        printed = float(np.abs(mean - np.maximum(0, (1 - drop) * Z @ W + bias)).max())
        run.claim(
            f"{name}: mean over masks is (1 - p) max(0, ZW + b)", right, expected=0, within=1e-12
        )
        if name == "no biases":
            run.claim("no biases: scaled weights agree", printed, expected=0, within=1e-12)
        else:
            run.claim("random biases: scaled weights deviate", printed, at_least=0.05)
    run.note(
        "Algorithm 16 of notes-002 prints max(0, (1 - p) ZW + b) for testing, which is not the "
        "mean of the outputs over masks unless b = 0."
    )

    X, y = load_digits(return_X_y=True)
    X, y = X[:samples] / 16, y[:samples]
    reached = []
    shares = [0.0, 0.2, 0.5, 0.8]
    for share in run.progress(shares):
        model = MLPClassifier(
            50,
            dropout=Dropout(1 - share),
            learning_rate_init=0.005,
            batch_size=50,
            max_iter=epochs,
            tol=None,
            random_state=0,
        ).fit(X, y)
        losses = np.array(model.history_["loss"])
        run.rows(dropped=[share] * epochs, epoch=np.arange(1, epochs + 1), loss=losses)
        below = np.flatnonzero(losses <= target)
        reached.append(int(below[0]) + 1 if len(below) else epochs + 1)
    run.figure(
        line(
            "epoch",
            "loss",
            color="dropped",
            y_log=True,
            y_rule=target,
            title="Training loss while units are dropped",
        )
    )
    steps = [later - earlier for earlier, later in pairwise(reached)]
    run.claim("epochs to the target rise with p (smallest step)", min(steps), at_least=1)
