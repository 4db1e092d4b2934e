"""Experiment: threshold units compute every Boolean function."""

from __future__ import annotations

from itertools import product
from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, heatmap
from shallows.perceptron import ThresholdUnit, boolean_network, conjunction_unit, gate
from shallows.theory import is_separable

NAMES = {
    (0, 0, 0, 0): "false",
    (0, 0, 0, 1): "and",
    (0, 0, 1, 0): "x1 not x2",
    (0, 0, 1, 1): "x1",
    (0, 1, 0, 0): "x2 not x1",
    (0, 1, 0, 1): "x2",
    (0, 1, 1, 0): "xor",
    (0, 1, 1, 1): "or",
    (1, 0, 0, 0): "nor",
    (1, 0, 0, 1): "xnor",
    (1, 0, 1, 0): "not x2",
    (1, 0, 1, 1): "x2 implies x1",
    (1, 1, 0, 0): "not x1",
    (1, 1, 0, 1): "x1 implies x2",
    (1, 1, 1, 0): "nand",
    (1, 1, 1, 1): "true",
}


@experiment(
    chapter="perceptron",
    sources="notes-003 E15, E22, M36, M67, M68",
    quick={"functions": 50},
)
def boolean_networks(functions: Annotated[int, Range(10, 2000)] = 300, *, run: Run) -> None:
    """Which Boolean functions need a hidden layer?

    One unit computes 14 of the 16 functions of two inputs; XOR and its negation need two layers.
    With one hidden unit for every true row of the table, and an output that fires if any of them
    fires, two layers compute every function.

    Parameters
    ----------
    functions : int
        Random functions of four inputs.
    """
    rows = np.array(list(product((0, 1), repeat=2)))
    constant = np.column_stack([np.ones(4), rows])
    wrong = alone = 0
    for table, name in run.progress(NAMES.items()):
        network = boolean_network(table)
        wrong += int(np.sum(network.predict(rows) != table))
        separable = is_separable(constant, 2 * np.array(table) - 1)
        alone += separable
        for row, value in zip(rows, table, strict=True):
            run.row(
                function=name,
                input=f"{row[0]} {row[1]}",
                value=value if separable else -value,
                hidden_units=len(network.hidden_weights),
            )
    run.figure(
        heatmap(
            "input",
            "function",
            "value",
            diverging=True,
            title="True rows of all functions of two inputs; blue: one unit is not enough",
            x_title="inputs x1 x2",
        )
    )
    run.claim("all 16 functions of two inputs: wrong answers", wrong, 0, within=0)
    run.claim("functions of two inputs that one unit computes", alone, 14, within=0)

    more = np.array(list(product((0, 1), repeat=4)))
    wrong = 0
    for table in run.rng.integers(0, 2, (functions, 16)):
        wrong += int(np.sum(boolean_network(table).predict(more) != table))
    run.claim("random functions of four inputs: wrong answers", wrong, 0, within=0)

    both, either = gate("and").fires(rows), gate("or").fires(rows)
    output = ThresholdUnit(np.array([-1.0, 1.0]), -0.5).fires(np.column_stack([both, either]))
    run.claim(
        "XOR as OR and not AND: wrong answers", int(np.sum(output != [0, 1, 1, 0])), 0, within=0
    )
    for literals, text, threshold in (
        ([1, 1], "x1 and x2", 1.5),
        ([1, 1, 0, 1], "x1 and x2 and x4", 2.5),
    ):
        run.claim(f"threshold of {text}", -conjunction_unit(literals).bias, threshold, within=0)
    printed = ThresholdUnit(np.array([0.5, 0.5]), -0.3).fires(2 * rows - 1)
    run.claim(
        "OR with bias -0.3 on inputs -1 and +1: wrong answers",
        int(np.sum(printed != [0, 1, 1, 1])),
        expected=2,
        within=0,
    )
    run.note(
        "OR is printed with bias -0.3 for inputs -1 and +1, where it computes AND. That bias "
        "belongs to inputs 0 and 1; for -1 and +1 it is +0.3."
    )
