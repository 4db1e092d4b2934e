"""Experiment: a fair comparison of batch, mini-batch and on-line learning."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import SGD, MLPRegressor


@experiment(
    chapter="network",
    sources="notes-003 Fig. 4.20, M84, M93",
    quick={"epochs": 60, "samples": 96},
)
def fair_batch_sizes(
    samples: Annotated[int, Range(64, 1000)] = 256,
    epochs: Annotated[int, Range(50, 2000)] = 200,
    decay: Annotated[float, Range(0.01, 10)] = 1.0,
    *,
    run: Run,
) -> None:
    """Does the size of a batch change what is learned?

    Linear regression with weight decay. The penalty belongs to the whole data set: in a step on a
    batch its strength is divided by the number of all samples, not of those in the batch;
    otherwise small batches apply the decay many times. Then all batch sizes converge to the same
    minimum. If gradients are means, the learning rate of batch descent does not depend on the
    number of samples, but single-sample steps need a much smaller rate.

    Parameters
    ----------
    samples : int
        Number of samples.
    epochs : int
        Passes over the data.
    decay : float
        Strength of the penalty on the whole set.
    """
    X = run.rng.standard_normal((samples, 5))
    y = X @ run.rng.standard_normal(5) + 0.3 * run.rng.standard_normal(samples)
    design = np.c_[X, np.ones(samples)]
    penalty = np.diag([decay] * 5 + [0.0])
    best = np.linalg.solve(design.T @ design + penalty, design.T @ y)
    ends = {}
    for size, rate in run.progress([(samples, 0.3), (32, 0.1), (1, 0.01)]):
        for fair in (True, False):
            # the estimator divides alpha by the batch: fair is decay * batch / samples
            alpha = decay * size / samples if fair else decay

            def falling(epoch: int, rate: float = rate) -> float:
                return rate / (1 + 0.1 * (epoch - 1))

            model = MLPRegressor(
                hidden_layer_sizes=(),
                solver=SGD(momentum=0.0),
                alpha=alpha,
                batch_size=size,
                max_iter=epochs,
                learning_rate=falling,
                tol=None,
                random_state=0,
            ).fit(X, y)
            found = np.concatenate([model.coefs_[0].ravel(), model.intercepts_[0]])
            ends[size, fair] = float(np.linalg.norm(found - best) / np.linalg.norm(best))
            if fair:
                losses = np.array(model.history_["loss"])
                run.rows(batch=[size] * epochs, epoch=np.arange(1, epochs + 1), loss=losses)
    run.figure(line("epoch", "loss", color="batch", x_log=True, y_log=True, title="Loss per epoch"))
    run.claim(
        "fair penalty: largest distance from the common minimum (share of its length)",
        max(ends[size, True] for size in (samples, 32, 1)),
        at_most=0.1,
    )
    run.claim(
        "same alpha for single samples: distance from that minimum", ends[1, False], at_least=0.2
    )
    twice = np.vstack([X, X])
    same = [
        MLPRegressor(
            hidden_layer_sizes=(),
            solver=SGD(momentum=0.0),
            alpha=0.0,
            batch_size=None,
            tol=None,
            learning_rate_init=0.1,
            max_iter=20,
            random_state=0,
        )
        .fit(data, targets)
        .coefs_[0]
        for data, targets in ((X, y), (twice, np.r_[y, y]))
    ]
    run.claim(
        "mean gradients: the same rate on twice the data gives the same weights",
        float(np.abs(same[0] - same[1]).max()),
        expected=0,
        within=1e-12,
    )
