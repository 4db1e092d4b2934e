"""Experiment: probability tables from counts, smoothed, and with a hidden variable."""

from __future__ import annotations

from itertools import combinations, product
from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.graphical import BayesianNetwork, JoinTree
from shallows.lab import Run, bars, experiment, line

COUNTS = np.array([(7, 0), (2, 18), (1, 9), (2, 198)])
ROWS = np.array([(1.0, 0.0), (0.1, 0.9), (0.1, 0.9), (0.01, 0.99)])
CAUSES, EFFECTS = ("a", "b", "c"), ("d", "e", "f")


@experiment(
    chapter="graphical",
    sources="notes-004b E23, E24, E25, Fig. 60-62",
    quick={"cases": 300, "starts": 3, "steps": 20},
)
def cpt_counts(
    cases: Annotated[int, Range(100, 20_000)] = 2000,
    alpha: Annotated[float, Range(0.1, 10)] = 1.0,
    starts: Annotated[int, Range(2, 20)] = 6,
    steps: Annotated[int, Range(10, 500)] = 60,
    *,
    run: Run,
) -> None:
    """How are the tables estimated?

    Each row of a table is a ratio of counts, which maximises the likelihood. Adding a little to
    each count prevents certainty from few cases. For a hidden variable, expectation-maximisation
    uses expected counts. Hidden variables can simplify a network: dependencies between many pairs
    become dependencies on one variable.

    Parameters
    ----------
    cases : int
        Cases drawn from a network with a hidden variable.
    alpha : float
        Added to each count.
    starts : int
        Random starts of expectation-maximisation.
    steps : int
        Steps of each.
    """
    settings = list(product((0, 1), repeat=2))
    data = np.array([(*pair, value) for pair in settings for value in (0, 1)])
    fits = [
        BayesianNetwork([(0, 2), (1, 2)], alpha=amount).fit(data, sample_weight=COUNTS.ravel())
        for amount in (0.0, float(alpha))
    ]
    plain, smooth = (fit.tables_[2].reshape(4, 2) for fit in fits)
    for pair, counts, row, soft in zip(settings, COUNTS, plain, smooth, strict=True):
        words = f"{pair}: {counts[0]} of {counts.sum()}"
        run.row(parents=words, kind="ratio of counts", probability=row[0])
        run.row(parents=words, kind="smoothed", probability=soft[0])
    run.figure(
        bars(
            "parents",
            "probability",
            color="kind",
            title="P(0 | parents) from counts",
            x_title="values of the parents: zeros of all cases",
        )
    )

    network = _with_hidden_cause(run.rng)
    drawn = network.sample(cases, random_state=run.rng)[:, [0, 1, 2, 4, 5, 6]]
    losses = []
    for number, stream in enumerate(run.progress(run.rng.spawn(starts))):
        edges = [(0, "h"), (1, "h"), (2, "h"), ("h", 3), ("h", 4), ("h", 5)]
        model = BayesianNetwork(
            edges, hidden={"h": 2}, max_iter=steps, tol=None, random_state=stream
        ).fit(drawn)
        losses.append(model.history_["loss"])
        for step, loss in enumerate(losses[-1], 1):
            run.row("steps", start=f"start {number}", step=step, loss=loss)
    run.figure(
        line(
            "step",
            "loss",
            table="steps",
            color="start",
            title="Minus the mean log-likelihood of what is seen",
            x_log=True,
        )
    )

    run.claim("rows from counts: largest gap", np.abs(plain - ROWS).max(), at_most=1e-12)
    expected = (COUNTS + alpha) / (COUNTS + alpha).sum(axis=1, keepdims=True)
    run.claim("smoothed rows: largest gap", np.abs(smooth - expected).max(), at_most=1e-12)
    rise = max(float(np.diff(path).max()) for path in losses)
    run.claim("observed likelihood: largest fall in a step", rise, at_most=1e-12)
    free = _without_hidden_cause()
    sizes = [max(map(len, JoinTree(model).cliques)) for model in (network, free)]
    run.claim("largest clique without the hidden variable", sizes[1], expected=6, within=0)
    run.claim("largest clique with it", sizes[0], expected=4, within=0)
    run.claim("parameters with it", network.n_parameters, expected=17, within=0)
    run.claim("parameters without it", free.n_parameters, expected=59, within=0)


def _with_hidden_cause(rng: np.random.Generator) -> BayesianNetwork:
    """Causes act on a hidden variable, and it on the effects."""
    yes = np.clip(0.1 + 0.35 * np.indices((2, 2, 2)).sum(axis=0), 0, 0.95)
    tables = {name: np.array([0.5, 0.5]) for name in CAUSES}
    tables["h"] = np.stack([1 - yes, yes], axis=-1)
    for name in EFFECTS:
        low, high = rng.uniform(0.05, 0.2), rng.uniform(0.75, 0.95)
        tables[name] = np.array([[1 - low, low], [1 - high, high]])
    parents = dict.fromkeys(CAUSES, ()) | {"h": CAUSES} | dict.fromkeys(EFFECTS, ("h",))
    return BayesianNetwork(parents, tables)


def _without_hidden_cause() -> BayesianNetwork:
    """The same dependencies among what is seen: effects depend on causes and on one another."""
    edges = [*product(CAUSES, EFFECTS), *combinations(EFFECTS, 2)]
    parents: dict[str, tuple[str, ...]] = dict.fromkeys(CAUSES, ())
    for name in EFFECTS:
        parents[name] = tuple(parent for parent, child in edges if child == name)
    tables = {name: np.full((2,) * (len(above) + 1), 0.5) for name, above in parents.items()}
    return BayesianNetwork(parents, tables)
