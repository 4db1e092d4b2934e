"""Experiment: pocket and soft margin on wrong labels."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import make_teacher
from shallows.lab import Run, experiment, line
from shallows.lab.perceptron._labels import both_labels
from shallows.perceptron import AdaTron, Perceptron, Pocket
from shallows.theory import generalization_error

ASIDE = 400  # examples to validate on


@experiment(
    chapter="perceptron",
    sources="notes-000a Fig. 4.1, M75-M80",
    quick={"n": 20, "repetitions": 20},
)
def soft_margin_noise(
    n: Annotated[int, Range(20, 100)] = 20,
    alpha: Annotated[float, Range(2, 4)] = 3.0,
    noise: Annotated[float, Range(0.05, 0.2)] = 0.1,
    repetitions: Annotated[int, Range(20, 200)] = 40,
    *,
    run: Run,
) -> None:
    """How should a perceptron learn when some labels are wrong?

    If errors are allowed at a cost, a low cost ignores most of the data and a high cost fits the
    wrong labels; the optimum is in between. Held-out examples, some of them mislabelled, find it:
    the cost is selected on half of the teachers and assessed on the others. The pocket algorithm
    keeps the plane with the fewest training errors, which overfits the noise.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    alpha : float
        Examples per dimension, of a teacher whose labels are turned around now and then.
    noise : float
        Share of turned labels.
    repetitions : int
        Teachers with examples.
    """
    p = round(alpha * n)
    prices = 10.0 ** np.linspace(-4, 1, 11)
    errors, validated = np.zeros((2, repetitions, len(prices)))
    others = {"pocket": np.zeros(repetitions), "perceptron": np.zeros(repetitions)}
    violation, rises = 0.0, 0.0
    for k in run.progress(range(repetitions)):
        X, y, teacher = make_teacher(p + ASIDE, n, label_noise=noise, random_state=run.rng)
        assert teacher is not None
        (aside, X), (truth, y) = (X[p:], X[:p]), (y[p:], y[:p])
        X, y = both_labels(X, y)
        for m, price in enumerate(prices):
            soft = AdaTron(price, threshold="none", tol=1e-4, max_iter=5000, random_state=0)
            soft.fit(X, y)
            errors[k, m] = generalization_error(soft.coef_[0], teacher)
            validated[k, m] = np.mean(soft.predict(aside) != truth)
        exact = AdaTron(0.01, threshold="none", tol=1e-11, max_iter=5000, random_state=0)
        violation = max(violation, _violation(exact.fit(X, y), X, y))
        pocket = Pocket(fit_intercept=False, max_iter=100, random_state=0).fit(X, y)
        rises = max(rises, float(np.diff(pocket.history_["loss"]).max(initial=0.0)))
        last = Perceptron(fit_intercept=False, tol=None, max_iter=100, random_state=0).fit(X, y)
        others["pocket"][k] = generalization_error(pocket.coef_[0], teacher)
        others["perceptron"][k] = generalization_error(last.coef_[0], teacher)
    means = errors.mean(axis=0)
    for m, price in enumerate(prices):
        run.row(
            price=price,
            soft_margin=means[m],
            validated=validated[:, m].mean(),
            standard_error=errors[:, m].std(ddof=1) / np.sqrt(repetitions),
            pocket=others["pocket"].mean(),
            perceptron=others["perceptron"].mean(),
        )
    run.figure(
        line(
            "price",
            ["soft_margin", "pocket", "perceptron"],
            x_log=True,
            title="Generalisation error over the price of an error",
            x_title="price C",
        )
    )

    X, y = both_labels(*make_teacher(p, n, random_state=run.rng)[:2])
    hard = AdaTron(None, threshold="none", tol=1e-8, max_iter=20_000, random_state=0).fit(X, y)
    price = 2 * float(hard.embedding_strengths_.max())
    dear = AdaTron(price, threshold="none", tol=1e-8, max_iter=20_000, random_state=0).fit(X, y)
    apart = float(np.linalg.norm(dear.coef_ - hard.coef_) / np.linalg.norm(hard.coef_))
    half = repetitions // 2
    best = int(validated[:half].mean(axis=0).argmin())
    run.claim("conditions of the soft margin: largest violation", violation, at_most=1e-4)
    run.claim("errors in the pocket never rise", rises, at_most=0)
    run.claim("clean labels, price above all strengths: the hard margin", apart, at_most=1e-3)
    run.claim(
        "the validated price lies inside the grid: its place",
        best,
        at_least=1,
        at_most=len(prices) - 2,
        probability=0.05,
    )
    for name, end in (("lowest", 0), ("highest", -1)):
        run.claim(
            f"other teachers: the validated price errs less than the {name}, mean gain",
            (errors[half:, end] - errors[half:, best]).mean(),
            at_least=0,
            probability=0.05,
        )
    run.claim(
        "other teachers: it errs less than the last weights of a perceptron, mean gain",
        (others["perceptron"] - errors[:, best])[half:].mean(),
        at_least=0,
        probability=1e-3,
    )


def _violation(soft: AdaTron, X: np.ndarray, y: np.ndarray) -> float:
    """Return by how much a potential is on the wrong side of 1 for its strength."""
    strengths, potentials = soft.embedding_strengths_, y * soft.decision_function(X)
    excess = np.where(strengths == 0, 1 - potentials, np.abs(1 - potentials))
    excess = np.where(strengths == soft.C, potentials - 1, excess)
    return float(excess.max(initial=0.0))
