"""Decision trees against scikit-learn, against brute force, and against the theory."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier as Peer

from shallows.data import fruit_table
from shallows.tree import DecisionTreeClassifier, c45, gain, id3

CRITERIA = ("entropy", "gini", "misclassification")


def data(n=600, d=6, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0) + (X[:, 3] > 1)
    return X, y.astype(int)


def same_tree(ours, peer, node=0, other=0):
    """Compare question, threshold, size and impurity node by node."""
    left, right = peer.children_left[other], peer.children_right[other]
    assert ours.n_node_samples[node] == peer.n_node_samples[other]
    assert ours.impurity[node] == pytest.approx(peer.impurity[other], abs=1e-9)
    assert ours.answer[node] == pytest.approx(peer.value[other].ravel(), abs=1e-6)
    assert (ours.branches[node] == 0) == (left == right)
    if ours.branches[node]:
        assert ours.feature[node] == peer.feature[other]
        assert ours.threshold[node] == pytest.approx(peer.threshold[other], rel=1e-6)
        same_tree(ours, peer, ours.first[node], left)
        same_tree(ours, peer, ours.first[node] + 1, right)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("options", [{"max_depth": 4}, {"min_samples_leaf": 100}])
def test_equals_scikit_learn_where_nothing_ties(criterion, options):
    X, y = data(5000)
    ours = DecisionTreeClassifier(criterion, **options).fit(X, y)
    peer = Peer(criterion=criterion, random_state=0, **options).fit(X, y)
    same_tree(ours.tree_, peer.tree_)
    assert (ours.predict(X) == peer.predict(X)).all()
    assert ours.feature_importances_ == pytest.approx(peer.feature_importances_, abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"max_leaf_nodes": 12},
        {"min_impurity_decrease": 0.01},
        {"min_samples_split": 100},
        {"min_samples_leaf": 0.05},
        {"min_weight_fraction_leaf": 0.05},
        {"class_weight": "balanced", "max_depth": 3},
        {"class_weight": {0: 1, 1: 3, 2: 0.5}, "max_depth": 3},
    ],
)
def test_limits_mean_what_they_mean_in_scikit_learn(options):
    X, y = data(1500, seed=3)
    weights = np.random.default_rng(1).uniform(0.5, 2, size=len(y))
    ours = DecisionTreeClassifier(**options).fit(X, y, weights)
    peer = Peer(random_state=0, **options).fit(X, y, weights)
    assert ours.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-6)


def brute_force_cut(x, y, criterion):
    """Return the gain of the best mid-point, over all of them."""
    values = np.unique(x)
    classes = np.unique(y)

    def counts(rows):
        return [np.sum(y[rows] == c) for c in classes]

    cuts = (values[1:] + values[:-1]) / 2
    return max(gain(counts(slice(None)), [counts(x <= t), counts(x > t)], criterion) for t in cuts)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("values", [3, 1000])
def test_the_best_cut_equals_brute_force(criterion, values):
    rng = np.random.default_rng(5)
    for _ in range(5):
        x = rng.integers(values, size=60).astype(float)
        y = rng.integers(3, size=60)
        tree = DecisionTreeClassifier(criterion, max_depth=1).fit(x[:, None], y).tree_
        assert tree.gain[0] == pytest.approx(brute_force_cut(x, y, criterion), abs=1e-12)


def greedy(rows, y, properties, criterion, ratio):
    """Core algorithm in words: the property chosen at each node, as nested dicts."""
    if len(set(y)) == 1 or not properties:
        return None
    classes = sorted(set(y))

    def counts(inside):
        return [sum(label == c for label, k in zip(y, inside, strict=True) if k) for c in classes]

    parts = {}
    for j in properties:
        values = sorted({row[j] for row in rows})
        if len(values) > 1:
            parts[j] = [counts([row[j] == v for row in rows]) for v in values]
    if not parts:
        return None
    whole = counts([True] * len(rows))
    gains = {j: gain(whole, parts[j], criterion) for j in parts}
    if ratio:  # only among questions with at least average gain
        mean = np.mean(list(gains.values())) - 1e-9
        usual = {j for j in gains if gains[j] >= mean}
        gains = {j: gain(whole, parts[j], criterion, ratio=True) for j in usual}
    best = max(gains, key=lambda j: round(gains[j], 9))
    branches = {}
    for value in {row[best] for row in rows}:
        inside = [i for i, row in enumerate(rows) if row[best] == value]
        branches[value] = greedy(
            [rows[i] for i in inside], [y[i] for i in inside], properties - {best}, criterion, ratio
        )
    return {best: branches}


def nested(model, node=0):
    tree = model.tree_
    if not tree.branches[node]:
        return None
    categories = model.categories_[tree.feature[node]]
    below = range(tree.first[node], tree.first[node] + tree.branches[node])
    return {
        int(tree.feature[node]): {
            value: nested(model, child)
            for value, child in zip(categories, below, strict=True)
            if tree.n_node_samples[child]
        }
    }


@pytest.mark.parametrize("criterion", [*CRITERIA, "gain-ratio"])
def test_multiway_growth_follows_the_algorithm(criterion):
    X, y, _ = fruit_table(120, missing=0.0, odd=0.3, random_state=1)
    model = DecisionTreeClassifier(criterion).fit(X, y)
    rows = [tuple(map(str, row)) for row in X]
    ratio = criterion == "gain-ratio"
    measure = "entropy" if ratio else criterion
    assert nested(model) == greedy(rows, list(y), set(range(5)), measure, ratio)


@pytest.mark.parametrize("criterion", [*CRITERIA, "gain-ratio"])
@pytest.mark.parametrize("multiway", [True, False])
def test_no_training_error_unless_rows_contradict(criterion, multiway):
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(200, 6)).astype(str)
    rows = [tuple(row) for row in X]
    labels = {row: rng.integers(3) for row in rows}
    y = np.array([labels[row] for row in rows])
    model = DecisionTreeClassifier(criterion, multiway=multiway).fit(X, y)
    assert model.score(X, y) == 1
    contrary = np.concatenate([y, (y + 1) % 3])
    assert model.fit(np.concatenate([X, X]), contrary).score(X, y) < 1


def test_a_property_is_asked_once_on_a_path():
    X, y, _ = fruit_table(500, odd=0.3, random_state=0)
    tree = DecisionTreeClassifier().fit(X, y).tree_
    parent = tree.parent
    for leaf in np.flatnonzero(tree.is_leaf):
        asked, node = [], parent[leaf]
        while node >= 0:
            asked.append(tree.feature[node])
            node = parent[node]
        assert len(asked) == len(set(asked))


def test_an_empty_branch_answers_as_its_parent():
    X = pd.DataFrame({"color": pd.Categorical(["red", "red", "green"], ["green", "red", "blue"])})
    model = DecisionTreeClassifier().fit(X, ["cherry", "cherry", "melon"])
    blue = pd.DataFrame({"color": pd.Categorical(["blue"], ["green", "red", "blue"])})
    assert model.predict_proba(blue) == pytest.approx(model.tree_.answer[[0]])


def test_text_frames_and_places_give_the_same_tree():
    X, y, names = fruit_table(300, missing=0, odd=0.2, random_state=0)
    frame = pd.DataFrame(X, columns=names)
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    models = [
        DecisionTreeClassifier().fit(X, y),
        DecisionTreeClassifier().fit(frame, y),
        DecisionTreeClassifier().fit(frame.astype("category"), y),
        DecisionTreeClassifier(categorical_features=[0, 1, 2, 3, 4]).fit(codes, y),
        DecisionTreeClassifier(categorical_features=[True] * 5).fit(codes.astype(np.float32), y),
        DecisionTreeClassifier(categorical_features=list(names)).fit(frame, y),
    ]
    for model in models[1:]:
        for name, array in vars(models[0].tree_).items():
            assert np.array_equal(array, getattr(model.tree_, name)), name


def test_numbers_beside_categories():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(["a", "b"], 400), "size": rng.normal(size=400)})
    y = np.where(frame["kind"] == "a", frame["size"] > 0.3, frame["size"] < -0.5)
    model = DecisionTreeClassifier("entropy").fit(frame, y)
    assert model.score(frame, y) == 1
    assert set(model.tree_.question) == {0, 1, 2}
    assert list(model.feature_names_in_) == ["kind", "size"]


@pytest.mark.kernel
def test_weights_count_as_repetition():
    X, y = data(80)
    weights = np.random.default_rng(2).integers(0, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    for criterion in ("gini", "entropy", "gain-ratio", "misclassification"):
        weighted = DecisionTreeClassifier(criterion, max_depth=4).fit(X, y, weights)
        repeated = DecisionTreeClassifier(criterion, max_depth=4).fit(X[rows], y[rows])
        assert np.allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.kernel
def test_broken_weights_scale_away():
    X, y = data(80)
    one = DecisionTreeClassifier("entropy", max_depth=3).fit(X, y)
    two = DecisionTreeClassifier("entropy", max_depth=3).fit(X, y, np.full(len(y), 0.3))
    assert np.array_equal(one.tree_.threshold, two.tree_.threshold)
    assert one.tree_.impurity == pytest.approx(two.tree_.impurity)


def test_binary_questions_about_categories_equal_one_hot_columns():
    X, y, _ = fruit_table(300, missing=0, odd=0.3, random_state=2)
    hot = pd.get_dummies(pd.DataFrame(X)).astype(np.float32).to_numpy()
    ours = DecisionTreeClassifier(multiway=False, min_samples_leaf=8).fit(X, y)
    peer = Peer(min_samples_leaf=8, random_state=0).fit(hot, y)
    assert ours.score(X, y) == pytest.approx(peer.score(hot, y), abs=0.01)
    assert (ours.tree_.branches <= 2).all()


def test_drawn_features_differ_by_seed_only():
    X, y = data()
    one, same, other = (
        DecisionTreeClassifier(max_features=2, random_state=seed).fit(X, y) for seed in (0, 0, 1)
    )
    assert np.array_equal(one.tree_.feature, same.tree_.feature)
    assert not np.array_equal(one.tree_.feature[:20], other.tree_.feature[:20])


def test_text_and_explanations():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    assert model.export_text().splitlines() == [
        "x2 <= 2.45: 0 (50)",
        "x2 > 2.45",
        "|   x3 <= 1.75: 1 (54)",
        "|   x3 > 1.75: 2 (46)",
    ]
    assert model.explain(X[-1:]) == ["2, because x2 > 2.45 and x3 > 1.75"]
    assert model.apply(X[:1]) == model.tree_.first[0]
    assert (model.get_depth(), model.get_n_leaves()) == (2, 3)


def test_the_chart_draws_every_node_within_the_depth():
    X, y, names = fruit_table(300, random_state=0)
    model = DecisionTreeClassifier(min_samples_leaf=5).fit(pd.DataFrame(X, columns=names), y)
    rows = model.chart(max_depth=2, title="Fruit")["data"]["values"]
    drawn = (model.tree_.depth <= 2) & (model.tree_.n_node_samples > 0)
    assert sum(row["part"] != "branch" for row in rows) == drawn.sum()
    assert sum(row["part"] == "branch" for row in rows) == drawn.sum() - 1
    places = [row["y"] for row in rows if row["part"] == "leaf"]
    assert len(set(places)) == len(places)


def test_presets():
    assert id3().criterion == "entropy" and id3(max_depth=3).max_depth == 3
    X, y = make_classification(200, random_state=0)
    assert c45().fit(X, y).tree_.n_node_samples[1:].min() >= 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "variance"}, "criterion must be"),
        ({"min_samples_split": 1}, "min_samples_split must be"),
        ({"max_features": 1.5}, "max_features must be"),
        ({"categorical_features": ["hue"]}, "names 'hue'"),
        ({"categorical_features": [7]}, "names 7"),
        ({"categorical_features": [True]}, "must have 4 entries"),
    ],
)
def test_bad_parameters_are_refused(options, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        DecisionTreeClassifier(**options).fit(X, y)


def test_all_binary_tables_of_three_inputs_are_learned():
    X = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    for bits in range(1, 255):
        y = (bits >> np.arange(8)) & 1
        assert DecisionTreeClassifier().fit(X, y).score(X, y) == 1


def test_paths_visit_as_many_nodes_of_the_same_sizes_as_scikit_learn():
    X, y = data()
    ours, peer = (kind(max_depth=4, random_state=0) for kind in (DecisionTreeClassifier, Peer))
    paths, theirs = (model.fit(X, y).decision_path(X) for model in (ours, peer))
    assert paths.shape == (len(X), len(ours.tree_.first))
    sizes, their_sizes = ours.tree_.n_node_samples, peer.tree_.n_node_samples
    for i in range(0, len(X), 17):
        nodes, others = paths[[i]].indices, theirs[[i]].indices
        assert sorted(sizes[nodes]) == sorted(their_sizes[others])
    assert np.array_equal(paths.sum(axis=1), ours.tree_.depth[ours.apply(X)] + 1)
    # every row comes by each node as often as training rows did
    assert np.array_equal(paths.sum(axis=0), sizes)


def test_logarithms_of_shares_are_those_of_scikit_learn():
    X, y = data()
    options = {"max_depth": 3, "random_state": 0}
    ours = DecisionTreeClassifier(**options).fit(X, y).predict_log_proba(X)
    with np.errstate(divide="ignore"):
        peer = Peer(**options).fit(X, y).predict_log_proba(X)
    assert np.array_equal(np.isneginf(ours), np.isneginf(peer))
    assert np.exp(ours) == pytest.approx(np.exp(peer))
