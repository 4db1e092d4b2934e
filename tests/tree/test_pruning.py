"""Early stopping and pruning: what survives, and scikit-learn's cost-complexity path."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier as Peer
from sklearn.tree import DecisionTreeRegressor as PeerRegressor

from shallows.data import make_irrelevant
from shallows.tree import DecisionTreeClassifier, DecisionTreeRegressor, prune

XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
LABELS = np.array([0, 1, 1, 0])


def split(seed=0):
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, test_size=0.4, random_state=seed)


@pytest.mark.parametrize("seed", range(5))
def test_validation_error_never_rises(seed):
    X, X_val, y, y_val = split(seed)
    full = DecisionTreeClassifier().fit(X, y)
    pruned = prune(full, X_val, y_val)
    assert pruned.score(X_val, y_val) >= full.score(X_val, y_val)
    assert pruned.get_n_leaves() < full.get_n_leaves()
    assert full.score(X, y) == 1  # the full tree is left as it was


def test_no_pruning_of_fewer_nodes_is_better():
    """Reduced-error pruning finds the least error of all prunings of a small tree."""
    X, y = make_irrelevant(60, 3, random_state=1)
    X_val, y_val = make_irrelevant(40, 3, random_state=2)
    full = DecisionTreeClassifier(max_depth=3).fit(X, y)
    tree, best = full.tree_, 0.0
    inner = np.flatnonzero(~tree.is_leaf)
    for bits in range(2 ** len(inner)):
        cut = tree.cut(inner[(bits >> np.arange(len(inner))) & 1 == 1])
        best = max(best, np.mean(cut.answers(X_val, True).argmax(axis=1) == y_val))
    assert prune(full, X_val, y_val).score(X_val, y_val) == best


def test_xor_survives_pruning_but_not_early_stopping():
    X, y = np.repeat(XOR, 25, axis=0), np.repeat(LABELS, 25)
    full = DecisionTreeClassifier("entropy").fit(X, y)
    assert full.tree_.gain[0] == 0
    assert prune(full, XOR, LABELS).score(XOR, LABELS) == 1
    for stop in ("chi2", "validation"):
        stopped = DecisionTreeClassifier("entropy", stop=stop, random_state=0).fit(X, y)
        assert stopped.get_n_leaves() == 1


def test_chi2_stops_where_scipy_sees_no_dependence():
    X, y = make_irrelevant(300, 5, error=0.2, random_state=0)
    full = DecisionTreeClassifier().fit(X, y).tree_
    stopped = DecisionTreeClassifier(stop="chi2").fit(X, y).tree_
    weights = full.answer * full.weighted_n_node_samples[:, None]

    def asks(node):
        if not full.branches[node]:
            return 0
        table = weights[full.first[node] : full.first[node] + full.branches[node]]
        table = table[:, table.sum(axis=0) > 0]
        if chi2_contingency(table, correction=False).pvalue > 0.05:
            return 0
        return 1 + sum(asks(full.first[node] + b) for b in range(full.branches[node]))

    assert (~stopped.is_leaf).sum() == asks(0)
    assert stopped.feature[0] == 0


def test_validation_stops_where_held_out_rows_gain_nothing():
    X, y = make_irrelevant(400, 20, random_state=0)
    model = DecisionTreeClassifier(stop="validation", random_state=0).fit(X, y)
    assert model.tree_.feature[0] == 0
    assert model.get_n_leaves() < 10
    X_new, y_new = make_irrelevant(2000, 20, random_state=1)
    assert model.score(X_new, y_new) > DecisionTreeClassifier().fit(X, y).score(X_new, y_new)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_cost_complexity_path_equals_scikit_learn(criterion):
    X, _, y, _ = split()
    options = {"criterion": criterion, "min_samples_leaf": 5}
    ours = DecisionTreeClassifier(**options).cost_complexity_pruning_path(X, y)
    peer = Peer(random_state=0, **options).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas == pytest.approx(peer.ccp_alphas, abs=1e-8)
    assert ours.impurities == pytest.approx(peer.impurities, abs=1e-8)
    for alpha in ours.ccp_alphas[1::3] + 1e-6:
        pruned = DecisionTreeClassifier(**options, ccp_alpha=alpha).fit(X, y)
        expected = Peer(random_state=0, **options, ccp_alpha=alpha).fit(X, y)
        assert pruned.get_n_leaves() == expected.get_n_leaves()


def test_cost_complexity_of_regression_equals_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    ours = DecisionTreeRegressor(min_samples_leaf=10).cost_complexity_pruning_path(X, y)
    peer = PeerRegressor(min_samples_leaf=10).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas == pytest.approx(peer.ccp_alphas, rel=1e-4, abs=1e-6)


def test_regression_trees_are_pruned_by_squared_error():
    X, y = load_diabetes(return_X_y=True)
    full = DecisionTreeRegressor().fit(X[:250], y[:250])
    pruned = prune(full, X[250:], y[250:])
    errors = [np.mean((tree.predict(X[250:]) - y[250:]) ** 2) for tree in (full, pruned)]
    assert errors[1] < errors[0]
    assert pruned.get_n_leaves() < full.get_n_leaves()


def test_labels_that_the_tree_never_saw_are_errors_everywhere():
    tree = DecisionTreeClassifier().fit(XOR, LABELS)
    assert prune(tree, XOR, ["none"] * 4).get_n_leaves() == 1
