"""Experiment: Boolean gates learned by a perceptron."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment, line
from shallows.perceptron import Perceptron

INPUTS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
GATES = {"AND": [-1, -1, -1, 1], "OR": [-1, 1, 1, 1], "XOR": [-1, 1, 1, -1]}
# Separating weights (threshold, first, second input) that give the smallest bounds.
BEST: dict[str, list[float]] = {"AND": [-3, 2, 2], "OR": [-1, 2, 2]}


@experiment(
    chapter="perceptron",
    sources="notes-001 M17, M23, Exp.; notes-003 M67, M70, E22",
    quick={"epochs": 50},
)
def gates(epochs: Annotated[int, Range(20, 10_000)] = 200, *, run: Run) -> None:
    """Which Boolean gates can a perceptron learn, and how fast?

    AND and OR are linearly separable, so the number of mistakes is finite, well below the bound of
    the convergence theorem. XOR is not: every epoch has a mistake, and the weights return to
    earlier values. Inputs of -1 and +1 instead of 0 and 1 make AND much easier.

    Parameters
    ----------
    epochs : int
        Epochs granted to each gate.
    """
    models = {}
    for gate, labels in run.progress(GATES.items()):
        model = Perceptron(shuffle=False, tol=None, max_iter=epochs).fit(INPUTS, labels)
        models[gate] = model
        wrong = int(np.sum(model.predict(INPUTS) != labels))
        run.row(gate=gate, updates=model.n_updates_, epochs=model.n_iter_, wrong=wrong)
        if gate in BEST:
            bound = _bound(INPUTS, labels, BEST[gate])
            run.row("learned", gate=gate, updates=model.n_updates_, bound=bound)
        shown = min(model.n_iter_, 20)
        run.rows(
            "mistakes",
            gate=gate,
            epoch=np.arange(1, shown + 1),
            mistakes=model.history_["updates"][:shown],
        )

    run.figure(
        line("epoch", "mistakes", color="gate", table="mistakes", title="Mistakes in each epoch")
    )
    run.figure(
        bars(
            "gate",
            "updates",
            theory="bound",
            table="learned",
            title="Updates until a gate is learned, and their bound",
        )
    )

    for gate, printed in (("AND", 51.0), ("OR", 27.0)):
        bound = _bound(INPUTS, GATES[gate], BEST[gate])
        run.claim(f"{gate}: the bound is {printed:g}", bound, printed, within=1e-9)
        run.claim(f"{gate}: updates stay within it", models[gate].n_updates_, at_most=bound)
        wrong = np.sum(models[gate].predict(INPUTS) != GATES[gate])
        run.claim(f"{gate}: every case is learned", wrong, 0, within=0)
    fewest = min(models["XOR"].history_["updates"])
    run.claim("XOR: every epoch has a mistake", fewest, at_least=1)

    signed = 2 * INPUTS - 1
    first = Perceptron(shuffle=False, tol=None).fit(signed, GATES["AND"])
    order = [3, 0, 1, 2]
    rotated = Perceptron(shuffle=False, tol=None)
    rotated.fit(signed[order], np.array(GATES["AND"])[order])
    run.claim("AND of -1 and +1, its positive case first: updates", rotated.n_updates_, 3, within=0)
    run.claim("AND of -1 and +1, its positive case last: updates", first.n_updates_, 1, within=0)
    for weights, printed in (([-0.5, 0.5, 0.5], 9.0), ([-0.8, 0.5, 0.5], 85.5)):
        bound = _bound(signed, GATES["AND"], weights)
        run.claim(f"AND of -1 and +1: bound from weights {weights}", bound, printed, within=1e-9)
    run.note(
        "Three updates for AND of -1 and +1 in the order (--), (-+), (+-), (++) presuppose that "
        "a field of zero answers -1, so that zero weights make no mistake before (++). With "
        "equality as a mistake, one update at (--) is enough."
    )


def _bound(inputs: NDArray[np.int_], labels: list[int], weights: list[float]) -> float:
    """Return the largest number of updates, from separating weights with the threshold first."""
    folded = np.column_stack([np.ones(4), inputs]) * np.array(labels)[:, None]
    longest, margin = (folded**2).sum(axis=1).max(), (folded @ weights).min()
    return float(longest * np.dot(weights, weights) / margin**2)
