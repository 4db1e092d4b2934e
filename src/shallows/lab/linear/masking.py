"""Experiment: a class that least squares never chooses."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from scipy.stats import norm

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.linear import AllVsAll, LeastSquaresClassifier, OneVsAll, masked_classes


@experiment(chapter="linear", sources="notes-003 M45-M47", quick={"samples": 100})
def masking(
    samples: Annotated[int, Range(30, 2000)] = 300,
    gap: Annotated[float, Range(2, 20)] = 4.0,
    *,
    run: Run,
) -> None:
    """Why is the middle of three classes never predicted?

    Three classes in a row, with one linear function each, fitted to 1 for its own class. The
    function of the middle class would have to rise and fall. A line can't, so it is flat at about
    1/3, and everywhere one of the outer functions is larger. A model for each pair sees only two
    classes and finds the middle class. The notes add the values of the pairs. This gives the
    middle class too large a region, because a pair's value grows beyond its two classes, where it
    has no information. Votes of the pairs are correct.

    Parameters
    ----------
    samples : int
        Samples of each class.
    gap : float
        Distance of neighbouring centres, in units of their standard deviation.
    """
    centres = np.array([[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]) * gap / np.sqrt(2)
    y = np.repeat([0, 1, 2], samples)
    X = centres[y] + run.rng.standard_normal((3 * samples, 2))
    one, pairs = OneVsAll().fit(X, y), AllVsAll(rule="sum").fit(X, y)
    votes = AllVsAll(rule="vote").fit(X, y)
    at_once = LeastSquaresClassifier().fit(X, y)

    along = np.linspace(-1.8 * gap, 1.8 * gap, 73)
    grid = np.outer(along, [1, 1]) / np.sqrt(2)
    values = at_once.decision_function(grid)
    for label in range(3):
        run.rows(place=along, value=values[:, label], function=f"class {label}")
    run.figure(
        line(
            "place",
            "value",
            color="function",
            title="Three functions along the centres: the middle one is never the highest",
            x_title="place on the line through the centres",
        )
    )
    schemes = {"one against all": one, "pairs, summed": pairs, "pairs, votes": votes}
    shares = {name: float(np.mean(model.predict(X) == 1)) for name, model in schemes.items()}
    scores = {name: model.score(X, y) for name, model in schemes.items()}
    for name, share in shares.items():
        run.row("shares", scheme=name, middle=share, accuracy=scores[name])
    run.claim(
        "one against all predicts the middle for fewer than half of its third of the samples",
        shares["one against all"],
        at_most=1 / 6,
        probability=1e-4,
    )
    run.claim(
        "of the places on the line it wins nowhere or nearly so",
        int(np.sum(at_once.predict(grid) == 1)),
        at_most=5,
    )
    wide = 4 * np.sqrt(2 / 9 / len(X))  # of a share of a third; neighbours overlap beside
    overlap = 2 / 3 * norm.sf(gap / 2)
    run.claim(
        "votes of pairs recover it: share of samples",
        shares["pairs, votes"],
        expected=1 / 3,
        within=wide + 2 * overlap,
        probability=1e-4,
    )
    run.claim(
        "accuracy of the votes, less that of the best rule",
        scores["pairs, votes"] - (1 - 2 * overlap),
        at_least=-wide - 0.02,
        probability=1e-4,
    )
    run.claim(
        "values summed find it, too, but give it more than its third",
        shares["pairs, summed"],
        at_least=1 / 3 + wide,
    )
    run.claim("no class is masked for pairs", len(masked_classes(pairs, X)), expected=0, within=0)
    run.claim(
        "the three functions sum to one", float(np.abs(values.sum(axis=1) - 1).max()), at_most=1e-10
    )
    same = int(np.sum(one.predict(X) != at_once.predict(X)))
    run.claim("three fits apart decide as one fit to three targets", same, expected=0, within=0)
    run.claim("three classes take three pairs", len(pairs.estimators_), expected=3, within=0)
