"""Nested cross-validation."""

import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from shallows.validate import nested_cross_validate

GRID = {"n_neighbors": [1, 5, 9]}


def noisy(n=60, seed=0):
    return make_classification(n, n_features=5, flip_y=0.2, random_state=seed)


def test_equals_explicit_loops():
    X, y = noisy()
    outer, inner = KFold(4), KFold(3)
    found = nested_cross_validate(KNeighborsClassifier(), GRID, X, y, outer=outer, inner=inner)
    for fold, (train, test) in enumerate(outer.split(X)):
        means = {}
        for k in GRID["n_neighbors"]:
            scores = []
            for learn, judge in inner.split(train):
                model = KNeighborsClassifier(k).fit(X[train[learn]], y[train[learn]])
                scores.append(np.mean(model.predict(X[train[judge]]) == y[train[judge]]))
            means[k] = np.mean(scores)
        best = max(means, key=means.get)
        score = KNeighborsClassifier(best).fit(X[train], y[train]).score(X[test], y[test])
        entry = found.outer_folds[fold]
        assert entry.choice == {"n_neighbors": best}
        assert entry.inner_score == pytest.approx(means[best])
        assert entry.score == pytest.approx(score)


def test_equals_grid_search_inside_cross_val_score():
    X, y = noisy(seed=2)
    outer, inner = KFold(5), KFold(3)
    search = GridSearchCV(KNeighborsClassifier(), GRID, cv=inner)
    expected = cross_val_score(search, X, y, cv=outer)
    flat = GridSearchCV(KNeighborsClassifier(), GRID, cv=outer).fit(X, y)
    found = nested_cross_validate(KNeighborsClassifier(), GRID, X, y, outer=outer, inner=inner)
    assert np.allclose([each.score for each in found.outer_folds], expected)
    assert found.score == pytest.approx(expected.mean())
    assert found.flat_score == pytest.approx(flat.best_score_)
    assert found.flat_choice == flat.best_params_
    assert found.optimism == pytest.approx(flat.best_score_ - expected.mean())


def test_workers_do_not_change_the_result():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_features=1)
    grid = {"max_depth": [1, 3]}
    options = {"outer": 3, "inner": 3, "repeats": 2, "random_state": 4}
    alone = nested_cross_validate(tree, grid, X, y, **options)
    with parallel_config("threading", n_jobs=3):
        together = nested_cross_validate(tree, grid, X, y, **options)
    assert alone.outer_folds == together.outer_folds
    assert np.array_equal(alone.candidate_scores, together.candidate_scores)
    assert {(each.repeat, each.fold) for each in alone.outer_folds} == {
        (r, k) for r in range(2) for k in range(3)
    }


class OneFeature(ClassifierMixin, BaseEstimator):
    """Chooses the class whose mean is nearer, by a single feature."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.means_ = [X[y == label, self.column].mean() for label in (0, 1)]
        return self

    def predict(self, X):
        away = np.abs(X[:, [self.column]] - self.means_)
        return away.argmin(axis=1)


def test_on_random_labels_nested_is_at_chance_and_flat_above():
    rng = np.random.default_rng(0)
    nested, flat = [], []
    for seed in range(10):
        X, y = rng.normal(size=(40, 15)), rng.permutation(np.tile([0, 1], 20))
        grid = {"column": range(15)}
        found = nested_cross_validate(OneFeature(), grid, X, y, outer=4, inner=3, random_state=seed)
        nested.append(found.score)
        flat.append(found.flat_score)
    spread = np.std(nested, ddof=1) / np.sqrt(len(nested))
    assert abs(np.mean(nested) - 0.5) < 4 * spread
    optimism = np.array(flat) - nested
    assert optimism.mean() > 4 * optimism.std(ddof=1) / np.sqrt(len(optimism))


def test_groups_stay_whole_in_both_loops():
    X, y = noisy(60)
    groups = np.arange(60) // 4
    seen = []

    def spy(model, X, y):
        seen.append((set(model._fit_X[:, 0]), set(X[:, 0])))
        return model.score(X, y)

    X[:, 0] = groups
    nested_cross_validate(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 3]},
        X,
        y,
        groups=groups,
        scoring=spy,
        outer=3,
        inner=2,
        random_state=0,
    )
    assert len(seen) == 2 * 3 * 3
    assert not any(learned & judged for learned, judged in seen)


def test_straddling_groups_are_refused():
    X, y = noisy(20)
    with pytest.raises(ValueError, match="group 0 is in both parts"):
        nested_cross_validate(
            KNeighborsClassifier(),
            GRID,
            X,
            y,
            groups=np.arange(20) // 3,
            outer=[([0, 3, 4, 9], [1, 2, 10])],
        )
    with pytest.raises(ValueError, match="repeats=2 needs the number of folds as an int"):
        nested_cross_validate(KNeighborsClassifier(), GRID, X, y, outer=GroupKFold(2), repeats=2)


def test_small_classes_are_named_with_the_loop_they_fail_in():
    X, y = np.zeros((20, 1)), np.array(["a"] * 16 + ["b"] * 4)
    with pytest.raises(ValueError, match="class 'b' has 4 rows, fewer than the 5 folds"):
        nested_cross_validate(KNeighborsClassifier(), GRID, X, y)
    with pytest.raises(ValueError, match="training part of outer fold 0: class 'b' has 3 rows"):
        nested_cross_validate(KNeighborsClassifier(), GRID, X, y, outer=4, inner=4)


def test_undefined_scores_name_their_fold():
    X, y = np.arange(12.0)[:, None], np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0])
    cv = [(np.arange(10), np.array([10, 11])), (np.arange(2, 12), np.array([0, 1]))]
    with pytest.raises(ValueError, match="undefined on outer fold 0: it holds 2 of class 0"):
        nested_cross_validate(
            KNeighborsClassifier(1),
            {"weights": ["uniform"]},
            X,
            y,
            scoring="roc_auc",
            outer=cv,
            inner=2,
        )


def test_missing_targets_are_refused():
    X = np.zeros((6, 1))
    with pytest.raises(ValueError, match="1 of 6 targets are missing"):
        nested_cross_validate(Ridge(), {"alpha": [1]}, X, [1, 2, 3, np.nan, 5, 6])
    with pytest.raises(ValueError, match="2 of 6 targets are missing"):
        labels = pd.Series(["a", None, "b", "a", pd.NA, "b"])
        nested_cross_validate(KNeighborsClassifier(), GRID, X, labels)


def test_shuffled_time_series_warns():
    frame = pd.DataFrame({"x": np.arange(40.0)}, index=pd.date_range("2020-01-01", periods=40))
    with pytest.warns(UserWarning, match="time series"):
        nested_cross_validate(
            Ridge(), {"alpha": [1.0]}, frame, np.arange(40.0), outer=3, inner=2, random_state=0
        )


def test_the_simplest_may_be_chosen_and_the_summary_says_so():
    X, y = noisy(80)
    options = {"outer": 3, "inner": 3, "random_state": 0}
    model, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4, 8]}
    best = nested_cross_validate(model, grid, X, y, **options)
    simple = nested_cross_validate(model, grid, X, y, complexity="max_depth", **options)
    depths = [[fold.choice["max_depth"] for fold in each.outer_folds] for each in (simple, best)]
    assert all(a <= b for a, b in zip(*depths, strict=True))
    assert "over 3 outer folds" in simple.summary()
    assert "max_depth=" in simple.summary()
    with warnings.catch_warnings(), pytest.raises(ValueError, match="must be a parameter of"):
        nested_cross_validate(model, grid, X, y, complexity="depth", **options)
