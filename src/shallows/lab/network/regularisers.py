"""Experiment: early stopping, weight decay, dropout and pruning against overfitting."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from scipy.stats import ttest_rel
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, line
from shallows.network import Dropout, MLPClassifier, forward, prune

WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "early stopping": {"early_stopping": True, "validation_fraction": 0.3},
    "weight decay": {"alpha": 1.0},
    "dropout": {"dropout": Dropout(0.3)},
    "max-norm": {"max_norm": 1.0},
}


@experiment(
    chapter="network",
    sources="notes-000b Fig. 7.4, M71; notes-003 M92, Fig. 4.21; notes-002 tasks",
    quick={"sets": 8, "epochs": 100, "samples": 50, "units": 50},
)
def regularisers(
    samples: Annotated[int, Range(40, 500)] = 60,
    units: Annotated[int, Range(20, 300)] = 100,
    sets: Annotated[int, Range(5, 100)] = 10,
    epochs: Annotated[int, Range(100, 5000)] = 300,
    *,
    run: Run,
) -> None:
    """What prevents a large network from overfitting?

    Two overlapping moons, few samples, many hidden units. A plain network becomes ever more
    certain of its errors, so its loss on new data rises. Early stopping on held-out data, weight
    decay, dropout, a bound on the norm of the weights, and removing all hidden units but three
    each lower the mean test loss.

    Parameters
    ----------
    samples : int
        Training samples of each set.
    units : int
        Hidden units.
    sets : int
        Training sets and starts.
    epochs : int
        Most epochs of training.
    """
    X_test, y_test = make_moons(2000, noise=0.4, random_state=1)
    losses: dict[str, list[float]] = {name: [] for name in (*WAYS, "pruning")}
    worst_gap = 0.0
    for number in run.progress(range(sets)):
        X, y = make_moons(samples, noise=0.4, random_state=int(run.rng.integers(2**31)))
        seed = int(run.rng.integers(2**31))
        for name, options in WAYS.items():
            model = MLPClassifier(
                units,
                learning_rate_init=0.1,
                max_iter=epochs,
                tol=None,
                random_state=seed,
                **{"alpha": 0.0, **options},
            ).fit(X, y)
            losses[name].append(float(log_loss(y_test, model.predict_proba(X_test))))
            if name == "early stopping":
                worst_gap = max(worst_gap, _gap_to_best(model, X, y, seed))
                if number == 0:
                    epoch = np.arange(1, model.n_iter_ + 1)
                    for part, key in (("training", "loss"), ("held out", "val_loss")):
                        run.rows(
                            "curve", data=[part] * len(epoch), epoch=epoch, loss=model.history_[key]
                        )
            if name == "plain":
                net = prune(model, X, y, units - 3, method="unit", max_iter=20).network
                found = np.clip(forward(net, X_test).ravel(), 1e-12, 1 - 1e-12)
                losses["pruning"].append(float(log_loss(y_test, found)))
    for name, values in losses.items():
        run.row(
            way=name,
            test_loss=float(np.mean(values)),
            standard_error=float(np.std(values, ddof=1) / np.sqrt(sets)),
        )
    run.figure(bars("way", "test_loss", error="standard_error", title="Mean loss on new data"))
    run.figure(
        line(
            "epoch",
            "loss",
            color="data",
            table="curve",
            y_log=True,
            title="Loss while a large network learns",
        )
    )
    run.claim(
        "early stopping returns the weights of the best validation epoch (difference of scores)",
        worst_gap,
        expected=0,
        within=1e-12,
    )
    for name in losses:
        if name != "plain":
            run.claim(
                f"{name} lowers the mean test loss (p-value of a paired t-test)",
                float(ttest_rel(losses["plain"], losses[name], alternative="greater").pvalue),
                at_most=0.05,
                probability=0.05,
            )


def _gap_to_best(model: MLPClassifier, X: Any, y: Any, seed: int) -> float:
    """Return the difference of the best recorded score and the score of what was returned."""
    rng, held = np.random.default_rng(seed), np.zeros(len(y), dtype=bool)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        held[rng.permutation(rows)[: round(0.3 * len(rows))]] = True
    return abs(float(model.score(X[held], y[held])) - max(model.history_["val_score"]))
