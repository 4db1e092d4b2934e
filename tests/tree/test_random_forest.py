"""Random forests: what their two sources of chance do, and scikit-learn's answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.ensemble import RandomForestClassifier as Peer
from sklearn.ensemble import RandomForestRegressor as PeerRegressor
from sklearn.model_selection import train_test_split

from shallows._core.numerics.threads import limit_threads
from shallows.data import fruit_table
from shallows.tree import DecisionTreeClassifier, RandomForestClassifier, RandomForestRegressor


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, random_state=0)


def test_without_chance_all_trees_are_the_same():
    X, _, y, _ = cancer()
    forest = RandomForestClassifier(3, bootstrap=False, max_features=None, random_state=0)
    alone = DecisionTreeClassifier().fit(X, y).tree_
    for tree in forest.fit(X, y).trees_:
        for name, array in vars(alone).items():
            assert np.array_equal(array, getattr(tree, name)), name


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_as_accurate_as_scikit_learn(criterion):
    X, X_new, y, y_new = cancer()
    ours = RandomForestClassifier(100, criterion=criterion, random_state=0).fit(X, y)
    peer = Peer(100, criterion=criterion, random_state=0).fit(X, y)
    assert ours.score(X_new, y_new) == pytest.approx(peer.score(X_new, y_new), abs=0.03)
    assert np.abs(ours.predict_proba(X_new) - peer.predict_proba(X_new)).mean() < 0.03


def test_as_accurate_as_scikit_learn_for_numbers():
    X, y = load_diabetes(return_X_y=True)
    ours = RandomForestRegressor(max_features=3, oob_score=True, random_state=0).fit(X, y)
    peer = PeerRegressor(max_features=3, oob_score=True, random_state=0).fit(X, y)
    assert ours.oob_score_ == pytest.approx(peer.oob_score_, abs=0.03)
    assert np.corrcoef(ours.predict(X), peer.predict(X))[0, 1] > 0.99


def test_trees_see_the_expected_share_of_rows():
    X, y = make_classification(500, random_state=0)
    forest = RandomForestClassifier(60, max_depth=1, random_state=0).fit(X, y)
    shares = [tree.n_node_samples[0] / 500 for tree in forest.trees_]
    # the standard deviation of one share is below 0.014; 5 standard errors of the mean
    assert np.mean(shares) == pytest.approx(1 - (1 - 1 / 500) ** 500, abs=5 * 0.014 / 60**0.5)
    assert all(tree.weighted_n_node_samples[0] == 500 for tree in forest.trees_)


def test_more_trees_do_not_overfit():
    X, X_new, y, y_new = cancer()
    errors = [
        1 - RandomForestClassifier(k, random_state=0).fit(X, y).score(X_new, y_new)
        for k in (1, 10, 100, 300)
    ]
    assert errors[2] < errors[0]
    assert errors[3] <= errors[2] + 0.02


def test_out_of_bag_answers_come_from_trees_that_have_not_seen_the_row():
    X, _, y, _ = cancer()
    forest = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, y)
    streams = np.random.default_rng(0).spawn(40)
    total, asked = np.zeros((len(y), 2)), np.zeros(len(y))
    for member, stream in zip(forest.estimators_, streams, strict=True):
        unseen = np.bincount(stream.integers(len(y), size=len(y)), minlength=len(y)) == 0
        total[unseen] += member.predict_proba(X[unseen])
        asked[unseen] += 1
    assert forest.oob_decision_function_ == pytest.approx(total / asked[:, None])
    right = (total / asked[:, None]).argmax(axis=1) == y
    assert forest.oob_score_ == pytest.approx(right.mean())


def test_few_trees_leave_rows_unjudged():
    X, _, y, _ = cancer()
    with pytest.warns(UserWarning, match="Raise n_estimators"):
        forest = RandomForestClassifier(2, oob_score=True, random_state=0).fit(X, y)
    assert np.isnan(forest.oob_decision_function_).any()
    with pytest.raises(ValueError, match="Set bootstrap=True"):
        RandomForestClassifier(2, oob_score=True, bootstrap=False).fit(X, y)


def test_informative_features_count_more_than_noise():
    X, y = make_classification(
        600, 12, n_informative=3, n_redundant=0, shuffle=False, random_state=0
    )
    importances = RandomForestClassifier(random_state=0).fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances[:3].min() > importances[3:].max()


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_bits_do_not_depend_on_threads(kind):
    X, _, y, _ = cancer()
    forests = []
    for threads in (1, 3):
        with limit_threads(threads):
            forests.append(kind(5, oob_score=False, random_state=0).fit(X, y))
    assert np.array_equal(*(forest.predict(X) for forest in forests))
    for one, two in zip(*(forest.trees_ for forest in forests), strict=True):
        assert np.array_equal(one.threshold, two.threshold)


def test_hard_voting_counts_votes():
    X, X_new, y, _ = cancer()
    forest = RandomForestClassifier(25, max_depth=2, voting="hard", random_state=0).fit(X, y)
    votes = forest.member_predictions(X_new)
    assert forest.predict_proba(X_new)[:, 1] == pytest.approx((votes == 1).mean(axis=0))
    assert np.array_equal(votes[3], forest.estimators_[3].predict(X_new))


def test_mixed_frames_with_gaps():
    X, y, names = fruit_table(600, missing=0.1, random_state=0)
    frame = pd.DataFrame(X, columns=names).replace("?", None)
    frame["noise"] = np.random.default_rng(0).normal(size=len(frame))
    forest = RandomForestClassifier(30, oob_score=True, random_state=0).fit(frame, y)
    assert forest.oob_score_ > 0.75
    assert forest.estimators_[0].explain(frame[:1])[0]
    assert forest.apply(frame[:3]).shape == (3, 30)


def test_max_samples_and_many_outputs():
    X, y = load_diabetes(return_X_y=True)
    both = np.column_stack([y, -y])
    forest = RandomForestRegressor(10, max_samples=0.3, random_state=0, max_depth=4).fit(X, both)
    assert forest.trees_[0].weighted_n_node_samples[0] == np.ceil(0.3 * len(y))
    answers = forest.predict(X)
    assert answers[:, 0] == pytest.approx(-answers[:, 1])
    assert forest.member_predictions(X).mean(axis=0) == pytest.approx(answers)


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_warm_start_adds_the_trees_that_a_larger_forest_would_have(kind):
    X, X_new, y, _ = cancer()
    whole = kind(30, oob_score=True, random_state=0).fit(X, y)
    grown = kind(12, random_state=0).fit(X, y)
    first = grown.trees_[3]
    grown.set_params(n_estimators=30, warm_start=True, oob_score=True).fit(X, y)
    assert grown.trees_[3] is first
    assert np.array_equal(grown.predict(X_new), whole.predict(X_new))
    assert grown.oob_score_ == whole.oob_score_


def test_warm_start_says_what_it_can_not_do():
    X, _, y, _ = cancer()
    forest = RandomForestClassifier(5, warm_start=True, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="grows no tree"):
        forest.fit(X, y)
    with pytest.raises(ValueError, match="at least the 5 trees"):
        forest.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="other data came"):
        forest.set_params(n_estimators=9).fit(X[:100], y[:100])


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_pruned_forests_have_the_trees_that_scikit_learn_prunes(kind):
    peer_kind = Peer if kind is RandomForestClassifier else PeerRegressor
    X, _, y, _ = cancer()
    options = {"bootstrap": False, "max_features": None, "ccp_alpha": 0.01, "random_state": 0}
    ours, peer = kind(2, **options).fit(X, y), peer_kind(2, **options).fit(X, y)
    assert ours.estimators_[0].get_n_leaves() == peer.estimators_[0].get_n_leaves()
    full = kind(2, **options | {"ccp_alpha": 0.0}).fit(X, y)
    assert ours.estimators_[0].get_n_leaves() < full.estimators_[0].get_n_leaves()
    assert ours.predict(X) == pytest.approx(peer.predict(X))


def test_balanced_subsamples_weigh_the_classes_of_every_tree_alike():
    X, y = make_classification(800, weights=[0.95], flip_y=0, random_state=0)
    forest = RandomForestClassifier(8, class_weight="balanced_subsample", random_state=0)
    for tree in forest.fit(X, y).trees_:
        assert tree.answer[0] == pytest.approx([0.5, 0.5])
    whole = RandomForestClassifier(8, class_weight="balanced", random_state=0).fit(X, y)
    assert any(abs(tree.answer[0, 0] - 0.5) > 0.01 for tree in whole.trees_)
    assert forest.estimators_[0].fit(X, y).tree_.answer[0] == pytest.approx([0.5, 0.5])


def test_paths_lead_through_all_trees_to_their_leaves():
    X, X_new, y, _ = cancer()
    forest = RandomForestClassifier(4, random_state=0).fit(X, y)
    indicator, bounds = forest.decision_path(X_new)
    leaves = forest.apply(X_new)
    for k, member in enumerate(forest.estimators_):
        part = indicator[:, bounds[k] : bounds[k + 1]]
        assert np.array_equal(part.toarray(), member.decision_path(X_new).toarray())
        assert (part[np.arange(len(X_new)), leaves[:, k]] == 1).all()


def test_logarithms_of_shares():
    X, X_new, y, _ = cancer()
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    logs, shares = forest.predict_log_proba(X_new), forest.predict_proba(X_new)
    assert np.exp(logs) == pytest.approx(shares)
    assert np.isneginf(logs[shares == 0]).all()
    assert (shares == 0).any()
