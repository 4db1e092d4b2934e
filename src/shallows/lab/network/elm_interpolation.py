"""Experiment: an extreme learning machine with as many units as samples interpolates."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, line
from shallows.network import ELMClassifier, ELMRegressor


@experiment(
    chapter="network",
    sources="notes-000b Fig. 5.10, M38",
    quick={"samples": 20, "repeats": 3},
)
def elm_interpolation(
    samples: Annotated[int, Range(10, 100)] = 40,
    features: Annotated[int, Range(2, 20)] = 5,
    repeats: Annotated[int, Range(2, 50)] = 10,
    *,
    run: Run,
) -> None:
    """Are hidden units useful if they never learn?

    Random hidden units map samples to a space of more dimensions. With as many units as samples,
    the unit outputs are linearly independent in general, and linear outputs reproduce any targets,
    even pure noise. Classes that no plane separates, as in XOR, become separable.

    Parameters
    ----------
    samples : int
        Number of samples P with random targets.
    features : int
        Number of features.
    repeats : int
        Draws of data and hidden units.
    """
    sizes = sorted({samples // 4, samples // 2, samples - 4, samples, samples + 5, 2 * samples})
    for units in run.progress(sizes):
        errors = []
        for _ in range(repeats):
            X = run.rng.standard_normal((samples, features))
            y = run.rng.standard_normal(samples)
            model = ELMRegressor(units, alpha=0.0, scale=2.0, random_state=run.rng).fit(X, y)
            errors.append(float(np.abs(model.predict(X) - y).max()))
        run.row(units=units, largest_error=max(errors), smallest_error=min(errors))
    run.figure(
        line(
            "units",
            "largest_error",
            y_log=True,
            x_rule=samples,
            title="Largest training error; the line marks as many units as samples",
        )
    )
    table = run.columns()
    enough = table["units"] >= samples
    run.claim(
        "largest error with M >= P", float(table["largest_error"][enough].max()), at_most=1e-8
    )
    run.claim(
        "smallest error with M < P - 3",
        float(table["smallest_error"][~enough].min()),
        at_least=1e-3,
    )
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])
    solved = [ELMClassifier(20, random_state=run.rng).fit(X, y).score(X, y) for _ in range(repeats)]
    run.claim("XOR is solved (smallest share of right answers)", min(solved), expected=1, within=0)
