"""One-standard-error rule, complexity curves, coarse-to-fine search, optimism, early stopping."""

from functools import partial

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.linear_model import (
    ElasticNet,
    LinearRegression,
    LogisticRegression,
    Ridge,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV, KFold, validation_curve
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from shallows.perceptron import Perceptron
from shallows.prototype import GLVQ
from shallows.validate import (
    coarse_to_fine,
    complexity_curve,
    early_stopping_path,
    one_standard_error,
    selection_optimism,
)
from shallows.validate._coarse_to_fine import refined


def results(table):
    table = np.asarray(table)
    folds = {f"split{k}_test_score": table[:, k] for k in range(table.shape[1])}
    return {**folds, "params": [{"size": j} for j in range(len(table))]}


def test_rule_takes_the_simplest_within_one_standard_error():
    # the best row has mean 0.80 and standard error 0.1 / sqrt(4) = 0.05
    spread = np.array([1, -1, 1, -1]) * 0.1 * np.sqrt(3) / 2
    table = [0.74 + 0 * spread, 0.76 + 0 * spread, 0.80 + spread, 0.79 + spread]
    assert one_standard_error(results(table), "size") == 1
    assert one_standard_error(results(table), lambda p: -p["size"]) == 3
    assert one_standard_error(results(table), lambda p: 0.0) == 2
    # two repetitions of two folds are no more than two folds: the error is 0.1 / sqrt(2)
    assert one_standard_error(results(table), "size", repeats=2) == 0


def test_rule_serves_as_refit_of_a_search():
    X, y = make_classification(150, flip_y=0.2, random_state=0)
    rule = partial(one_standard_error, complexity=lambda p: -p["n_neighbors"])
    grid = {"n_neighbors": [1, 3, 5, 9, 15, 31]}
    search = GridSearchCV(KNeighborsClassifier(), grid, refit=rule).fit(X, y)
    scores = np.array([search.cv_results_[f"split{k}_test_score"] for k in range(5)]).T
    best = scores.mean(axis=1).argmax()
    limit = scores.mean(axis=1)[best] - scores[best].std(ddof=1) / np.sqrt(5)
    near = [
        k for k, mean in zip(grid["n_neighbors"], scores.mean(axis=1), strict=True) if mean >= limit
    ]
    assert search.best_params_ == {"n_neighbors": max(near)}
    assert search.best_estimator_.n_neighbors == max(near)


def test_rule_refuses_unknown_names():
    with pytest.raises(ValueError, match="complexity 'depth' must be a parameter"):
        one_standard_error(results([[1, 2]]), "depth")
    with pytest.raises(ValueError, match="no test scores of metric 'f1'"):
        one_standard_error(results([[1, 2]]), "size", metric="f1")


def polynomial():
    return make_pipeline(PolynomialFeatures(), LinearRegression())


def cubic(n=40):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-1, 1, n))
    return x[:, None], x - 2 * x**3 + rng.normal(scale=0.05, size=n)


def test_full_sweep_is_scikit_learns_curve():
    X, y = cubic()
    cv, degrees = KFold(4, shuffle=True, random_state=0), [1, 2, 3, 5, 9]
    name = "polynomialfeatures__degree"
    curve = complexity_curve(polynomial(), X, y, name, degrees, cv=cv)
    train, test = validation_curve(polynomial(), X, y, param_name=name, param_range=degrees, cv=cv)
    assert np.array_equal(curve.train_scores, train)
    assert np.array_equal(curve.test_scores, test)
    assert curve.best == degrees[test.mean(axis=1).argmax()]
    assert curve.diagnosis(1) == "underfit"
    assert "underfit at 1" in curve.summary()


def test_training_error_never_rises_along_nested_classes():
    X, y = cubic()
    curve = complexity_curve(
        polynomial(), X, y, "polynomialfeatures__degree", range(1, 9), random_state=0
    )
    assert (np.diff(curve.train_scores, axis=0) >= -1e-9).all()


