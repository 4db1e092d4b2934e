"""Experiment: gains on the fruit table, and trees with other roots and the same decisions."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.data import fruit_table
from shallows.lab import Run, bars, experiment
from shallows.tree import AttributeTable, DecisionTreeClassifier, gain, impurity, to_binary
from shallows.tree._drawing import drawing
from shallows.tree._impurity import Impurity

Array = NDArray[Any]
CRITERIA: tuple[Impurity, ...] = ("entropy", "gini", "misclassification")


@experiment(
    chapter="tree",
    sources="notes-004a 13-15, 25, 26, Figs. 7, 8",
    quick={"samples": 300},
)
def fruit_gains(
    samples: Annotated[int, Range(200, 20_000)] = 3000,
    *,
    run: Run,
) -> None:
    """Which property of a fruit should be asked for first?

    Of the first four fruit of the table two are watermelons, one is a cherry and one an apple:
    1.5 bits. Asking for the color gains one bit. Cherry and apple have the same attributes here,
    so no tree can tell them apart. A tree grown from many fruit is one of many: with any other
    property at the root there is a tree with the same decisions, and so there is with two
    branches at every node. What differs is the number of questions.

    Parameters
    ----------
    samples : int
        Fruit from which the tree grows.
    """
    X, y, names = fruit_table()
    table = AttributeTable(X[:4], y[:4], names=names)
    parent = _counts(y[:4], np.ones(4, dtype=bool), np.unique(y[:4]))
    measured: dict[str, dict[str, float]] = {}
    for name in names:
        column = table.frame[name].to_numpy()
        parts = [_counts(y[:4], column == a, np.unique(y[:4])) for a in table.attributes[name]]
        measured[name] = {str(c): gain(parent, parts, c) for c in CRITERIA}
        measured[name]["gain ratio"] = gain(parent, parts, ratio=True)
        for criterion, value in measured[name].items():
            run.row("gains", property=name, criterion=criterion, gain=value)
    run.figure(
        bars("property", "gain", color="criterion", table="gains", title="Gains on four fruit")
    )

    X, y, names = fruit_table(samples, missing=0, odd=0, random_state=run.rng)
    model = DecisionTreeClassifier("entropy").fit(_frame(X, names), y)
    figure, rows = drawing(model, table="tree", title="The tree of least entropy")
    for row in rows:
        run.row("tree", **row)
    run.figure(figure)

    every = np.array(list(product(*(np.unique(column) for column in X.T))))
    decided = model.predict(_frame(every, names))
    for root in range(len(names)):
        answers, questions = _rooted(every, decided, root)
        run.row(root=names[root], agreement=float(np.mean(answers == decided)), questions=questions)
    run.figure(bars("root", "questions", title="Questions on average, by the property at the root"))
    binary = to_binary(model).predict(_frame(every, names))

    run.claim("entropy of the four fruit in bits", impurity(parent), expected=1.5, within=1e-12)
    color = measured["Color"]
    run.claim("gain of Color in bits", color["entropy"], expected=1, within=1e-12)
    run.claim("gain ratio of Color", color["gain ratio"], expected=1, within=1e-12)
    run.claim("Shape, the same for all, gains", measured["Shape"]["entropy"], expected=0, within=0)
    run.claim(
        "rows 3 and 4, and they alone, contradict",
        str(table.contradictions()),
        holds=table.contradictions() == [[2, 3]],
    )
    run.claim("training error of the grown tree", 1 - model.score(_frame(X, names), y), 0, within=0)
    agreement = run.columns()["agreement"]
    run.claim(
        f"every root: share of all {len(every)} attribute vectors decided alike",
        agreement.min(),
        expected=1,
        within=0,
    )
    run.claim("binary form: share decided alike", np.mean(binary == decided), expected=1, within=0)


def _counts(y: Array, rows: Array, classes: Array) -> list[int]:
    return [int(np.sum(y[rows] == label)) for label in classes]


def _frame(X: Array, names: tuple[str, ...]) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=list(names))


def _rooted(X: Array, decided: Array, root: int) -> tuple[Array, float]:
    """Grow a tree below each attribute of the root; return its decisions and mean questions."""
    answers, asked = decided.copy(), 0.0
    for attribute in np.unique(X[:, root]):
        rows = X[:, root] == attribute
        asked += float(rows.sum())
        if len(np.unique(decided[rows])) == 1:
            continue
        tree = DecisionTreeClassifier("entropy").fit(X[rows], decided[rows])
        answers[rows] = tree.predict(X[rows])
        asked += float(tree.tree_.depth[tree.apply(X[rows])].sum())
    return answers, asked / len(X)
