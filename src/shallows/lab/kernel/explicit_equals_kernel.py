"""Experiment: a kernel is equivalent to its explicit features."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from shallows._core.contract.params import Range
from shallows.kernel import KernelAdaTron, KernelRidge, linear, polynomial, quadratic_features
from shallows.lab import Run, experiment, scatter
from shallows.perceptron import AdaTron


@experiment(chapter="kernel", sources="notes-000a M96, M99; notes-002 G5", quick={"n": 40})
def explicit_equals_kernel(
    n: Annotated[int, Range(10, 400)] = 120,
    *,
    run: Run,
) -> None:
    """Is a kernel the same as its feature space?

    Two classes in the plane are learned with explicit features, and with the kernel that is their
    scalar product. The kernel AdaTron makes the same steps in both cases, so all outputs agree up
    to rounding; the AdaTron, which updates weights instead, converges to the same solution. With
    power one, the features are the inputs and a constant: the threshold becomes a weight.

    Parameters
    ----------
    n : int
        Points.
    """
    X = run.rng.normal(size=(n, 2))
    y = np.where((X**2).sum(axis=1) > 1.2, 1, -1)
    spaces = {
        "linear": (linear, X),
        "power 1": (lambda a, b: polynomial(a, b, 1), np.column_stack([X, np.ones(n)])),
        "power 2": (lambda a, b: polynomial(a, b, 2), quadratic_features(X, 1.0)),
    }
    learner: dict[str, Any] = {"C": 1.0, "tol": 1e-7, "max_iter": 100_000}
    for name, (kernel, features) in run.progress(spaces.items()):
        by_kernel = KernelAdaTron(kernel=kernel, **learner).fit(X, y).decision_function(X)
        explicit = KernelAdaTron(kernel="linear", **learner).fit(features, y)
        by_features = explicit.decision_function(features)
        run.rows(space=name, by_features=by_features, by_kernel=by_kernel)
        primal = AdaTron(1.0, threshold="none", tol=1e-13, max_iter=100_000, random_state=0)
        by_weights = primal.fit(features, y).decision_function(features)
        weights = np.linalg.solve(
            features.T @ features + 0.1 * np.eye(features.shape[1]), features.T @ y
        )
        ridge = KernelRidge(0.1, kernel=kernel).fit(X, y.astype(float)).predict(X)
        gap = np.abs(by_kernel - by_features).max()
        run.claim(f"{name}: outputs of the kernel AdaTron agree", gap, expected=0, within=1e-9)
        gap = np.abs(by_kernel - by_weights).max()
        run.claim(f"{name}: and are those of the AdaTron", gap, expected=0, within=1e-5)
        gap = np.abs(ridge - features @ weights).max()
        run.claim(f"{name}: ridge regression outputs agree", gap, expected=0, within=1e-10)
        if name == "power 1":
            clamped = AdaTron(1.0, threshold="clamped", tol=1e-13, max_iter=100_000, random_state=0)
            gap = np.abs(by_kernel - clamped.fit(X, y).decision_function(X)).max()
            run.claim(
                "power 1: it is the machine with the threshold as a weight", gap, 0, within=1e-5
            )
    run.claim(
        "features of power 2 without the constant: N(N+3)/2",
        spaces["power 2"][1].shape[1] - 1,
        expected=2 * 5 / 2,
        within=0,
    )
    run.figure(
        scatter(
            "by_features",
            "by_kernel",
            color="space",
            title="Outputs of the kernel AdaTron with explicit features and with the kernel",
        )
    )
