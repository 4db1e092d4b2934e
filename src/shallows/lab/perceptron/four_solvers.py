"""Experiment: the stability that four learning rules reach on the same examples."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from shallows._core.contract.params import Range
from shallows.data import make_teacher
from shallows.lab import Run, bars, experiment
from shallows.lab.perceptron._labels import both_labels
from shallows.perceptron import Adaline, AdaTron, MinOver, Perceptron, separability, stability
from shallows.theory import generalization_error


@experiment(
    chapter="perceptron",
    sources="notes-000a Tasks, M63, M67, M71",
    quick={"n": 20, "p": 40, "repetitions": 8},
)
def four_solvers(
    n: Annotated[int, Range(5, 200)] = 50,
    p: Annotated[int, Range(10, 600)] = 150,
    steps: Annotated[int, Range(1000, 100_000)] = 20_000,
    repetitions: Annotated[int, Range(6, 100)] = 10,
    *,
    run: Run,
) -> None:
    """Which rule finds the most stable perceptron?

    A teacher labels random inputs, and four students learn them. AdaTron reaches the largest
    possible stability; MinOver approaches it step by step; Rosenblatt's rule stops at the first
    solution; Adaline minimises deviations from equal potentials and may misclassify. Students with
    larger stability also generalise better.

    Parameters
    ----------
    n : int
        Dimensions of the inputs.
    p : int
        Examples.
    steps : int
        Steps of MinOver.
    repetitions : int
        Teachers with examples.
    """
    few = max(n // 2, 2)
    largest_gap, worst_adaline, solved = 0.0, 0.0, []
    for repetition in run.progress(range(repetitions)):
        X, y, teacher = make_teacher(p, n, random_state=run.rng)
        assert teacher is not None
        X, y = both_labels(X, y)
        best = separability(X, y, threshold=False).stability
        students = {
            "AdaTron": AdaTron(None, threshold="none", tol=1e-8, max_iter=20_000, random_state=0),
            "MinOver": MinOver(fit_intercept=False, tol=None, max_iter=max(steps // p, 1)),
            "Rosenblatt": Perceptron(fit_intercept=False, tol=None, max_iter=10**6, random_state=0),
            "Adaline": Adaline(fit_intercept=False),
        }
        for name, student in students.items():
            w = student.fit(X, y).coef_[0]
            run.row(
                repetition=repetition,
                student=name,
                stability=stability(w, X, y) / best,
                error=float(generalization_error(w, teacher)),
            )
        reached = students["AdaTron"].stability_[0]
        largest_gap = max(largest_gap, abs(1 - reached / best))
        solved.append(len(students["AdaTron"].support_))
        some_X, some_y = both_labels(X[:few], y[:few])
        direct = Adaline(fit_intercept=False).fit(some_X, some_y).coef_[0]
        pseudo = np.linalg.pinv(some_X) @ some_y
        worst_adaline = max(worst_adaline, float(np.abs(direct - pseudo).max()))

    table = run.columns()
    names = list(dict.fromkeys(table["student"]))
    for name in names:
        own = table["student"] == name
        run.row(
            "means",
            student=name,
            stability=table["stability"][own].mean(),
            error=table["error"][own].mean(),
        )
    run.figure(
        bars(
            "student",
            "stability",
            table="means",
            title="Stability as a share of the largest possible, mean over teachers",
        )
    )
    run.figure(bars("student", "error", table="means", title="Generalisation error"))
    means = {row["student"]: row for row in run.tables["means"]}
    run.claim("AdaTron reaches the largest stability (relative)", largest_gap, at_most=1e-6)
    run.claim(
        "no student is more stable than AdaTron",
        table["stability"].max(),
        at_most=1 + 1e-6,
    )
    if p <= 3 * n:  # with more examples stable planes are rare, and MinOver takes very long
        run.claim(
            "MinOver comes within 3 % of the largest stability, on average",
            means["MinOver"]["stability"],
            at_least=0.97,
        )
    run.claim(
        "20000 steps of MinOver, 40 examples in 20 dimensions: smallest share of the largest "
        "stability",
        _shares_of_minover(run.rng).min(),
        at_least=0.99,
    )
    run.claim(
        "Rosenblatt's rule is less stable than AdaTron, on average",
        means["Rosenblatt"]["stability"],
        at_most=0.9,
    )
    gains = [table["error"][table["student"] == name] for name in ("Rosenblatt", "AdaTron")]
    gain = gains[0] - gains[1]
    if p >= 2 * n:  # with few examples both err nearly as much
        run.claim(
            "AdaTron generalises better than Rosenblatt's rule: mean gain",
            gain.mean(),
            at_least=0,
            probability=0.01,
        )
    run.claim(
        f"Adaline is the pseudo-inverse for {few} examples (largest difference)",
        worst_adaline,
        at_most=1e-9,
    )
    run.claim("support vectors are at most as many as dimensions", max(solved), at_most=n)


def _shares_of_minover(rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the stability that MinOver reaches on five small sets, over the largest."""
    shares = []
    for _ in range(5):
        X, y = both_labels(*make_teacher(40, 20, random_state=rng)[:2])
        w = MinOver(fit_intercept=False, tol=None, max_iter=500).fit(X, y).coef_[0]
        shares.append(stability(w, X, y) / separability(X, y, threshold=False).stability)
    return np.array(shares)
