"""Rows with gaps: fractional cases and the heaviest branch."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from shallows.data import fruit_table
from shallows.tree import DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier

WAYS = ("fractional", "majority")


def test_complete_data_give_the_same_tree():
    X, y = load_iris(return_X_y=True)
    one, two = (DecisionTreeClassifier("entropy", missing=way).fit(X, y) for way in WAYS)
    for name, array in vars(one.tree_).items():
        assert np.array_equal(array, getattr(two.tree_, name)), name


def by_hand(x, y, weights, missing):
    """Quinlan's question about one binary property: weights and class counts of both branches."""
    known = ~np.isnan(x)
    share = weights[known & (x == 0)].sum() / weights[known].sum()
    parts = []
    for value, part in ((0, share), (1, 1 - share)):
        own = np.where(known, weights * (x == value), weights * part)
        if missing == "majority":
            own = np.where(known, weights * (x == value), weights * (part > 0.5))
        parts.append([own[y == c].sum() for c in (0, 1)])
    counts = [[weights[known & (x == v) & (y == c)].sum() for c in (0, 1)] for v in (0, 1)]
    return np.array(parts), np.array(counts)


@pytest.mark.kernel
@pytest.mark.parametrize("missing", WAYS)
def test_weights_of_the_branches(missing):
    rng = np.random.default_rng(0)
    x = rng.choice([0.0, 1.0, np.nan], size=60, p=[0.3, 0.5, 0.2])
    y = (rng.random(60) < np.where(x == 1, 0.8, 0.3)).astype(int)
    weights = rng.uniform(0.5, 2, size=60)
    tree = DecisionTreeClassifier(missing=missing, max_depth=1).fit(x[:, None], y, weights).tree_
    parts, counts = by_hand(x, y, weights, missing)
    assert tree.weighted_n_node_samples[1:] == pytest.approx(parts.sum(axis=1))
    assert tree.answer[1:] == pytest.approx(parts / parts.sum(axis=1, keepdims=True))
    assert tree.share[1:] == pytest.approx(counts.sum(axis=1) / counts.sum())

    def gini_weight(c):
        return c.sum() - (c**2).sum() / c.sum()

    gained = gini_weight(counts.sum(axis=0)) - sum(map(gini_weight, counts))
    assert tree.gain[0] == pytest.approx(gained / weights.sum())


def test_a_gap_is_answered_by_all_branches_or_by_the_heaviest():
    x, y = np.array([0.0] * 3 + [1.0] * 7)[:, None], np.array([0] * 3 + [1] * 7)
    gap = [[np.nan]]
    shares = DecisionTreeClassifier().fit(x, y).predict_proba(gap)
    assert shares[0] == pytest.approx([0.3, 0.7])
    heaviest = DecisionTreeClassifier(missing="majority").fit(x, y)
    assert heaviest.predict_proba(gap).tolist() == [[0.0, 1.0]]
    mean = DecisionTreeRegressor().fit(x, y).predict(gap)
    assert mean == pytest.approx([0.7])


@pytest.mark.parametrize("missing", WAYS)
def test_every_incomplete_row_gets_a_class(missing):
    X, y, _ = fruit_table(400, missing=0.3, random_state=0)
    X = X.astype(object)
    X[X == "?"] = None
    model = DecisionTreeClassifier("entropy", missing=missing, min_samples_leaf=3).fit(X, y)
    assert set(model.predict(X)) <= set(y)
    nothing = np.full((1, 5), None)
    assert model.predict_proba(nothing).sum() == pytest.approx(1)
    unknown = [["blue", "huge", "bitter", "heavy", "square"]]
    assert model.predict(unknown)[0] in set(y)


def test_weight_is_conserved_over_the_leaves():
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    tree = DecisionTreeClassifier().fit(X, y).tree_
    assert tree.weighted_n_node_samples[tree.is_leaf].sum() == pytest.approx(len(y))


@pytest.mark.parametrize("missing", WAYS)
def test_gaps_cost_little(missing):
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    forest = RandomForestClassifier(missing=missing, oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_score_ > 0.85


def test_many_gaps_in_few_columns_stay_small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = (X.sum(axis=1) + rng.normal(size=3000) > 0).astype(int)
    X[rng.random(X.shape) < 0.3] = np.nan
    tree = DecisionTreeClassifier().fit(X, y).tree_
    assert tree.n_node_samples[tree.is_leaf].sum() < 60 * len(y)
    assert tree.is_leaf.sum() < 2 * len(y)


def test_parts_of_rows_have_the_weight_of_their_node():
    """Many gaps: nodes have more parts than rows, and their list is made anew several times."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=400) > 0).astype(int)
    X[rng.random(X.shape) < 0.3] = np.nan
    tree = DecisionTreeClassifier(random_state=0).fit(X, y).tree_
    counts = tree.answer * tree.weighted_n_node_samples[:, None]
    assert tree.n_node_samples[tree.is_leaf].sum() > 1000
    for node in np.flatnonzero(~tree.is_leaf):
        below = slice(tree.first[node], tree.first[node] + tree.branches[node])
        assert counts[below].sum(axis=0) == pytest.approx(counts[node])
        assert tree.share[below].sum() == pytest.approx(1)
