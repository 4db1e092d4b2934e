"""Several labels, several outputs, weights and pieces of data, as scikit-learn has them."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV

from shallows.network import (
    SGD,
    CascadeCorrelationRegressor,
    Dropout,
    MLPClassifier,
    MLPRegressor,
    Restarts,
)
from shallows.network._output_targets import class_columns, signed_columns, winners


def labels():
    X, Y = make_multilabel_classification(150, 6, n_classes=3, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), Y


def exact(**options):
    return MLPClassifier((), solver="lbfgs", alpha=1.0, tol=None, max_iter=300, **options)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_columns_lead_back_to_their_class(n_classes):
    y = np.arange(20) % n_classes
    columns = class_columns(y, n_classes)
    assert columns.shape == (20, 1 if n_classes == 2 else n_classes)
    np.testing.assert_array_equal(winners(signed_columns(y, n_classes)), y)
    np.testing.assert_array_equal(signed_columns(y, n_classes), 2 * columns - 1)


def test_each_label_is_a_logistic_regression_of_its_own():
    X, Y = labels()
    model = exact(random_state=0).fit(X, Y)
    for column in range(3):
        alone = LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(X, Y[:, column])
        found = model.predict_proba(X)[:, column]
        np.testing.assert_allclose(found, alone.predict_proba(X)[:, 1], atol=1e-4)
    assert model.score(X, Y) == accuracy_score(Y, model.predict(X))
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])


def test_labels_may_be_sparse_and_rows_may_weigh_nothing():
    X, Y = labels()
    model = exact(random_state=0)
    dense = clone(model).fit(X[:100], Y[:100]).predict_proba(X)
    for given in (csr_matrix(Y), csc_matrix(Y)):
        weights = np.r_[np.ones(100), np.zeros(50)]
        found = clone(model).fit(X, given, weights).predict_proba(X)
        np.testing.assert_allclose(found, dense, atol=1e-6)
    columns = clone(model).fit(csc_matrix(X[:100]), Y[:100]).predict_proba(csc_matrix(X))
    np.testing.assert_allclose(columns, dense, atol=1e-6)


def test_early_stopping_watches_all_labels_together():
    X, Y = labels()
    model = MLPClassifier(10, early_stopping=True, max_iter=20, tol=None, random_state=0).fit(X, Y)
    held = np.zeros(150, dtype=bool)
    held[np.random.default_rng(0).permutation(150)[:15]] = True
    assert model.score(X[held], Y[held]) == model.best_validation_score_
    assert model.validation_scores_ == model.history_["val_score"] and model.best_loss_ is None


def test_labels_in_pieces():
    X, Y = labels()
    model = MLPClassifier(5, random_state=0, batch_size=50)
    whole = clone(model).set_params(max_iter=2, tol=None).fit(X, Y)
    for _ in range(2):
        model.partial_fit(X, Y, classes=[0, 1, 2])
    np.testing.assert_array_equal(model.coefs_[0], whole.coefs_[0])
    with pytest.raises(ValueError, match="3 outputs, but y asks for 2"):
        model.partial_fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="several columns of labels"):
        model.partial_fit(X, Y[:, 0])
    assert model.partial_fit(X, Y).classes_.tolist() == [0, 1, 2]


def test_numbers_in_pieces_keep_their_columns():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    model = MLPRegressor(hidden_layer_sizes=4, random_state=0).partial_fit(X, Y)
    with pytest.raises(ValueError, match="2 outputs, but y asks for 1"):
        model.partial_fit(X, Y[:, 0])
    assert model.predict(X).shape == (40, 2)


@pytest.mark.parametrize("solver", ["sgd", "adam", "rprop"])
def test_weights_of_pieces_equal_repeated_rows(solver):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    weights = rng.integers(1, 4, 30)
    rows = np.repeat(np.arange(30), weights)
    options = {"solver": solver, "batch_size": None, "alpha": 1.0, "random_state": 0}
    weighted, repeated = (
        MLPRegressor(hidden_layer_sizes=4, **options),
        MLPRegressor(hidden_layer_sizes=4, **options),
    )
    for _ in range(5):
        weighted.partial_fit(X, y, sample_weight=weights)
        repeated.partial_fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coefs_[0], repeated.coefs_[0], rtol=1e-6)
    np.testing.assert_allclose(weighted.loss_curve_, repeated.loss_curve_, rtol=1e-9)
    assert weighted.best_loss_ == min(weighted.loss_curve_)
    assert weighted.validation_scores_ is None and weighted.best_validation_score_ is None


def test_weights_of_classes_are_refused_where_they_mean_nothing():
    X, Y = labels()
    with pytest.raises(ValueError, match="one class per sample"):
        MLPClassifier(class_weight={0: 2.0}).fit(X, Y)
    with pytest.raises(ValueError, match="finite weights > 0"):
        MLPClassifier(class_weight={0: -1.0}).fit(X, Y[:, 0])


def test_held_out_scores_need_two_samples():
    X, y = np.arange(12.0).reshape(6, 2), np.arange(6.0)
    for model in (
        MLPRegressor(hidden_layer_sizes=3, early_stopping=True, validation_fraction=0.2),
        CascadeCorrelationRegressor(2, validation_fraction=0.2),
    ):
        with pytest.raises(ValueError, match="at least 2 held-out samples, got 1"):
            model.fit(X, y)


@pytest.mark.parametrize("combine", ["best", "median", "mean", "vote"])
def test_restarts_of_several_labels(combine):
    X, Y = labels()
    net = MLPClassifier(8, solver="lbfgs", max_iter=30, tol=None)
    model = Restarts(net, 3, combine=combine, random_state=0).fit(X, Y)
    assert model.predict(X).shape == model.predict_proba(X).shape == Y.shape
    assert (model.predict(X) == Y).mean() > 0.85
    if combine in ("mean", "vote"):
        answer = "predict_proba" if combine == "mean" else "predict"
        mean = np.mean([getattr(member, answer)(X) for member in model.estimators_], axis=0)
        np.testing.assert_array_equal(model.predict(X), mean > 0.5)


def test_options_survive_a_search():
    X, y = make_blobs(60, centers=2, random_state=0)
    grid = {"solver": ["adam", SGD(0.5)], "dropout": [None, Dropout(0.8)]}
    search = GridSearchCV(MLPClassifier(5, max_iter=5, tol=None, random_state=0), grid, cv=2)
    search.fit(X, y)
    seen = [(p["solver"], p["dropout"]) for p in search.cv_results_["params"]]
    assert (SGD(0.5), Dropout(0.8)) in seen and len(seen) == 4
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()
