"""Experiment: a grid search with one trustworthy test score."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import numpy as np
from scipy.stats import binom
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from shallows._core.contract.params import Range
from shallows.lab import Run, experiment, scatter
from shallows.prototype import KNeighborsClassifier
from shallows.validate import Assessment, RepeatedAssessmentWarning, select_and_assess

FALSE_ALARM = 1e-4
ROWS_PER_CLASS = 56
NEIGHBORS = [1, 3, 5, 9, 15, 25]


@experiment(
    chapter="validate",
    sources="notes-003 Tasks, Practice; notes-002 Tasks, A9; notes-000b Tasks; notes-004a Tasks",
    quick={"repeats": 5},
)
def honest_figure(repeats: Annotated[int, Range(5, 200)] = 40, *, run: Run) -> None:
    """Is the score of the whole procedure unbiased?

    A quarter of the rows is locked away. Five folds of the other rows select the number of
    neighbours, the choice is refitted to all of these rows, and only then the locked rows are
    used, once. With two kinds of wine as labels the interval is far above chance. With the same
    labels in random order nothing can be learned: the best cross-validated score is still above
    chance, but the interval contains chance. A second assessment on the same rows is counted and
    gives a warning.

    Parameters
    ----------
    repeats : int
        Repetitions with other parts, and other random labels.
    """
    X, y = load_wine(return_X_y=True)
    rows = np.concatenate([np.flatnonzero(y == kind)[:ROWS_PER_CLASS] for kind in (0, 1)])
    X, y = X[rows], y[rows]
    seeds = run.rng.integers(2**31, size=repeats)
    found: dict[str, list[Assessment]] = {"true labels": [], "random labels": []}
    for seed in run.progress(seeds):
        for labels, assessments in found.items():
            target = y if labels == "true labels" else run.rng.permutation(y)
            assessments.append(_assess(X, target, int(seed))[0])
            low, high = assessments[-1].interval
            run.row(
                labels=labels,
                promised=assessments[-1].cv_score,
                test=assessments[-1].test_score,
                low=low,
                high=high,
            )
    run.figure(
        scatter(
            "promised",
            "test",
            color="labels",
            title="Accuracy on the locked rows, against what selection promised",
            x_rule=0.5,
            y_rule=0.5,
        )
    )

    chance = found["random labels"]
    n_test = len(chance[0].test_rows)
    scores = np.array([result.test_score for result in chance])
    run.claim(
        "random labels: test figure at chance",
        scores.mean(),
        expected=0.5,
        within=4 * 0.5 / np.sqrt(n_test * repeats),
        probability=FALSE_ALARM,
    )
    held = sum(result.interval[0] <= 0.5 <= result.interval[1] for result in chance)
    run.claim(
        "random labels: intervals of 95 % that hold chance",
        held,
        at_least=float(binom.ppf(FALSE_ALARM, repeats, 0.95)),
        probability=FALSE_ALARM,
    )
    promised = np.mean([result.cv_score for result in chance])
    run.note(
        f"On random labels selection promised {promised:.3f} on average, the locked rows gave "
        f"{scores.mean():.3f}."
    )
    run.claim(
        "true labels: the lowest of all intervals lies above chance",
        min(result.interval[0] for result in found["true labels"]),
        at_least=0.5,
    )
    first, second = (_assess(X, y, int(seeds[0])) for _ in range(2))
    run.claim(
        "looking again at the same rows is counted",
        second[0].n_assessments - first[0].n_assessments,
        1,
        within=0,
    )
    run.claim("and warned of", second[1], 1, within=0)


def _assess(X: Any, y: Any, seed: int) -> tuple[Assessment, int]:
    """Return what was found, and how many warnings of a second look there were."""
    model = make_pipeline(StandardScaler(), KNeighborsClassifier())
    grid = {"kneighborsclassifier__n_neighbors": NEIGHBORS}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RepeatedAssessmentWarning)
        found = select_and_assess(model, X, y, grid=grid, cv=5, repeats=1, random_state=seed)
    return found, sum(issubclass(warning.category, RepeatedAssessmentWarning) for warning in caught)
