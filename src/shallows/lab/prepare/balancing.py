"""Experiment: weights, undersampling, oversampling and SMOTE on a skewed set."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split

from shallows._core.contract.params import Range
from shallows.lab import Run, bars, experiment

FALSE_ALARM = 1e-4
PLAIN = "nothing"
FEATURES = 4
DISTANCE = 1.6


@experiment(
    chapter="prepare",
    sources="notes-000b M153-M157, Sec. 8.7",
    quick={"n": 600, "trials": 8},
)
def balancing(
    n: Annotated[int, Range(400, 20_000)] = 1500,
    trials: Annotated[int, Range(8, 200)] = 40,
    rare: Annotated[float, Range(0.02, 0.3)] = 0.05,
    *,
    run: Run,
) -> None:
    """Do weights, copies or synthetic points help a rare class?

    One class in twenty, both Gaussian, and logistic regression. Plain training misclassifies most
    of the rare class, which is correct if every error costs the same. Class weights, dropping
    examples of the large class, copying those of the rare class, and SMOTE's points between
    neighbours all raise its recall, at the expense of the large class. Only training data are
    resampled. Weights do it without changing the data.

    Parameters
    ----------
    n : int
        Rows of a data set, half of them for training.
    trials : int
        Data sets.
    rare : float
        Share of the rare class.
    """
    remedies = _remedies()
    scores: dict[str, list[float]] = {name: [] for name in remedies}
    recalls: dict[str, list[float]] = {name: [] for name in remedies}
    worst_gap, off_segment = 0, 0.0
    for trial in run.progress(range(trials)):
        seed = int(run.rng.integers(2**31))
        y = (np.arange(n) < rare * n).astype(int)
        X = run.rng.standard_normal((n, FEATURES))
        X[:, 0] += DISTANCE * y
        parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        X_train, X_test, y_train, y_test = parts
        for name, (sampler, options) in remedies.items():
            X_fit, y_fit = X_train, y_train
            if sampler is not None:
                X_fit, y_fit = sampler(random_state=seed).fit_resample(X_train, y_train)
                worst_gap = max(worst_gap, abs(int((y_fit == 1).sum()) - int((y_fit == 0).sum())))
            model = LogisticRegression(solver="newton-cholesky", **options).fit(X_fit, y_fit)
            common, uncommon = recall_score(y_test, model.predict(X_test), average=None)
            scores[name].append((common + uncommon) / 2)
            recalls[name].append(uncommon)
            if name == "SMOTE" and trial == 0:
                minority = X_train[y_train == 1]
                off_segment = _off_segments(X_fit[len(X_train) :], minority)

    best = float(norm.cdf(DISTANCE / 2))
    lean = np.log((1 - rare) / rare) / DISTANCE
    plain = float(norm.cdf([DISTANCE / 2 - lean, DISTANCE / 2 + lean]).mean())
    for name in remedies:
        run.row(
            remedy=name,
            limit=plain if name == PLAIN else best,
            balanced_accuracy=np.mean(scores[name]),
            standard_error=np.std(scores[name], ddof=1) / np.sqrt(trials),
            recall_of_the_rare_class=np.mean(recalls[name]),
        )
    run.figure(
        bars(
            "remedy",
            "balanced_accuracy",
            theory="limit",
            error="standard_error",
            title="Logistic regression with one rare class",
            y_title="balanced accuracy on test data",
        )
    )

    reach = student(trials - 1).isf(FALSE_ALARM)
    for name in remedies:
        if name == PLAIN:
            continue
        run.claim(
            f"{name}: mean gain in balanced accuracy over plain training",
            np.mean(np.subtract(scores[name], scores[PLAIN])),
            at_least=0,
            probability=FALSE_ALARM,
        )
    top = max(remedies, key=lambda name: np.mean(scores[name]))
    error = np.std(scores[top], ddof=1) / np.sqrt(trials)
    run.claim(
        f"no remedy beats the best possible balanced accuracy (the best was {top})",
        np.mean(scores[top]),
        at_most=best + reach * error,
        probability=len(remedies) * FALSE_ALARM,
    )
    run.claim("resampled classes have the same size (largest gap)", worst_gap, expected=0, within=0)
    run.claim(
        "SMOTE's points lie on segments between examples of the rare class (largest distance)",
        off_segment,
        expected=0,
        within=1e-9,
    )
    gap = np.mean(scores["SMOTE"]) - np.mean(scores["weights"])
    run.note(
        f"SMOTE against weights: {gap:+.3f} in balanced accuracy. For a linear model the two "
        "are nearly the same; weights cost nothing and are the first thing to try."
    )


def _remedies() -> dict[str, tuple[Any, dict[str, Any]]]:
    from imblearn.over_sampling import SMOTE, RandomOverSampler
    from imblearn.under_sampling import RandomUnderSampler

    return {
        PLAIN: (None, {}),
        "weights": (None, {"class_weight": "balanced"}),
        "undersampling": (RandomUnderSampler, {}),
        "oversampling": (RandomOverSampler, {}),
        "SMOTE": (SMOTE, {}),
    }


def _off_segments(points: Any, minority: Any) -> float:
    """Return the largest distance of a point to the nearest segment between two examples."""
    to_ends = cdist(points, minority)
    detour = to_ends[:, :, None] + to_ends[:, None, :] - cdist(minority, minority)
    return float(detour.min(axis=(1, 2)).max())
