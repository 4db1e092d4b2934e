"""Sparse matrices: the trees and answers of the dense data, at a cost of what is stored."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier as Peer

from shallows.tree import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    prune,
)


def table(n=300, d=12, kind="numbers", gaps=False, seed=0):
    """Return mostly zeros, of both signs, and labels that depend on three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if kind == "numbers" else rng.integers(-2, 4, size=(n, d)) + 0.0
    X[rng.random((n, d)) > 0.25] = 0
    X[:, -1] = rng.normal(size=n)  # without zeros
    y = (X[:, 0] - X[:, 1] + X[:, -1] + 0.3 * rng.normal(size=n) > 0).astype(int)
    if gaps:
        X[rng.random((n, d)) < 0.05] = np.nan
    return X, y


def assert_same(one, other, within=0.0):
    for name, array in vars(one).items():
        assert np.allclose(array, getattr(other, name), rtol=within, atol=within), name


@pytest.mark.parametrize("kind", ["numbers", "counts"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain-ratio", "misclassification"])
@pytest.mark.parametrize("limits", [{}, {"max_leaf_nodes": 9}, {"min_samples_leaf": 5}])
def test_same_tree_as_of_dense_data(kind, criterion, limits):
    X, y = table(kind=kind)
    model = DecisionTreeClassifier(criterion, **limits)
    dense = model.fit(X, y).tree_
    assert_same(dense, model.fit(sparse.csr_matrix(X), y).tree_, 1e-12)
    assert model.get_n_leaves() > 3


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_forms_and_types_give_the_dense_answers(form, dtype):
    X, y = table()
    X = X.astype(dtype)
    S = form(X)
    for model in (
        DecisionTreeClassifier(max_features="sqrt", random_state=0),
        RandomForestClassifier(7, oob_score=True, max_samples=0.5, random_state=0),
    ):
        shares = model.fit(X, y).predict_proba(X)
        again = model.fit(S, y).predict_proba(S)
        assert again.dtype == dtype
        assert np.array_equal(shares, again)
        assert np.array_equal(model.apply(X), model.apply(S))
        assert np.array_equal(model.predict(X), model.predict(S))


@pytest.mark.parametrize("kind", ["numbers", "counts"])
@pytest.mark.parametrize("missing", ["fractional", "majority"])
def test_gaps_among_the_stored_values(kind, missing):
    X, y = table(kind=kind, gaps=True)
    model = DecisionTreeClassifier(missing=missing, min_samples_leaf=3)
    dense, shares = model.fit(X, y).tree_, model.predict_proba(X)
    S = sparse.csr_matrix(X)
    assert_same(dense, model.fit(S, y).tree_, 1e-9)
    assert model.predict_proba(S) == pytest.approx(shares)


def test_numbers_as_targets_with_weights():
    X, _ = table(400)
    y = np.column_stack([X[:, 0] * 2 + X[:, 3], X[:, -1]])
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    model = DecisionTreeRegressor(max_depth=6)
    dense = model.fit(X, y, weights).predict(X)
    S = sparse.csc_array(X)
    assert model.fit(S, y, weights).predict(S) == pytest.approx(dense)
    forest = RandomForestRegressor(5, random_state=0, max_depth=5)
    dense = forest.fit(X, y).predict(X)
    assert forest.fit(S, y).predict(S) == pytest.approx(dense)


def test_same_answers_as_scikit_learn():
    X, y = table(2000, 30, seed=3)
    S, new = sparse.csr_matrix(X[:1500]), sparse.csr_matrix(X[1500:])
    ours = DecisionTreeClassifier(max_depth=4).fit(S, y[:1500])
    peer = Peer(max_depth=4, random_state=0).fit(S, y[:1500])
    assert np.mean(ours.predict(new) == peer.predict(new)) > 0.99


def test_pruning_stopping_and_bagging_take_sparse_rows():
    X, y = table(600, kind="counts")
    S = sparse.csr_matrix(X)
    full = DecisionTreeClassifier().fit(S[:300], y[:300])
    assert_same(
        prune(full, S[300:], y[300:]).tree_,
        prune(DecisionTreeClassifier().fit(X[:300], y[:300]), X[300:], y[300:]).tree_,
    )
    stopped = DecisionTreeClassifier(stop="validation", random_state=0)
    assert_same(stopped.fit(X, y).tree_, stopped.fit(S, y).tree_)
    bag = BaggingClassifier(DecisionTreeClassifier(), 3, random_state=0)
    assert np.array_equal(bag.fit(X, y).predict(X), bag.fit(S, y).predict(S))


def test_memory_follows_the_stored_values_alone():
    rng = np.random.default_rng(0)
    S = sparse.random(1000, 100_000, density=1e-4, format="csr", random_state=0)
    y = rng.integers(2, size=1000)
    model = DecisionTreeClassifier(max_depth=3)
    model.fit(S[:50], y[:50]).predict(S[:50])
    tracemalloc.start()
    try:
        model.fit(S, y).predict(S)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1000 * 100_000 * 8 / 20


def test_categories_of_a_sparse_matrix_are_refused():
    X, y = table(50)
    with pytest.raises(TypeError, match="categorical_features"):
        DecisionTreeClassifier(categorical_features=[0]).fit(sparse.csr_matrix(X), y)
