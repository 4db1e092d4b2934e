"""What stands behind the number: curves, errors, relevances and a map of the data."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import confusion_matrix

from shallows.reduce import PCA
from shallows.study._balanced import bare
from shallows.study._fits import Entry
from shallows.study._measures import Measure, answers_of, chances_of
from shallows.study._prepare import Design, scaled
from shallows.study._problem import Array, Problem, Split
from shallows.study._rungs import Rung
from shallows.study._search import Search
from shallows.study._session import Session
from shallows.study._workers import Failure, open_workers
from shallows.validate import ClassRates, calibration_table, precision_recall, roc_band

SHARES = (0.1, 0.2, 0.35, 0.6, 1.0)
MOST_POINTS = 1500
MOST_STEPS = 400  # of a curve
MANY_ROWS, FEW_FOLDS = 10_000, 2  # on large data fewer rows and folds say enough
SHUFFLES = 5
MOST_RELEVANCES = 100
RELEVANCE_ROWS = (200, 2000)  # fewest and most of a fold


def learning_curve(
    model: Any,
    problem: Problem,
    splits: Sequence[Split],
    measure: Measure,
    session: Session,
    seed: int,
) -> list[dict[str, float]]:
    """Return the score against the number of training rows, on the same test folds."""
    rng = np.random.default_rng(seed)
    tasks, shares = [], []
    orders = [_shuffled(train, problem, rng) for train, _ in splits]
    smallest = 10 if not problem.is_classification else 4 * len(problem.classes)
    for share in SHARES:
        for order, (_, test) in zip(orders, splits, strict=True):
            size = max(min(smallest, len(order)), round(share * len(order)))
            part = np.sort(order[:size])
            if problem.is_classification and len(np.unique(problem.y[part])) < len(problem.classes):
                continue
            shares.append((share, len(part)))
            tasks.append((part, test))
    scores = _scores_of(model, problem, measure, tasks, session)
    by_share: dict[float, list[tuple[int, float]]] = {}
    for (share, size), score in zip(shares, scores, strict=True):
        by_share.setdefault(share, []).append((size, score))
    by_size: dict[int, list[float]] = {}  # folds of groups differ in size: the mean stands for all
    for found in by_share.values():
        sizes, values = zip(*found, strict=True)
        by_size.setdefault(round(np.mean(sizes)), []).extend(values)
    return _curve(by_size)


def _scores_of(
    model: Any, problem: Problem, measure: Measure, splits: list[Split], session: Session
) -> list[float]:
    """Return the score of a method on each split, not a number where it fails."""
    scores = [float("nan")] * len(splits)
    waiting = list(enumerate(splits))
    with open_workers((model, problem, measure), session.jobs, session.client) as workers:
        while waiting or workers.running():
            while waiting and workers.running() < workers.size:
                place, split = waiting.pop(0)
                workers.submit(place, _score_of, split)
            for place, result in workers.wait(None):
                if not isinstance(result, Failure):
                    scores[place] = result
    return scores


def _score_of(shared: Any, split: Split) -> float:
    model, problem, measure = shared
    train, test = split
    fitted = clone(model).fit(problem.X[train], problem.y[train])
    answers = answers_of(fitted, problem.X[test], measure, len(problem.classes))
    return float(measure.score(problem.y[test], answers))


def curve_of_rungs(search: Search, choice: Entry, rungs: Sequence[Rung]) -> list[dict[str, float]]:
    """Return the score against the number of training rows, as the search saw it."""
    by_size: dict[int, list[float]] = {}
    for entry, number, found in search.tried:
        if entry.key == choice.key and found.scores:
            by_size.setdefault(round(rungs[number].rows), []).extend(found.scores)
    return _curve(by_size)


def _curve(by_size: dict[int, list[float]]) -> list[dict[str, float]]:
    return [
        {"rows": size, "score": float(np.mean(found)), "spread": float(np.std(found))}
        for size, found in sorted(by_size.items())
        if np.all(np.isfinite(found))
    ]


def complexity_curves(search: Search) -> list[dict[str, Any]]:
    """Return, for each method, scores along its main parameter on the first rung."""
    rows = []
    for entry, number, found in search.tried:
        axis = entry.candidate.axis
        if number == 0 and axis and found.scores:
            rest = {k: v for k, v in entry.setting.items() if k != axis}
            rows.append(
                {
                    "method": entry.candidate.name,
                    "parameter": axis,
                    "value": str(entry.setting.get(axis, "default")),
                    "others": ", ".join(f"{k} = {v}" for k, v in rest.items()),
                    "score": float(np.mean(found.scores)),
                    "spread": float(np.std(found.scores)),
                }
            )
    return rows


def relevances(
    model: Any, test: Problem, measure: Measure, seed: int, seconds: float
) -> list[dict[str, Any]]:
    """Return by how much the score on locked rows falls when a column is shuffled among them.

    As many rows and shuffles as there is time for; nothing where even few take too long.
    """
    features = test.schema.features
    n_classes = len(test.classes)
    chosen = _widest(test.X, MOST_RELEVANCES)
    fewest, most = RELEVANCE_ROWS
    rng = np.random.default_rng(seed)
    rows = _some(np.arange(len(test.y)), most, test, rng)
    start = time.perf_counter()
    base = measure.score(test.y[rows], answers_of(model, test.X[rows], measure, n_classes))
    spent = time.perf_counter() - start
    possible = min(SHUFFLES, seconds / (spent * len(chosen) + 1e-9))
    if possible < 1:
        if possible * len(rows) < min(fewest, len(rows)):
            return []
        rows = rows[: int(possible * len(rows))]
        base = measure.score(test.y[rows], answers_of(model, test.X[rows], measure, n_classes))
    X, y = test.X[rows], test.y[rows]
    falls = np.zeros((max(1, int(possible)), len(chosen)))
    for column, place in enumerate(chosen):
        for draw in range(len(falls)):
            changed = X.copy()
            changed[:, place] = rng.permutation(X[:, place])
            found = measure.score(y, answers_of(model, changed, measure, n_classes))
            falls[draw, column] = base - found
    table = [
        {"column": features[place].name, "fall": float(fall.mean()), "spread": float(fall.std())}
        for place, fall in zip(chosen, falls.T, strict=True)
    ]
    return sorted(table, key=lambda row: -row["fall"])


def data_map(
    design: Design, train: Problem, test: Problem, predicted: Array, seed: int
) -> dict[str, Any]:
    """Return the two leading directions of the prepared data, with test errors marked."""
    prepare = scaled(design, "passthrough")[:-1]
    flat = PCA(min(2, design.n_columns), random_state=seed)
    placed = flat.fit_transform(prepare.fit_transform(train.X))
    tested = flat.transform(prepare.transform(test.X))
    rng = np.random.default_rng(seed)
    rows = []
    for points, problem, answer, part in (
        (placed, train, None, "training"),
        (tested, test, predicted, "test"),
    ):
        kept = np.arange(len(points))
        if len(kept) > MOST_POINTS:
            kept = np.sort(rng.choice(kept, MOST_POINTS, replace=False))
        for i in kept:
            target = problem.classes[problem.y[i]] if problem.classes else float(problem.y[i])
            wrong = bool(problem.classes) and answer is not None and bool(answer[i] != problem.y[i])
            rows.append(
                {
                    "first": float(points[i, 0]),
                    "second": float(points[i, 1]) if points.shape[1] > 1 else 0.0,
                    "target": target,
                    "part": part,
                    "wrong": wrong,
                }
            )
    return {"points": rows, "share": float(flat.explained_variance_ratio_.sum())}


def answers_in_detail(model: Any, test: Problem, predicted: Array) -> dict[str, Any]:
    """Return tables of right and wrong answers on the test part."""
    y = test.y
    if not test.is_classification:
        order = np.linspace(0, len(y) - 1, min(len(y), MOST_POINTS)).astype(int)
        rest = y - predicted
        return {
            "residuals": [
                {"predicted": float(predicted[i]), "observed": float(y[i]), "rest": float(rest[i])}
                for i in order
            ],
            "rmse": float(np.sqrt(np.mean(rest**2))),
            "mae": float(np.mean(np.abs(rest))),
        }
    labels = np.arange(len(test.classes))
    rates = ClassRates(confusion_matrix(y, predicted, labels=labels))
    found: dict[str, Any] = {
        "confusion": confusion_matrix(y, predicted, labels=labels).tolist(),
        "classes": [
            {
                "class": name,
                "rows": int(np.sum(y == code)),
                "recall": float(rates.tpr[code]),
                "precision": float(rates.precision[code]),
            }
            for code, name in enumerate(test.classes)
        ],
    }
    if len(labels) == 2 and len(np.unique(y)) == 2:
        chance = chances_of(model, test.X, 2)[:, 1]
        band, curve = roc_band(y, chance), precision_recall(y, chance)
        every = slice(None, None, 4)
        found["roc"] = _rows(
            fpr=band.fpr[every], tpr=band.tpr[every], low=band.low[every], high=band.high[every]
        )
        found["auc"] = band.auc
        some = np.unique(np.linspace(0, len(curve.recall) - 1, MOST_STEPS).astype(int))
        found["pr"] = _rows(recall=curve.recall[some], precision=curve.precision[some])
        if hasattr(model, "predict_proba"):
            bins = calibration_table(
                y, chance, strategy="quantile", n_bins=min(10, len(y) // 10 or 1)
            )
            found["calibration"] = _rows(
                predicted=bins.predicted, observed=bins.observed, low=bins.low, high=bins.high
            )
    return found


def prototypes(model: Any, problem: Problem) -> dict[str, Any]:
    """Return prototypes and relevances of a fitted GMLVQ pipeline, in prepared columns."""
    pipeline = bare(model)
    prepare, learner = pipeline[0], pipeline[-1]
    names = [_plain_name(name, problem) for name in prepare.get_feature_names_out()]
    relevance = np.asarray(learner.relevances_)
    order = np.argsort(-relevance)[:20]
    return {
        "relevances": [{"column": names[i], "relevance": float(relevance[i])} for i in order],
        "prototypes": [
            {
                "class": problem.classes[int(label)],
                "values": {names[i]: float(place[i]) for i in order[:8]},
            }
            for label, place in zip(learner.prototype_labels_, learner.prototypes_, strict=True)
        ],
    }


def _plain_name(name: str, problem: Problem) -> str:
    """Turn names such as numbers__x3 or categories__x1_2.0 into those of the file."""
    features = problem.schema.features
    kind, _, rest = name.partition("__")
    rest = rest.removeprefix("missingindicator_")
    gap = " is missing" if "missingindicator_" in name else ""
    place, _, code = rest.removeprefix("x").partition("_")
    feature = features[int(place)]
    if kind != "categories":
        return feature.name + gap
    try:
        return f"{feature.name} = {feature.levels[int(float(code))]}"
    except (ValueError, IndexError):
        return f"{feature.name} = {'missing' if code == 'nan' else 'rare'}"


def _shuffled(train: Array, problem: Problem, rng: np.random.Generator) -> Array:
    if problem.order is not None:
        return train[np.argsort(problem.order[train], kind="stable")][::-1]
    return rng.permutation(train)


def _some(places: Array, most: int, problem: Problem, rng: np.random.Generator) -> Array:
    """Return a draw of places in their order; of a series the latest, which lie together."""
    if len(places) <= most:
        return places
    if problem.order is not None:
        return places[-most:]
    return np.sort(rng.choice(places, most, replace=False))


def _widest(X: Array, most: int) -> list[int]:
    if X.shape[1] <= most:
        return list(range(X.shape[1]))
    spread = np.nanstd(X, axis=0) / (np.nanmax(np.abs(X), axis=0) + 1e-300)
    return sorted(np.argsort(-spread)[:most].tolist())


def _rows(**columns: Array) -> list[dict[str, float]]:
    names = list(columns)
    return [
        dict(zip(names, map(float, values), strict=True))
        for values in zip(*columns.values(), strict=True)
    ]
