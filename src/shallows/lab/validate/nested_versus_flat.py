"""Experiment: optimism of flat cross-validation, and how nesting removes it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import ParameterGrid

from shallows._core.contract.params import Range
from shallows.data import make_random_features
from shallows.lab import Run, experiment, histogram
from shallows.validate import nested_cross_validate, selection_optimism

FALSE_ALARM = 1e-4


@experiment(
    chapter="validate",
    sources="notes-002 A9; notes-000b M92; notes-003 E25, M100-M103",
    quick={"repeats": 25, "settings": 10, "n": 40},
)
def nested_versus_flat(
    n: Annotated[int, Range(30, 100)] = 60,
    settings: Annotated[int, Range(10, 50)] = 25,
    repeats: Annotated[int, Range(25, 200)] = 30,
    *,
    run: Run,
) -> None:
    """How optimistic is the best of many cross-validated scores?

    Labels are coin flips, so no setting can have an accuracy above one half. Each setting uses
    another feature. Flat cross-validation reports the score of the best setting on the same folds
    that selected it. In nested cross-validation inner folds select, and an outer part without
    influence on the selection assesses.

    Parameters
    ----------
    n : int
        Rows of a data set.
    settings : int
        Settings to choose from.
    repeats : int
        Data sets.
    """
    flat, nested, corrected = [], [], []
    for _ in run.progress(range(repeats)):
        X, y = make_random_features(n, settings, binary=False, random_state=run.rng)
        y = run.rng.permutation(np.arange(n) % 2)
        grid = {"column": range(settings)}
        found = nested_cross_validate(
            _OneFeature(), grid, X, y, scoring=_accuracy, outer=5, inner=4, random_state=run.rng
        )
        flat.append(found.flat_score)
        nested.append(found.score)
        corrected.append(found.flat_score - selection_optimism(found.candidate_scores))
        for kind, score in (("flat", flat[-1]), ("nested", nested[-1])):
            run.row(validation=kind, score=score)

    run.figure(
        histogram(
            "score",
            color="validation",
            bins=20,
            title="Accuracy reported on random labels",
        )
    )
    run.row(
        "means",
        flat=np.mean(flat),
        nested=np.mean(nested),
        flat_after_tibshirani=np.mean(corrected),
    )
    spread = np.std(nested, ddof=1) / np.sqrt(repeats)
    run.claim(
        "nested: accuracy at chance",
        np.mean(nested),
        expected=0.5,
        within=5 * spread,
        probability=FALSE_ALARM,
    )
    optimism = np.array(flat) - nested
    run.claim(
        "flat: above nested, in standard errors of the mean difference",
        optimism.mean() / (optimism.std(ddof=1) / np.sqrt(repeats)),
        at_least=2,
        probability=FALSE_ALARM,
    )
    run.claim("flat: above chance", np.mean(flat), at_least=0.52, probability=FALSE_ALARM)
    example = ParameterGrid({"units": [1, 10, 100], "penalty": [0.1, 0.01, 0.001]})
    run.claim("3 x 3 values make 9 settings", len(example), 9, within=0)


class _OneFeature(ClassifierMixin, BaseEstimator):
    """Chooses the class whose mean is nearer, by a single feature."""

    def __init__(self, column: int = 0):
        self.column = column

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> _OneFeature:
        self.classes_ = np.array([0, 1])
        self.means_ = [X[y == label, self.column].mean() for label in self.classes_]
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        low, high = self.means_
        above = X[:, self.column] > (low + high) / 2
        return np.where(above == (high > low), 1, 0)


def _accuracy(model: _OneFeature, X: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    return float(np.mean(model.predict(X) == y))
