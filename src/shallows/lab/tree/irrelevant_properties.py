"""Experiment: one property that tells the class, among many that don't."""

from __future__ import annotations

from copy import copy
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.data import make_irrelevant
from shallows.lab import Run, experiment, line
from shallows.tree import AttributeTable, DecisionTreeClassifier
from shallows.tree._prune import prune_by_cost, pruning_path

Array = NDArray[Any]
FALSE_ALARM = 1e-4


@experiment(
    chapter="tree",
    sources="notes-004a 27, 29, experiments (irrelevant properties)",
    quick={"samples": 200, "repeats": 12, "noise": 20},
)
def irrelevant_properties(
    samples: Annotated[int, Range(150, 2000)] = 300,
    noise: Annotated[int, Range(20, 60)] = 40,
    error: Annotated[float, Range(0.05, 0.2)] = 0.1,
    repeats: Annotated[int, Range(10, 200)] = 40,
    *,
    run: Run,
) -> None:
    """What does a full tree learn from properties that say nothing?

    One binary property agrees with the class in most rows, the others are tossed coins. The best
    tree asks one question. The full tree asks it first, then goes on until it has every training
    row right, by chance of the coins, and predicts worse. Pruning it step by step, and keeping
    the smallest tree with the least error on other data, takes it back.

    Parameters
    ----------
    samples : int
        Training rows; as many again choose the pruning.
    noise : int
        Properties that say nothing.
    error : float
        How often the informative property differs from the class.
    repeats : int
        Tables drawn.
    """
    steps: dict[int, list[float]] = {}
    for _ in run.progress(range(repeats)):
        X, y = make_irrelevant(samples, noise, error=error, random_state=run.rng)
        X_val, y_val = make_irrelevant(samples, noise, error=error, random_state=run.rng)
        X_new, y_new = make_irrelevant(4000, noise, error=error, random_state=run.rng)
        full = DecisionTreeClassifier("entropy").fit(X, y)
        contrary = bool(AttributeTable(X, y).contradictions())
        pruned, errors = _prune_by_steps(full, X_val, y_val)
        for leaves, value in errors:
            steps.setdefault(leaves, []).append(value)
        run.row(
            root=int(full.tree_.feature[0]),
            contradictions=contrary,
            train_error=1 - full.score(X, y),
            full_error=1 - full.score(X_new, y_new),
            pruned_error=1 - pruned.score(X_new, y_new),
            full_leaves=full.get_n_leaves(),
            pruned_leaves=pruned.get_n_leaves(),
        )
    for leaves in sorted(steps):
        if len(steps[leaves]) >= repeats / 4:
            run.row("sizes", leaves=leaves, error=float(np.mean(steps[leaves])), best=error)
    run.figure(
        line(
            "leaves",
            "error",
            theory="best",
            table="sizes",
            x_log=True,
            title="Error on other data of the full tree's prunings",
        )
    )

    table = run.columns()
    chance_of_root = repeats * _chance_that_noise_wins(samples, noise, error)
    run.claim(
        "the root asks for the informative property (share of tables)",
        np.mean(table["root"] == 0),
        expected=1,
        within=0,
        probability=max(min(chance_of_root, 0.5), 1e-12),
    )
    clean = ~table["contradictions"].astype(bool)
    run.claim(
        "tables without contradiction: largest training error of the full tree",
        table["train_error"][clean].max() if clean.any() else 0.0,
        expected=0,
        within=0,
    )
    worse = table["full_error"] - table["pruned_error"]
    run.claim(
        "the full tree predicts worse than the pruned one (mean over standard error)",
        worse.mean() / (worse.std(ddof=1) / np.sqrt(repeats) + 1e-12),
        at_least=4,
        probability=FALSE_ALARM,
    )
    run.claim(
        "leaves of the pruned tree: one question (median)",
        np.median(table["pruned_leaves"]),
        expected=2,
        within=0,
        probability=1e-3,
    )
    run.claim(
        "error of the pruned tree above the informative property's own (mean)",
        table["pruned_error"].mean() - error,
        at_least=-0.01,
        at_most=0.03,
        probability=1e-3,
    )


def _prune_by_steps(full: Any, X: Array, y: Array) -> tuple[Any, list[tuple[int, float]]]:
    """Return the smallest of the prunings with the least error, and leaves and error of all."""
    best, least, errors = full, np.inf, []
    for alpha in np.unique(pruning_path(full.tree_).ccp_alphas) * (1 + 1e-9):
        model = copy(full)
        model.tree_ = prune_by_cost(full.tree_, float(alpha))
        wrong = float(1 - model.score(X, y))
        errors.append((model.get_n_leaves(), wrong))
        if wrong <= least:
            best, least = model, wrong
    return best, errors


def _chance_that_noise_wins(samples: int, noise: int, error: float) -> float:
    """Bound the chance that some coin agrees with the class more often, by Hoeffding."""
    gap = (0.5 - error) / 2
    return float(2 * (noise + 1) * np.exp(-2 * samples * gap**2))