def test_economy_sweep_stops_at_the_first_fall_of_the_score():
    X, y = cubic()
    cv, degrees = KFold(5, shuffle=True, random_state=1), list(range(1, 15))
    name = "polynomialfeatures__degree"
    full = complexity_curve(polynomial(), X, y, name, degrees, cv=cv)
    economy = complexity_curve(polynomial(), X, y, name, degrees, cv=cv, sweep="economy")
    means = full.test_scores.mean(axis=1)
    first_fall = int(np.flatnonzero(np.diff(means) < 0)[0]) + 1
    assert economy.values == tuple(degrees[: first_fall + 1])
    assert economy.stopped_early
    assert np.allclose(economy.test_scores, full.test_scores[: first_fall + 1])


def test_warm_starts_save_steps_and_find_the_same_convex_solutions():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    net = ElasticNet(tol=1e-10, max_iter=100_000)
    alphas = np.geomspace(10, 0.01, 12)
    options = {"cv": KFold(4), "patience": 12}
    full = complexity_curve(net, X, y, "alpha", alphas, **options)
    economy = complexity_curve(net, X, y, "alpha", alphas, sweep="economy", **options)
    assert np.allclose(full.test_scores, economy.test_scores, atol=1e-6)
    steps = {}
    for warm in (False, True):
        model, steps[warm] = net.set_params(warm_start=warm), 0
        for alpha in alphas:
            steps[warm] += model.set_params(alpha=alpha).fit(X, y).n_iter_
    assert steps[True] < steps[False]


def test_curve_refuses_bad_input():
    X, y = cubic()
    with pytest.raises(ValueError, match="Ridge has no parameter 'degree'"):
        complexity_curve(Ridge(), X, y, "degree", [1])
    with pytest.raises(ValueError, match="values must contain at least one"):
        complexity_curve(Ridge(), X, y, "alpha", [])
    with pytest.raises(ValueError, match="sweep must be one of 'full', 'economy'"):
        complexity_curve(Ridge(), X, y, "alpha", [1], sweep="lazy")
    cv = [(np.arange(8), np.array([8, 9])), (np.arange(2, 10), np.array([0, 1]))]
    labels = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 0])
    for sweep in ("full", "economy"):
        with pytest.raises(ValueError, match=r"undefined on .*fold 0"):
            complexity_curve(
                LogisticRegression(),
                np.arange(10.0)[:, None],
                labels,
                "C",
                [1.0],
                cv=cv,
                scoring="roc_auc",
                sweep=sweep,
            )


def test_refined_grids():
    assert refined([1e-3, 1e-1, 10], 1e-1) == pytest.approx([1e-2, 1e-1, 1])
    assert refined([1e-3, 1e-1, 10], 10) == pytest.approx([1, 10, 100])
    assert refined([0.0, 0.5, 1.0], 0.5) == pytest.approx([0.25, 0.5, 0.75])
    assert refined([0.1, 0.5, 0.9], 0.9) == pytest.approx([0.7, 0.9])
    assert refined([1, 5, 9], 5) == [3, 5, 7]
    assert refined([1, 2, 3], 1) == [1, 2]
    assert refined(["a", "b"], "a") == ["a", "b"]
    assert refined([True, False], True) == [True, False]


def test_coarse_to_fine_closes_in_on_the_optimum():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    cv = KFold(5)
    found = coarse_to_fine(Ridge(), {"alpha": [1e-2, 1, 100, 1e4]}, X, y, cv=cv, rounds=5)
    dense = GridSearchCV(Ridge(), {"alpha": np.geomspace(1e-2, 1e4, 61)}, cv=cv).fit(X, y)
    assert found.best_score >= dense.best_score_ - 1e-4
    assert found.best_params["alpha"] == pytest.approx(dense.best_params_["alpha"], rel=0.3)
    assert found.model.alpha == found.best_params["alpha"]
    shown = [tuple(each["params"].items()) for each in found.tried]
    assert len(set(shown)) == len(shown) <= 4 + 4 * 5
    assert "in 5 rounds" in found.summary()


def test_first_round_tries_every_combination():
    X, y = load_iris(return_X_y=True)
    grid = {"n_neighbors": [1, 10, 100], "p": [1, 2, 3]}
    found = coarse_to_fine(KNeighborsClassifier(), grid, X, y, rounds=1, random_state=0)
    assert len(found.tried) == 9


