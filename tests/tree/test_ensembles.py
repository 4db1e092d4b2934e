"""Bagging and ensembles of any learner."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import ExtraTreeRegressor

from shallows.data import fruit_table
from shallows.tree import (
    BaggingClassifier,
    BaggingRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Ensemble,
    stochastic_learner,
)

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("diversity", ["seed", "bootstrap", "features"])
def test_the_same_theta_gives_the_same_member(diversity):
    X, y = IRIS
    tree = DecisionTreeClassifier(max_features=1)
    model = Ensemble(tree, 5, diversity=diversity, random_state=0).fit(X, y)
    for theta, member in zip(model.thetas_, model.members_, strict=True):
        again = stochastic_learner(tree, X, y, int(theta), diversity=diversity)
        assert np.array_equal(again.ask("predict_proba", X), member.ask("predict_proba", X))
    assert len({str(member.estimator.export_text()) for member in model.members_}) > 1


def test_members_see_the_expected_share_of_rows():
    X, y = IRIS
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=1), 100, random_state=0).fit(X, y)
    shares = [len(np.unique(member.rows)) / len(y) for member in model.members_]
    # the standard deviation of one share is below 0.026; 5 standard errors of the mean
    assert np.mean(shares) == pytest.approx(1 - (1 - 1 / 150) ** 150, abs=5 * 0.026 / 10)


def test_bagging_agrees_with_scikit_learn():
    X, y = IRIS
    ours = BaggingClassifier(DecisionTreeClassifier(), 50, oob_score=True, random_state=0).fit(X, y)
    peer = ensemble.BaggingClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    assert ours.oob_score_ == pytest.approx(peer.oob_score_, abs=0.03)
    X, y = DIABETES
    ours = BaggingRegressor(DecisionTreeRegressor(), 50, oob_score=True, random_state=0).fit(X, y)
    peer = ensemble.BaggingRegressor(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    assert ours.oob_score_ == pytest.approx(peer.oob_score_, abs=0.06)


def test_bagging_lowers_the_error_of_an_unstable_learner():
    X, y = DIABETES
    alone = cross_val_score(DecisionTreeRegressor(), X, y, cv=5).mean()
    bagged = cross_val_score(
        BaggingRegressor(DecisionTreeRegressor(), 30, random_state=0), X, y
    ).mean()
    assert bagged > alone + 0.2


def test_the_kind_of_estimator_is_that_of_the_learner():
    assert is_classifier(BaggingClassifier()) and is_regressor(BaggingRegressor(Ridge()))
    assert is_classifier(Ensemble()) and is_regressor(Ensemble(Ridge()))
    assert not hasattr(BaggingRegressor(Ridge()), "predict_proba")


def test_combinations():
    X, y = IRIS
    vote = Ensemble(DecisionTreeClassifier(max_depth=2, max_features=1), 15, random_state=0)
    shares = vote.fit(X, y).predict_proba(X)
    votes = vote.member_predictions(X)
    assert shares == pytest.approx(np.stack([(votes == c).mean(axis=0) for c in range(3)], axis=1))
    mean = vote.set_params(combine="mean").fit(X, y)
    soft = np.mean([member.ask("predict_proba", X) for member in mean.members_], axis=0)
    assert mean.predict_proba(X) == pytest.approx(soft)
    X, y = DIABETES
    middle = Ensemble(ExtraTreeRegressor(), 7, combine="median", random_state=0).fit(X, y)
    assert middle.predict(X) == pytest.approx(np.median(middle.member_predictions(X), axis=0))
    with pytest.raises(ValueError, match="'vote' does not work for numbers"):
        Ensemble(Ridge(), combine="vote").fit(X, y)
    with pytest.raises(ValueError, match="'median' does not work for classes"):
        Ensemble(combine="median").fit(*IRIS)


def test_members_may_look_at_some_columns_and_rows():
    X, y = IRIS
    model = BaggingClassifier(
        LogisticRegression(max_iter=500), 10, max_features=2, max_samples=0.5, bootstrap=False,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert {len(member.columns) for member in model.members_} == {2}
    assert all(len(np.unique(member.rows)) == 75 for member in model.members_)
    assert model.score(X, y) > 0.85


def test_votes_where_members_give_no_probabilities_and_weights_where_they_take_none():
    X, y = IRIS
    few = np.concatenate([y == 0])  # members without a rare class
    rare = np.where(np.arange(150) < 3, "rare", np.where(few, "one", "two"))
    model = BaggingClassifier(DecisionTreeClassifier(), 20, random_state=0).fit(X, rare)
    assert model.predict_proba(X).shape == (150, 3)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        BaggingClassifier(KNeighborsClassifier()).fit(X, y, np.ones(150))


def test_mixed_frames_reach_the_members():
    X, y, names = fruit_table(200, missing=0, random_state=0)
    frame = pd.DataFrame(X, columns=names)
    model = BaggingClassifier(DecisionTreeClassifier("entropy"), 30, oob_score=True, random_state=0)
    assert model.fit(frame, y).oob_score_ > 0.8


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="2 classes"):
        BaggingClassifier().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="all of one class"):
        BaggingClassifier(DecisionTreeClassifier(), 1, max_samples=1).fit(*IRIS)


def test_logarithms_only_of_classes():
    X, y = IRIS
    bag = BaggingClassifier(DecisionTreeClassifier(max_depth=2), 5, random_state=0).fit(X, y)
    assert np.exp(bag.predict_log_proba(X)) == pytest.approx(bag.predict_proba(X))
    assert not hasattr(BaggingRegressor(DecisionTreeRegressor()), "predict_log_proba")


def test_members_see_what_was_drawn_for_them():
    X, y = IRIS
    model = BaggingClassifier(
        DecisionTreeClassifier(),
        8,
        max_samples=0.4,
        max_features=0.5,
        bootstrap_features=True,
        random_state=0,
    ).fit(X, y)
    for rows, columns, tree in zip(
        model.estimators_samples_, model.estimators_features_, model.estimators_, strict=True
    ):
        assert len(rows) == 60 and len(set(rows)) < 60 and len(columns) == 2
        alike = DecisionTreeClassifier(random_state=tree.random_state).fit(
            X[rows][:, columns], y[rows]
        )
        assert alike.export_text() == tree.export_text()


def test_members_of_the_last_fit_stay():
    X, y = IRIS
    model = BaggingClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
    kept = model.estimators_
    model.set_params(n_estimators=5).fit(X, y)
    anew = BaggingClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert model.estimators_[:3] == kept
    assert np.array_equal(model.predict_proba(X), anew.predict_proba(X))
    with pytest.raises(ValueError, match="at least the 5 members"):
        model.set_params(n_estimators=4).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        BaggingClassifier(oob_score=True, bootstrap=False).fit(X, y)
