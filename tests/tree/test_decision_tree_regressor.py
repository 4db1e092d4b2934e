"""Regression trees against scikit-learn, and against the meaning of their answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor as Peer

from shallows.tree import DecisionTreeRegressor


def data(n=800, d=5, outputs=1):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)).astype(np.float32)
    y = np.column_stack([np.sin(X[:, 0] * (j + 1)) + X[:, 1] for j in range(outputs)])
    y = y + 0.1 * rng.normal(size=y.shape)
    return X, (y[:, 0] if outputs == 1 else y).astype(np.float32)


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"min_samples_leaf": 5},
        {"max_depth": 4},
        {"max_leaf_nodes": 20},
        {"min_impurity_decrease": 0.01},
    ],
)
def test_equals_scikit_learn(outputs, options):
    X, y = data(outputs=outputs)
    weights = np.random.default_rng(1).uniform(0.5, 2, size=len(y))
    ours = DecisionTreeRegressor(**options).fit(X, y, weights)
    peer = Peer(random_state=0, **options).fit(X, y, weights)
    assert ours.get_n_leaves() == peer.get_n_leaves()
    assert np.allclose(ours.predict(X), peer.predict(X), atol=1e-5)
    assert np.allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-5)


def test_a_leaf_answers_with_the_mean_of_its_rows():
    X, y = load_diabetes(return_X_y=True)
    model = DecisionTreeRegressor(min_samples_leaf=20).fit(X, y)
    leaves, answers = model.apply(X), model.predict(X)
    for leaf in np.unique(leaves):
        assert answers[leaves == leaf] == pytest.approx(y[leaves == leaf].mean())


@pytest.mark.kernel
def test_a_large_offset_changes_nothing():
    X, y = data(80)
    near = DecisionTreeRegressor(max_depth=3).fit(X.astype(float), y)
    far = DecisionTreeRegressor(max_depth=3).fit(X.astype(float), y.astype(float) + 1e9)
    assert np.array_equal(near.tree_.feature, far.tree_.feature)
    assert near.tree_.threshold == pytest.approx(far.tree_.threshold)


def test_categories_get_a_branch_each():
    frame = pd.DataFrame({"kind": list("abcabc"), "size": [1.0, 2, 3, 1, 2, 3]})
    model = DecisionTreeRegressor(max_depth=1).fit(frame[["kind"]], [1, 5, 9, 1, 5, 9])
    lines = ["kind = a: 1 (2)", "kind = b: 5 (2)", "kind = c: 9 (2)"]
    assert model.export_text().splitlines() == lines
    assert model.explain(frame[["kind"]])[1] == "5, because kind = b"
    assert model.chart()["data"]["values"][0]["words"] == "kind?"


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="criterion must be"):
        DecisionTreeRegressor("gini").fit([[0.0], [1.0]], [0.0, 1.0])
