"""Experiment: what stops too early never sees what comes later."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import truth_table
from shallows.lab import Run, bars, experiment, line
from shallows.tree import DecisionTreeClassifier, prune


@experiment(chapter="tree", sources="notes-004a 28, 29", quick={"inputs": 2, "copies": 25})
def horizon(
    inputs: Annotated[int, Range(2, 6)] = 3,
    copies: Annotated[int, Range(20, 1000)] = 50,
    *,
    run: Run,
) -> None:
    """Why grow a tree and prune it, instead of stopping in time?

    The parity of two inputs is XOR: knowing one of them tells nothing about it. So the question
    at the root gains nothing, and a tree that asks only what pays stops there and guesses. Grown
    to the end, the last question pays for all; pruning from the bottom upwards sees that.

    Parameters
    ----------
    inputs : int
        Inputs whose parity is the class.
    copies : int
        How often each row of the truth table occurs.
    """
    corners, parity = truth_table("xor", inputs)
    X, y = np.repeat(corners, copies, axis=0), np.repeat(parity, copies)
    seed = int(run.rng.integers(2**31))
    full = DecisionTreeClassifier("entropy").fit(X, y)
    models = {
        "stopped by chi-square": DecisionTreeClassifier("entropy", stop="chi2").fit(X, y),
        "stopped by validation": DecisionTreeClassifier(
            "entropy", stop="validation", random_state=seed
        ).fit(X, y),
        "grown to the end": full,
        "grown and pruned": prune(full, corners, parity),
    }
    errors = {name: 1 - model.score(corners, parity) for name, model in models.items()}
    for name, model in models.items():
        run.row(tree=name, error=errors[name], leaves=model.get_n_leaves())
    tree = full.tree_
    for depth in range(inputs + 1):
        level = tree.depth == depth
        share = tree.weighted_n_node_samples[level] / tree.weighted_n_node_samples[0]
        entropy = float(share @ tree.impurity[level])
        run.row("levels", questions=depth, entropy=entropy)
    run.figure(bars("tree", "error", title=f"Error on the parity of {inputs} inputs"))
    run.figure(
        line(
            "questions",
            "entropy",
            table="levels",
            title="Entropy left after each question of the full tree",
            y_title="bits",
        )
    )

    run.claim("gain at the root, in bits", float(tree.gain[0]), expected=0, within=1e-12)
    run.claim("error where chi-square stops", errors["stopped by chi-square"], 0.5, within=0)
    run.claim("error where validation stops", errors["stopped by validation"], 0.5, within=0)
    run.claim("error grown to the end", errors["grown to the end"], expected=0, within=0)
    run.claim("error grown and pruned", errors["grown and pruned"], expected=0, within=0)
    left = run.columns("levels")["entropy"]
    run.claim("entropy before the last question", left[-2], expected=1, within=1e-12)
    run.claim("entropy after the last question", left[-1], expected=0, within=1e-12)