def test_optimism_by_hand_and_on_noise():
    table = np.array([[0.8, 0.6, 0.7], [0.7, 0.9, 0.4]])
    assert selection_optimism(table) == pytest.approx((0 + 0.3 + 0) / 3)
    assert selection_optimism(results(table)) == selection_optimism(table)
    rng = np.random.default_rng(0)
    estimated, actual = [], []
    for _ in range(300):
        scores = rng.normal(size=(30, 5))  # equally good candidates of mean zero
        estimated.append(selection_optimism(scores))
        actual.append(scores.mean(axis=1).max())
    assert np.mean(actual) > 0.5
    assert np.mean(actual) < np.mean(estimated) < 2 * np.mean(actual)
    with pytest.raises(ValueError, match="must be finite"):
        selection_optimism([[np.nan, 1.0]])


def test_early_stopping_path_by_callbacks_equals_runs_of_each_length():
    X, y = load_iris(return_X_y=True)
    cv = KFold(3, shuffle=True, random_state=0)
    model = Perceptron(random_state=0, tol=None)
    found = early_stopping_path(model, X, y, epochs=6, cv=cv)
    for k, (train, test) in enumerate(cv.split(X)):
        for epoch in range(1, 7):
            run = Perceptron(random_state=0, tol=None, max_iter=epoch).fit(X[train], y[train])
            assert found.scores[epoch - 1, k] == run.score(X[test], y[test])
    assert found.best_epoch == found.scores.mean(axis=1).argmax() + 1
    again = Perceptron(random_state=0, tol=None, max_iter=found.best_epoch).fit(X, y)
    assert np.array_equal(found.model.coef_, again.coef_)
    assert found.model.n_iter_ == found.best_epoch
    assert f"epoch {found.best_epoch} of 6" in found.summary()


def test_early_stopping_path_by_partial_fit():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    cv = KFold(3, shuffle=True, random_state=0)
    found = early_stopping_path(SGDClassifier(random_state=0), X, y, epochs=4, cv=cv)
    for k, (train, test) in enumerate(cv.split(X)):
        run = SGDClassifier(random_state=0)
        for epoch in range(4):
            run.partial_fit(X[train], y[train], classes=[0, 1, 2])
            assert found.scores[epoch, k] == run.score(X[test], y[test])


def test_early_stopping_path_of_a_pipeline_prepares_within_the_folds():
    X, y = load_iris(return_X_y=True)
    cv = KFold(3, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), GLVQ(random_state=0))
    found = early_stopping_path(model, X, y, epochs=5, cv=cv, one_standard_error=True)
    for k, (train, test) in enumerate(cv.split(X)):
        scaler = StandardScaler().fit(X[train])
        last = GLVQ(random_state=0, max_iter=5, tol=None).fit(scaler.transform(X[train]), y[train])
        assert found.scores[-1, k] == last.score(scaler.transform(X[test]), y[test])
    means = found.scores.mean(axis=1)
    best = means.argmax()
    limit = means[best] - found.scores[best].std(ddof=1) / np.sqrt(3)
    assert found.best_epoch == np.flatnonzero(means >= limit)[0] + 1
    assert found.model.score(X, y) > 0.8


def test_early_stopping_path_keeps_the_last_score_of_a_run_that_ends_by_itself():
    X = np.array([[0.0], [1.0], [2.0], [3.0]] * 5)
    y = (X[:, 0] > 1.5).astype(int)
    found = early_stopping_path(Perceptron(), X, y, epochs=60, cv=2, random_state=0)
    assert found.scores.shape == (60, 2)
    assert (found.scores[-1] == 1).all()


def test_early_stopping_path_is_the_same_for_any_number_of_workers_and_refuses_one_shot_learners():
    X, y = load_iris(return_X_y=True)
    alone = early_stopping_path(GLVQ(), X, y, epochs=3, random_state=0)
    with parallel_config("threading", n_jobs=2):
        together = early_stopping_path(GLVQ(), X, y, epochs=3, random_state=0)
    assert np.array_equal(alone.scores, together.scores)
    with pytest.raises(TypeError, match="needs an iterative estimator"):
        early_stopping_path(Ridge(), X, y)
