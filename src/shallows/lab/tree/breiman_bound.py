"""Experiment: strength, correlation and the bound on the error of a forest."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.theory import breiman_bound as bound_of
from shallows.tree import RandomForestClassifier, correlation, generalization_error, strength

Array = NDArray[Any]
FALSE_ALARM = 1e-4
STANDARD_ERRORS = 4.5  # a Gaussian exceeds so many once in 150,000 times, on either side


@experiment(
    chapter="tree",
    sources="notes-004a 35, 38-41, notes-003 M104",
    quick={"trees": 40, "features": 6, "samples": 300, "draws": 40},
)
def breiman_bound(
    trees: Annotated[int, Range(30, 500)] = 100,
    features: Annotated[int, Range(4, 20)] = 10,
    samples: Annotated[int, Range(200, 5000)] = 1000,
    noise: Annotated[float, Range(0, 2)] = 0.1,
    draws: Annotated[int, Range(20, 1000)] = 200,
    *,
    run: Run,
) -> None:
    """How good is a forest, and what may its error at most be?

    A forest is good where its trees are strong, which means right by a wide margin, and where
    they err on different rows. Breiman's bound, correlation times (1 - s^2) / s^2 for strength
    s, holds for every forest, and is far from tight. The fewer features a node may look at, the
    less alike the trees become, and the weaker. More trees never hurt. A bootstrap sample holds
    about 63 % of the rows.

    Parameters
    ----------
    trees : int
        Trees in a forest.
    features : int
        Features, three of which matter.
    samples : int
        Training rows.
    noise : float
        Standard deviation of what blurs the border between the classes.
    draws : int
        Bootstrap samples drawn for each size.
    """
    X, y = _draw(run.rng, samples, features, noise)
    X_new, y_new = _draw(run.rng, 4000, features, noise)
    seed = int(run.rng.integers(2**31))
    for size in run.progress(range(1, features + 1)):
        forest = RandomForestClassifier(trees, max_features=size, voting="hard", random_state=seed)
        votes = forest.fit(X, y).member_predictions(X_new)
        s, rho = strength(votes, None, y_new), correlation(votes, None, y_new)
        plain = correlation(votes, None, y_new, weighted=False)
        run.row(
            features_per_node=size,
            strength=s,
            correlation=rho,
            plain_correlation=plain,
            error=generalization_error(votes, None, y_new),
            bound=float(bound_of(s, rho)) if s > 0 else np.inf,
            plain_bound=float(bound_of(s, plain)) if s > 0 else np.inf,
        )
        if size == 2:
            _error_by_trees(run, votes, y_new)
    for n in np.unique(np.geomspace(100, 10_000, 7).astype(int)):
        shares = [len(np.unique(run.rng.integers(n, size=n))) / n for _ in range(draws)]
        theory = 1 - (1 - 1 / n) ** n
        spread = np.std(shares, ddof=1) / np.sqrt(draws)
        run.row("bootstrap", n=int(n), share=np.mean(shares), theory=theory, standard_error=spread)
    quantities = ["strength", "correlation", "error", "bound"]
    title = "Forests by the number of features that a node looks at"
    run.figure(line("features_per_node", quantities, title=title, y_title=" "))
    run.figure(line("trees", "error", table="trees", title="More trees do not overfit"))
    run.figure(
        line(
            "n",
            "share",
            theory="theory",
            error="standard_error",
            table="bootstrap",
            x_log=True,
            title="Share of the rows in a bootstrap sample",
        )
    )
    _state_claims(run)
    run.note(
        "The notes take the plain mean of the correlations; Breiman's proof needs the mean "
        "weighted by the standard deviations of the margins. The strength can be negative for "
        "bad trees, where the bound says nothing."
    )


def _state_claims(run: Run) -> None:
    table, grown, drawn = run.columns(), run.columns("trees"), run.columns("bootstrap")
    run.claim(
        "the bound at strength 0.5 and correlation 0.1", float(bound_of(0.5, 0.1)), 0.3, within=1e-9
    )
    run.claim(
        "bound less error, least over all forests",
        (table["bound"] - table["error"]).min(),
        at_least=0,
    )
    run.claim(
        "bound with the plain correlation less error, least over all forests",
        (table["plain_bound"] - table["error"]).min(),
        at_least=0,
    )
    run.claim(
        "trees that look at all features are more alike than those that look at one",
        table["correlation"][-1] - table["correlation"][0],
        at_least=0,
        probability=FALSE_ALARM,
    )
    few, all_trees = grown["error"][0], grown["error"][-1]
    run.claim(
        "error of the whole forest less that of its first trees",
        all_trees - few,
        at_most=STANDARD_ERRORS * np.sqrt(2 * few * (1 - few) / 4000),
        probability=FALSE_ALARM,
    )
    off = np.abs(drawn["share"] - drawn["theory"]) / drawn["standard_error"]
    run.claim(
        "distinct share of a bootstrap sample off 1 - (1 - 1/N)^N, in standard errors",
        off.max(),
        at_most=STANDARD_ERRORS,
        probability=FALSE_ALARM,
    )
    run.claim(
        "distinct share for the largest N against 1 - 1/e",
        drawn["share"][-1],
        expected=1 - np.exp(-1),
        within=0.003,
        probability=FALSE_ALARM,
    )


def _error_by_trees(run: Run, votes: Array, y: Array) -> None:
    counts = np.unique(np.geomspace(1, len(votes), 20).astype(int))
    for count in counts[counts % 2 == 1]:  # an odd number has no ties
        run.row("trees", trees=int(count), error=generalization_error(votes[:count], None, y))


def _draw(rng: np.random.Generator, n: int, features: int, noise: float) -> tuple[Array, Array]:
    X = rng.standard_normal((n, features))
    border = X[:, 0] + X[:, 1] * X[:, 2]
    return X, (border + noise * rng.standard_normal(n) > 0).astype(np.int64)
